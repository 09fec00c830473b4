// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/text_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {
namespace {

// The option that has standard output; a process has one.
std::string& owner_of_standard_output() {
  static std::string owner;
  return owner;
}

// A second description of the same file has an offset of its own: the two would overwrite each
// other. Devices other than terminals, as /dev/null, have no offset and stay what they are.
bool is_same_file(const std::string& path, int descriptor) {
  struct stat named, opened;
  if (stat(path.c_str(), &named) != 0 || fstat(descriptor, &opened) != 0) return false;
  if (S_ISCHR(opened.st_mode) && isatty(descriptor) == 0) return false;
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

int duplicate(const std::string& option, int descriptor) {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (copy < 0) throw Failure(option + ": standard output cannot be used: " + std::strerror(errno));
  return copy;
}

int take_standard_output(const std::string& option) {
  std::string& owner = owner_of_standard_output();
  if (!owner.empty())
    throw UsageError(owner + " and " + option + " both write to standard output; name a file");
  const int taken = duplicate(option, STDOUT_FILENO);
  std::fflush(stdout);
  if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    ::close(taken);
    throw Failure(option + ": messages cannot go to standard error: " + std::strerror(errno));
  }
  owner = option;
  return taken;
}

// The process that made the descriptor may have made it non-blocking.
bool wait_until_writable(int descriptor) {
  pollfd writable{descriptor, POLLOUT, 0};
  return poll(&writable, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

bool names_standard_output(const std::string& path) {
  return path == "-" || is_same_file(path, STDOUT_FILENO);
}

TextOutput::TextOutput(std::string option, std::string path)
    : option_(std::move(option)), path_(std::move(path)) {
  if (names_standard_output(path_)) {
    file_ = FileHandle(take_standard_output(option_));
    standard_output_ = true;
  } else if (is_same_file(path_, STDERR_FILENO)) {
    file_ = FileHandle(duplicate(option_, STDERR_FILENO));
  } else {
    check_output_file(option_, path_);
  }
}

void TextOutput::open() {
  if (file_) return;
  file_ = FileHandle(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file_) throw Failure(problem(errno));
  has_old_text_ = true;
}

std::string TextOutput::truncate() {
  if (!std::exchange(has_old_text_, false)) return {};
  if (is_being_read(file_.number()))
    return option_ + " would overwrite the input, '" + path_ + "'; name another file";
  struct stat opened;
  const bool regular = fstat(file_.number(), &opened) == 0 && S_ISREG(opened.st_mode);
  return regular && ftruncate(file_.number(), 0) != 0 ? problem(errno) : std::string();
}

std::string TextOutput::append(std::string_view text) {
  if (std::string failed = truncate(); !failed.empty()) return failed;
  const Unfinished unfinished(name());
  while (!text.empty()) {
    const ssize_t written = ::write(file_.number(), text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && (errno != EAGAIN || !wait_until_writable(file_.number()))) {
      return problem(errno);
    }
  }
  return {};
}

void TextOutput::write(std::string_view text) {
  open();
  std::string failed = append(text);  // truncates too
  if (const std::string late = close(); failed.empty()) failed = late;
  if (!failed.empty()) throw Failure(failed);
}

std::string TextOutput::close() {
  const int file = file_.release();
  return file >= 0 && ::close(file) != 0 ? problem(errno) : std::string();
}

std::string TextOutput::name() const {
  return standard_output_ ? "standard output" : "'" + path_ + "'";
}

std::string TextOutput::problem(int error) const {
  if (error == EPIPE) return option_ + ": the reader has closed " + name();
  return option_ + ": cannot write " + name() + ": " + std::strerror(error) +
         (error == ENOSPC || error == EDQUOT ? "; make room, or name another disk" : "");
}

}  // namespace tandem
