// SPDX-License-Identifier: LGPL-2.1-or-later
// What abort() leaves undone: nobody waits for the rest of a long frame.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/scheduler/flow/test_stages.h"
#include "tests/support/cores_stage.h"

namespace tandem {
namespace {

constexpr int kRounds = 1'000'000;

std::atomic<uint64_t> virtual_ns;  // no test depends on how long it takes

uint64_t virtual_clock() { return virtual_ns; }

/// Takes as long for whatever was enqueued.
class SlowDevice final : public Device {
 public:
  Status start(int) override { return {}; }
  Status wait(int) override {
    ++waits;
    virtual_ns += 20'000'000;
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
    executor_ = std::make_unique<Executor>(pointers_, &device_, 2, nullptr, virtual_clock);
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
class LongStage final : public CoresStage {
 public:
  int rows(const Item&) const override { return 1000; }
  void compute(Item&, int first, int last) override {
    began = true;
    rows_begun += last - first;
    while (!go) std::this_thread::yield();
  }
  Status finish(Item&, bool) override {
    finished = true;
    return {};
  }
  std::atomic<bool> began{false}, go{false}, finished{false};
  std::atomic<int> rows_begun{0};
};

/// A device that runs one command after the other, each for so long.
class CommandDevice final : public Device {
 public:
  Status start(int) override { return {}; }
  Status wait(int) override {
    ++waits;
    return {};
  }
  void pace(int, const std::atomic<bool>* stop) override {
    stop_ = stop;
    paced += stop != nullptr;
  }
  Status command(uint64_t ns) {
    ++commands;
    virtual_ns += ns;
    return stop_ && *stop_ ? Status::device_failed("stopped") : Status();
  }
  std::atomic<int> commands{0}, paced{0}, waits{0};

 private:
  std::atomic<const std::atomic<bool>*> stop_{nullptr};
};

/// Of many commands; with one of them it waits until the test lets it go.
class CommandStage final : public Stage {
 public:
  static constexpr int kCommands = 1000;
  explicit CommandStage(CommandDevice& device) : device_(device) {}
  std::string name() const override { return "commands"; }
  bool has_device(int) const override { return true; }
  Status prepare(Item&) override { return {}; }
  Status begin(Item&) override { return {}; }
  int rows(const Item&) const override { return 1; }
  void compute(Item&, int, int) override { ADD_FAILURE() << "the device did not fail"; }
  Status enqueue(Item&, bool) override {
    Status status;
    for (int i = 0; i < kCommands && status.ok(); ++i) {
      status = device_.command(command_ns);
      while (i == waits_at && !go) std::this_thread::yield();
    }
    return status;
  }
  Status enqueue_copy(Item&, bool) override { return {}; }
  Status finish(Item&, bool) override { return {}; }
  uint64_t command_ns = 1000;
  std::atomic<int> waits_at{-1};
  std::atomic<bool> go{false};

 private:
  CommandDevice& device_;
};

class AbortOfALongDeviceStage : public testing::Test {
 protected:
  void pass_one() {
    device_.waits = device_.paced = 0;
    TestItem item;
    ASSERT_TRUE(executor_.submit(&item));
    ASSERT_EQ(executor_.take(), &item);
    EXPECT_TRUE(item.status.ok());
    executor_.release();
  }
  void expect_left() {
    stages_[0].waits_at = 2;
    device_.commands = 0;
    TestItem item;
    ASSERT_TRUE(executor_.submit(&item));
    while (device_.commands < 3) std::this_thread::yield();
    executor_.abort();
    stages_[0].go = true;
    executor_.rest();
    ASSERT_EQ(executor_.take(), &item);
    executor_.release();
    EXPECT_FALSE(item.status.ok());
    EXPECT_LT(device_.commands, 10) << "of " << CommandStage::kCommands;
    EXPECT_EQ(failures_, 0) << "an abort is no failure of the device";
  }

  CommandDevice device_;
  CommandStage stages_[2]{CommandStage(device_), CommandStage(device_)};
  std::atomic<int> failures_{0};
  Executor executor_{{&stages_[0], &stages_[1]},
                     &device_,
                     2,
                     [this](const std::string&, int) { ++failures_; },
                     virtual_clock};
};

TEST_F(AbortOfALongDeviceStage, LeavesItsCommandsWhenItIsNotKnown) {
  executor_.configure({{3, 2}, Granularity::coarse, 1});
  expect_left();
}

TEST_F(AbortOfALongDeviceStage, LeavesItsCommandsWhenItIsLong) {
  stages_[0].command_ns = 1'000'000;  // a second in all
  executor_.configure({{3, 2}, Granularity::coarse, 1});
  for (int i = 0; i < 3; ++i) pass_one();
  expect_left();
}

TEST_F(AbortOfALongDeviceStage, LeavesItsCommandsWhenStagesAreTimedApart) {
  executor_.configure({{3, 2}, Granularity::coarse, 1}, true);
  expect_left();
}

// The first item finds out what the stages take.
TEST_F(AbortOfALongDeviceStage, AShortRunIsWaitedForOnce) {
  for (CommandStage& stage : stages_) stage.command_ns = 49'000;
  executor_.configure({{3, 2}, Granularity::coarse, 1});
  for (int i = 0; i < 3; ++i) {
    pass_one();
    EXPECT_EQ(device_.waits, i == 0 ? 2 : 1);
    EXPECT_EQ(device_.paced, i == 0 ? 2 : 0);
  }
  executor_.configure({{1, 2}, Granularity::coarse, 1});
  executor_.configure({{3, 2}, Granularity::coarse, 1});
  pass_one();
  EXPECT_EQ(device_.waits, 1) << "what stages take is still known";
  executor_.frames_change();
  pass_one();
  EXPECT_EQ(device_.waits, 2);
}

TEST_F(AbortOfALongDeviceStage, ARunOfStagesThatGetLongerIsCutAgain) {
  executor_.configure({{3, 2}, Granularity::coarse, 1});
  for (int i = 0; i < 2; ++i) pass_one();
  EXPECT_EQ(device_.paced, 0);
  for (CommandStage& stage : stages_) stage.command_ns = 1'000'000;
  pass_one();
  for (int i = 0; i < 2; ++i) {
    pass_one();
    EXPECT_EQ(device_.paced, 2);
    EXPECT_EQ(device_.waits, 2);
  }
}

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
