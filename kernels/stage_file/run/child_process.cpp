// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

extern char** environ;

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 64 << 10;
constexpr int kStatusFile = 3, kLifeFile = 4;
// waitpid() has no status where the host ignores SIGCHLD, or where its handler reaps every child.
// The shell waits for the program in its stead and reports the status as text.
//
// No process writes into the pipe at kLifeFile. It closes when this process ends, even if it is
// killed. The group is killed then, because nothing else would end a program that takes too long.
constexpr const char* kReportStatus =
    "(read end <&4; kill -KILL 0) > /dev/null 2>&1 3>&- &\n"
    "\"$@\" 3>&- 4<&-; echo $? >&3";
constexpr int kKilledStatus = 128;  // a shell adds the signal's number to it

std::vector<std::string> environment(bool in_folder) {
  std::vector<std::string> own = {"LC_ALL=C"};
  if (in_folder) own.emplace_back("TMPDIR=.");
  std::vector<std::string> all = own;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view theirs(*entry);
    if (std::ranges::none_of(own, [&](const std::string& one) {
          return theirs.starts_with(one.substr(0, one.find('=') + 1));
        }))
      all.emplace_back(theirs);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Above the standard streams: a host may have closed these, and the child's take their numbers.
int away_from_streams(int file) {
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, kLifeFile + 1);
  close(file);
  return moved;
}

// Both ends, or none of them.
struct Pipe {
  int from = -1, to = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    from = away_from_streams(ends[0]);
    to = away_from_streams(ends[1]);
  }
  ~Pipe() {
    close_writer();
    if (from >= 0) close(from);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  bool ok() const { return from >= 0 && to >= 0; }
  void close_writer() {
    if (to >= 0) close(std::exchange(to, -1));
  }
};

// Reads the output of the child until it closes its end; false: that takes too long.
bool read_all(int from, Clock::time_point end, std::string& output) {
  char bytes[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd waited{from, POLLIN, 0};
    const int ready = left.count() > 0 ? poll(&waited, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = read(from, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (output.size() < kMostOutput) output.append(bytes, static_cast<std::size_t>(got));
  }
}

// Handlers, ignored signals and blocked signals are the host's, not the child's.
int spawn(const std::vector<char*>& arguments, const std::vector<char*>& variables, int streams,
          int status, int life, const OwnFolder* folder, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // First: its number may be that of a stream which the host has closed.
  if (folder) posix_spawn_file_actions_addfchdir_np(&actions, folder->handle());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, streams, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, status, kStatusFile);
  posix_spawn_file_actions_adddup2(&actions, life, kLifeFile);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  // A group of its own: a compiler starts further programs, which end with it.
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  const int error =
      posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

void take_status(const std::string& text, ChildResult& result) {
  std::from_chars(text.data(), text.data() + text.size(), result.status);
  if (result.status < kKilledStatus) return;
  result.signal = result.status - kKilledStatus;
  result.status = -1;
}

}  // namespace

std::string ChildResult::reason() const {
  if (output.find_first_not_of(" \t\r\n") != output.npos) return output;
  std::string how = "it ended in an unknown way";
  if (status >= 0) how = "it exited with status " + std::to_string(status);
  if (signal > 0) {
    const char* const name = sigdescr_np(signal);
    how = "it was killed by signal " + std::to_string(signal) +
          (name ? std::string(" (") + name + ")" : "");
  }
  return how + " and printed nothing";
}

bool reap_child(pid_t child, Clock::time_point end, int& status) {
  for (;;) {
    const pid_t waited = waitpid(child, &status, WNOHANG);
    if (waited == child) return true;
    if (waited < 0 && errno != EINTR) {
      status = -1;
      return true;
    }
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

ChildResult run_child(const std::vector<std::string>& words, std::chrono::milliseconds most,
                      const OwnFolder* folder) {
  const auto end = Clock::now() + most;
  std::vector<std::string> argument_words = {"/bin/sh", "-c", kReportStatus, "sh"};
  argument_words.insert(argument_words.end(), words.begin(), words.end());
  std::vector<std::string> variable_words = environment(folder != nullptr);
  const std::vector<char*> arguments = pointers(argument_words);
  const std::vector<char*> variables = pointers(variable_words);
  Pipe streams, status, life;
  if (!streams.ok() || !status.ok() || !life.ok()) return {-1, std::strerror(errno)};
  pid_t child = -1;
  const int error = spawn(arguments, variables, streams.to, status.to, life.from, folder, child);
  streams.close_writer();
  status.close_writer();
  if (error != 0) return {-1, std::strerror(error)};
  ChildResult result;
  std::string text;
  if (read_all(streams.from, end, result.output) && read_all(status.from, end, text)) {
    take_status(text, result);
  } else {
    result.timed_out = true;
    result.output = "it took longer than " + std::to_string(most.count() / 1000) + " s";
  }
  // All of the group: the program may have closed its output or ended, and left others behind.
  kill(-child, SIGKILL);
  int ignored = 0;
  (void)reap_child(child, Clock::now() + kMostReapTime, ignored);
  return result;
}

}  // namespace tandem
