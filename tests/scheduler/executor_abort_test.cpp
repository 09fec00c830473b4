// SPDX-License-Identifier: LGPL-2.1-or-later
// What abort() leaves undone: nobody waits for the rest of a long frame.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/scheduler/test_stages.h"

namespace tandem {
namespace {

constexpr int kRounds = 1'000'000;

/// Takes as long for whatever was enqueued.
class SlowDevice final : public Device {
 public:
  Status start(int) override { return {}; }
  Status wait(int) override {
    ++waits;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return {};
  }
  std::atomic<int> waits{0};
};

class Abort : public testing::Test {
 protected:
  void make(int stages) {
    for (int k = 0; k < stages; ++k) {
      stages_.push_back(std::make_unique<TestStage>(world_, k));
      pointers_.push_back(stages_.back().get());
    }
    executor_ = std::make_unique<Executor>(pointers_, &device_, 2);
  }

  void expect_left(TestItem& item) {
    executor_->abort();
    executor_->rest();
    ASSERT_EQ(executor_->take(), &item);
    executor_->release();
    EXPECT_FALSE(item.status.ok()) << "what was not computed is no result";
    EXPECT_EQ(executor_->take(), nullptr);
    executor_->resume();
    TestItem next;
    ASSERT_TRUE(executor_->submit(&next));
    ASSERT_EQ(executor_->take(), &next);
    EXPECT_TRUE(next.status.ok());
    executor_->release();
  }

  World world_;
  SlowDevice device_;
  std::vector<std::unique_ptr<TestStage>> stages_;
  std::vector<Stage*> pointers_;
  std::unique_ptr<Executor> executor_;
};

TEST_F(Abort, LeavesTheRoundsOfADeviceRun) {
  make(3);
  executor_->configure({{7, 3}, Granularity::coarse, 1});
  TestItem item;
  item.repeat = {0, 2, kRounds};
  ASSERT_TRUE(executor_->submit(&item));
  while (device_.waits < 3 && executor_->stats().frames == 0) std::this_thread::yield();
  expect_left(item);
  EXPECT_LT(item.device[0], kRounds);
}

TEST_F(Abort, LeavesTheStagesThatAreTimedApart) {
  make(3);
  executor_->configure({{7, 3}, Granularity::coarse, 1}, true);
  TestItem item;
  item.repeat = {0, 2, kRounds};
  ASSERT_TRUE(executor_->submit(&item));
  while (device_.waits < 3) std::this_thread::yield();
  expect_left(item);
  EXPECT_LT(item.device[0], kRounds);
}

// Its first frame finds out what a piece is: at first one stage.
TEST_F(Abort, AShortDeviceRunIsNotCut) {
  make(3);
  TestDevice quick(world_);
  Executor executor(pointers_, &quick, 2);
  executor.configure({{7, 3}, Granularity::coarse, 1});
  for (const int waits : {2, 3, 4}) {
    TestItem item;
    ASSERT_TRUE(executor.submit(&item));
    ASSERT_EQ(executor.take(), &item);
    executor.release();
    EXPECT_EQ(world_.waits, waits);
  }
}

TEST_F(Abort, LeavesTheRoundsOnTheCpu) {
  make(3);
  for (const Granularity granularity : {Granularity::coarse, Granularity::medium}) {
    executor_->configure({{0, 3}, granularity, 1});
    auto item = std::make_unique<TestItem>();
    item->repeat = {0, 2, kRounds};
    ASSERT_TRUE(executor_->submit(item.get()));
    while (world_.passed < 3) std::this_thread::yield();
    expect_left(*item);
    EXPECT_LT(world_.passed, kRounds);
    world_.passed = 0;
  }
}

/// Whose first bands take until the test lets them go.
class LongStage final : public Stage {
 public:
  std::string name() const override { return "long"; }
  bool has_device() const override { return false; }
  Status prepare(Item&) override { return {}; }
  Status begin(Item&) override { return {}; }
  int rows(const Item&) const override { return 1000; }
  void compute(Item&, int first, int last) override {
    began = true;
    rows_begun += last - first;
    while (!go) std::this_thread::yield();
  }
  Status enqueue(Item&, bool) override { return {}; }
  Status enqueue_copy(Item&, bool) override { return {}; }
  Status finish(Item&, bool) override {
    finished = true;
    return {};
  }
  std::atomic<bool> began{false}, go{false}, finished{false};
  std::atomic<int> rows_begun{0};
};

TEST(AbortOfALongStage, LeavesItsBands) {
  for (const Granularity granularity : {Granularity::coarse, Granularity::medium}) {
    LongStage stage;
    Executor executor({&stage}, nullptr, 2);
    executor.configure({{0, 1}, granularity, 1});
    TestItem item;
    ASSERT_TRUE(executor.submit(&item));
    while (!stage.began) std::this_thread::yield();
    executor.abort();
    stage.go = true;
    executor.rest();
    ASSERT_EQ(executor.take(), &item);
    executor.release();
    EXPECT_FALSE(item.status.ok());
    EXPECT_FALSE(stage.finished) << "some of its rows are missing";
    EXPECT_LT(stage.rows_begun, 500);
  }
}

}  // namespace
}  // namespace tandem
