// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/worker_rules.h"

#include <gtest/gtest.h>

#include <thread>

#include "pipelines/jobs/worker/job_run.h"

namespace tandem::test {
namespace {

using namespace std::chrono_literals;
using Act = WorkerRules::Act;

TEST(WorkerRules, AClaimIsKeptLongBeforeItEnds) {
  const WorkerRules rules{.claim_limit = 60s, .stall_limit = 300s};
  const WorkerRules::Time begin{};
  EXPECT_EQ(rules.while_running({begin, begin}, begin + 14s), Act::kNothing);
  EXPECT_EQ(rules.while_running({begin, begin}, begin + 15s), Act::kKeep);
  EXPECT_EQ(rules.while_running({begin + 15s, begin}, begin + 29s), Act::kNothing);
}

TEST(WorkerRules, AJobWithoutProgressFails) {
  const WorkerRules rules{.claim_limit = 60s, .stall_limit = 300s};
  const WorkerRules::Time begin{};
  EXPECT_EQ(rules.while_running({begin + 290s, begin}, begin + 299s), Act::kNothing);
  EXPECT_EQ(rules.while_running({begin + 290s, begin}, begin + 300s), Act::kFail);
  EXPECT_EQ(rules.while_running({begin + 290s, begin + 100s}, begin + 300s), Act::kNothing);
}

TEST(WorkerRules, AJobIsTriedSoOften) {
  const WorkerRules rules{.most_attempts = 3};
  EXPECT_TRUE(rules.may_try(3));
  EXPECT_FALSE(rules.may_try(4));
  EXPECT_TRUE(rules.may_try_again(2));
  EXPECT_FALSE(rules.may_try_again(3));
}

TEST(WorkerRules, AWorkerThatFailsLeavesJobsToOthers) {
  EXPECT_EQ(WorkerRules::pause_after(0), 0s);
  EXPECT_EQ(WorkerRules::pause_after(1), 1s);
  EXPECT_EQ(WorkerRules::pause_after(4), 8s);
  EXPECT_EQ(WorkerRules::pause_after(1000), 30s);
}

TEST(LineQueue, GivesBatchesInOrder) {
  LineQueue queue(7);
  EXPECT_EQ(queue.take().frames, 0U);
  const std::string half(LineQueue::kBatchBytes / 2, 'x');
  for (const std::string& line : {std::string("a\n"), std::string("b\n"), half, half}) {
    queue.push(line);
  }
  const ResultLines first = queue.take(), second = queue.take();
  EXPECT_EQ(first.first_frame, 7U);
  EXPECT_EQ(first.frames, 3U);
  EXPECT_EQ(first.text, "a\nb\n" + half);
  EXPECT_EQ(second.first_frame, 10U);
  EXPECT_EQ(second.text, half);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.pushed(), 4U);
}

TEST(LineQueue, FramesWaitWhileItIsFull) {
  LineQueue queue(0);
  queue.push(std::string(LineQueue::kMostBytes, 'x'));
  std::jthread pusher([&] {
    queue.push("next");  // waits for take()
    queue.push(std::string(LineQueue::kMostBytes, 'x'));
    queue.push("never");  // waits for close()
  });
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(queue.take().frames, 1U);
  while (queue.pushed() < 3) std::this_thread::yield();
  queue.close();
  pusher.join();
  EXPECT_EQ(queue.pushed(), 3U);
}

}  // namespace
}  // namespace tandem::test
