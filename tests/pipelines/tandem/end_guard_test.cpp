// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/end_guard.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "pipelines/tandem/pipeline/interruption.h"

namespace tandem::test {
namespace {

using namespace std::chrono_literals;

class EndGuardDeath : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    signal(GetParam(), SIG_DFL);  // else the process inherits what nohup ignores
  }
};

// As LLVM's do, which resets its own at the first signal.
TEST_P(EndGuardDeath, ALibraryMayReplaceHandlers) {
  const auto work = [] {
    EndGuard& guard = EndGuard::start();
    guard.listen([](int) {});
    signal(GetParam(), SIG_DFL);
    kill(getpid(), GetParam());
    _exit(guard.wait_for(10s) ? 42 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(42), "");
}

TEST_P(EndGuardDeath, ResultsAreWrittenAfterAnInterruption) {
  const auto work = [] {
    Interruption::prepare();
    { const Interruption listening; }
    kill(getpid(), GetParam());
    const bool came = EndGuard::started()->wait_for(10s);
    _exit(came && !Interruption::came() ? 42 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(42), "");
}

TEST_P(EndGuardDeath, ASecondSignalEndsAnInterruption) {
  const auto work = [] {
    Interruption::prepare();
    const Interruption listening;
    kill(getpid(), GetParam());
    EndGuard::started()->wait_for(10s);
    kill(getpid(), SIGINT);
    std::this_thread::sleep_for(10s);
    _exit(1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(130), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, EndGuardDeath, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace tandem::test
