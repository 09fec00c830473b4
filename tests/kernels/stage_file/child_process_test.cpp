// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

namespace tandem {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 60s;  // far longer than a shell takes on a busy machine

ChildResult shell(const std::string& script) {
  return run_child({"/bin/sh", "-c", script}, kPatience);
}

// The disposition of a signal while this lives.
class Handled {
 public:
  Handled(int signal, void (*handler)(int)) : signal_(signal) {
    struct sigaction wanted = {};
    wanted.sa_handler = handler;
    sigaction(signal, &wanted, &before_);
  }
  ~Handled() { sigaction(signal_, &before_, nullptr); }

 private:
  const int signal_;
  struct sigaction before_;
};

void reap_all(int) {
  const int before = errno;
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  errno = before;
}

void expect_both_results() {
  const ChildResult right = shell("echo one; echo two >&2");
  EXPECT_EQ(right.status, 0) << right.output;
  EXPECT_EQ(right.output, "one\ntwo\n");
  const ChildResult wrong = shell("echo why; exit 3");
  EXPECT_EQ(wrong.status, 3);
  EXPECT_EQ(wrong.output, "why\n");
}

TEST(ChildProcess, GivesStatusAndOutput) { expect_both_results(); }

// Whoever shows what a program said has something to show.
TEST(ChildProcess, SaysHowTheProgramEnded) {
  EXPECT_EQ(shell("echo why >&2; exit 3").reason(), "why\n");
  EXPECT_EQ(shell("exit 3").reason(), "it exited with status 3 and printed nothing");
  EXPECT_EQ(shell("echo; echo '  '; exit 3").reason(),
            "it exited with status 3 and printed nothing");
  // Some shells say it themselves.
  EXPECT_NE(shell("kill -KILL $$").reason().find("Killed"), std::string::npos);
  EXPECT_EQ(ChildResult{.signal = 9}.reason(),
            "it was killed by signal 9 (Killed) and printed nothing");
  EXPECT_EQ(run_child({"/bin/sh", "-c", "sleep 60"}, 0s).reason(), "it took longer than 0 s");
  EXPECT_NE(run_child({"/no/such/program"}, kPatience).reason().find("not found"),
            std::string::npos);
}

TEST(ChildProcess, TheHostMayIgnoreItsChildren) {
  const Handled ignored(SIGCHLD, SIG_IGN);
  expect_both_results();
}

TEST(ChildProcess, TheHostMayReapAllChildren) {
  const Handled handler(SIGCHLD, reap_all);
  expect_both_results();
  // The program has ended, and was reaped, before its output does.
  const ChildResult late = shell("(sleep 0.1; echo late) & exit 3");
  EXPECT_EQ(late.status, 3);
  EXPECT_EQ(late.output, "late\n");
}

// A compiler waits for the programs that it starts.
TEST(ChildProcess, TheChildMayWaitForItsOwnChildren) {
  const Handled ignored(SIGCHLD, SIG_IGN);
  const ChildResult result =
      run_child({"/bin/sed", "-n", "s/^SigIgn:.//p", "/proc/self/status"}, kPatience);
  const uint64_t ignored_signals = std::stoull(result.output, nullptr, 16);
  EXPECT_EQ(ignored_signals >> (SIGCHLD - 1) & 1, 0u) << result.output;
}

TEST(ChildProcess, SignalsThatTheHostIgnoresEndTheChild) {
  const Handled ignored(SIGPIPE, SIG_IGN);
  const ChildResult killed = shell("kill -PIPE $$; exit 0");
  EXPECT_EQ(killed.status, -1) << killed.output;
}

TEST(ChildProcess, SignalsThatTheHostBlocksEndTheChild) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const ChildResult killed = shell("kill -TERM $$; exit 0");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(killed.status, -1) << killed.output;
}

TEST(ChildProcess, TheHostMayHaveClosedItsStreams) {
  EXPECT_EXIT(
      {
        for (int file = 0; file <= 3; ++file) close(file);
        const ChildResult result = shell("echo one; echo two >&2; exit 3");
        _exit(result.status == 3 && result.output == "one\ntwo\n" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ChildProcess, AProgramThatIsNotThereFails) {
  EXPECT_NE(run_child({"/nowhere/program"}, kPatience).status, 0);
}

TEST(ChildProcess, OneThatTakesTooLongIsEnded) {
  for (const auto disposition : {SIG_DFL, SIG_IGN}) {
    const Handled handled(SIGCHLD, disposition);
    const ChildResult result = run_child({"/bin/sleep", "600"}, 50ms);
    EXPECT_TRUE(result.timed_out);
    EXPECT_LT(result.status, 0);
  }
}

// Its output has ended long before the program does.
TEST(ChildProcess, OneThatClosesItsOutputAndSleepsIsEnded) {
  const ChildResult result = run_child({"/bin/sh", "-c", "exec >&- 2>&-; exec sleep 600"}, 50ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_NE(result.output.find("it took longer than"), std::string::npos) << result.output;
}

// The process is gone, or waits for its parent to ask.
bool has_ended(const std::string& process) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    std::ifstream file("/proc/" + process + "/stat");
    std::string text;
    if (!std::getline(file, text) || text.find(") Z ") != std::string::npos) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

TEST(ChildProcess, NothingThatItStartedOutlivesIt) {
  for (const auto disposition : {SIG_DFL, SIG_IGN}) {
    const Handled handled(SIGCHLD, disposition);
    const ChildResult behind = shell("sleep 600 > /dev/null 2>&1 & echo $!");
    EXPECT_EQ(behind.status, 0);
    EXPECT_TRUE(has_ended(behind.output.substr(0, behind.output.find('\n')))) << behind.output;
    // What waits for the program and reports its status is its parent.
    const ChildResult alone = shell("echo $$; kill -KILL $PPID; exec >&- 2>&-; exec sleep 600");
    EXPECT_EQ(alone.status, -1);
    EXPECT_TRUE(has_ended(alone.output.substr(0, alone.output.find('\n')))) << alone.output;
  }
}

// Its limit is that process's. Nobody else would end it.
TEST(ChildProcess, ItEndsWithTheProcessThatWaitsForIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t waiting = fork();
  if (waiting == 0) {
    // Not one of the numbers that the program's files have.
    shell(dup2(ends[1], 9) == 9 ? "echo $$ >&9; exec sleep 600 9>&-" : "");
    _exit(0);
  }
  close(ends[1]);
  char text[32] = {};
  EXPECT_GT(read(ends[0], text, sizeof text - 1), 0);
  kill(waiting, SIGKILL);
  EXPECT_EQ(waitpid(waiting, nullptr, 0), waiting);
  EXPECT_TRUE(has_ended(std::string(text).substr(0, std::string(text).find('\n')))) << text;
  close(ends[0]);
}

}  // namespace
}  // namespace tandem
