// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/end_guard.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

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

INSTANTIATE_TEST_SUITE_P(Signals, EndGuardDeath, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace tandem::test
