// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

extern char** environ;

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 64 << 10;

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry)
    if (!std::string_view(*entry).starts_with("LC_ALL=")) all.emplace_back(*entry);
  all.emplace_back("LC_ALL=C");
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// What the child writes until it closes its end; false when that takes too long.
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

}  // namespace

ChildResult run_child(const std::vector<std::string>& words, std::chrono::milliseconds most) {
  const auto end = Clock::now() + most;
  std::vector<std::string> argument_words = words, variable_words = environment();
  const std::vector<char*> arguments = pointers(argument_words);
  const std::vector<char*> variables = pointers(variable_words);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  // A group of its own: a compiler starts further programs, which end with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = -1;
  const int error =
      posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return {-1, std::strerror(error)};
  }
  ChildResult result;
  if (!read_all(ends[0], end, result.output)) {
    kill(-child, SIGKILL);
    result.output = "it took longer than " + std::to_string(most.count() / 1000) + " s";
  }
  close(ends[0]);
  int status = 0;
  pid_t waited;
  while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (waited == child && WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

}  // namespace tandem
