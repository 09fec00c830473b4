// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "pipelines/formatted.h"

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kLogLine{5};

std::size_t terminal_columns() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now()) {
  if (!terminal_) next_ += kLogLine;
}

void ProgressLine::show(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  if (terminal_) {
    next_ = now + kRedraw;
    std::fprintf(stderr, "\r%s\033[K", text.substr(0, terminal_columns() - 1).c_str());
    drawn_ = true;
  } else {
    next_ = now + kLogLine;
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void ProgressLine::finish(const std::string& text) {
  clear();
  std::fprintf(stderr, "%s\n", text.c_str());
}

Progress::Progress(std::string title, std::size_t total)
    : title_(std::move(title)), total_(std::max<std::size_t>(total, 1)) {}

Progress::~Progress() { line_.finish(text(formatted(" in %.1f s", elapsed_s()))); }

double Progress::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string Progress::text(const std::string& what) const {
  return title_ + ": " + std::to_string(done_) + "/" + std::to_string(total_) + what +
         (note_.empty() ? "" : ", " + note_);
}

void Progress::advance(const std::string& note) {
  const std::lock_guard lock(mutex_);
  ++done_;
  note_ = note;
  if (done_ >= total_) return;
  const auto left = static_cast<double>(total_ - done_);
  line_.show(text(", " + clock_time(elapsed_s() / static_cast<double>(done_) * left) + " left"));
}

std::string clock_time(double seconds) {
  if (!(seconds >= 0)) return "?";
  const long total = std::lround(seconds);
  const long hours = total / 3600, minutes = total / 60, seconds_left = total % 60;
  return hours > 0 ? formatted("%ld:%02ld:%02ld", hours, minutes % 60, seconds_left)
                   : formatted("%ld:%02ld", minutes, seconds_left);
}

}  // namespace tandem
