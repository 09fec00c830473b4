// SPDX-License-Identifier: LGPL-2.1-or-later
// Items that device and cores compute together: which rows, in which order, and what becomes of
// them when the device fails.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "scheduler/flow/executor.h"
#include "scheduler/flow/split_plan.h"

namespace tandem {
namespace {

constexpr int kRows = 40, kCores = 2;
constexpr int kNothing = -1;

/// What each stage made of an item on each side: row by row, kNothing where it did not.
struct SplitItem : Item {
  explicit SplitItem(int stages) : host(stages, std::vector<int>(kRows, kNothing)), device(host) {}
  std::vector<std::vector<int>> host, device;
};

/// A row is the sum of rows `halo` above to `halo` below of the stage before and 1.
class SumStage final : public Stage {
 public:
  SumStage(int index, int halo, bool joins) : index_(index), halo_(halo), joins_(joins) {}

  std::string name() const override { return "sum"; }
  bool has_device(int) const override { return true; }
  Status prepare(Item& item) override {
    for (auto* side : {&of(item).host, &of(item).device}) (*side)[index_].assign(kRows, kNothing);
    return {};
  }
  Status begin(Item&) override { return {}; }
  int rows(const Item&) const override { return kRows; }
  void compute(Item& item, int first, int last) override {
    for (int y = first; y < last; ++y) of(item).host[index_][y] = sum(of(item).host, y);
  }
  Status enqueue(Item& item, bool) override {
    for (int y = 0; y < kRows; ++y) of(item).device[index_][y] = sum(of(item).device, y);
    return {};
  }
  Status enqueue_copy(Item&, bool) override { return {}; }
  Status finish(Item& item, bool on_device) override {
    if (on_device) of(item).host[index_] = of(item).device[index_];
    return {};
  }

  bool can_split() const override { return true; }
  bool joins() const override { return joins_; }
  SplitRows needs(const Item&, int producer, const SplitRows& rows) const override {
    if (producer != index_ - 1) return SplitRows::none(kRows);
    return {rows.device_end == 0 ? 0 : std::min(kRows, rows.device_end + halo_),
            std::max(0, rows.cores_begin - halo_)};
  }
  Status share(Item& item, const SplitRows&) override {
    if (index_ > 0) exchange(of(item), index_ - 1);
    return {};
  }
  Status enqueue_split(Item& item, const SplitRows& rows, bool) override {
    if (fails_at == index_) return Status::device_failed("lost");
    for (int y = 0; y < rows.device_end; ++y) of(item).device[index_][y] = sum(of(item).device, y);
    planned = rows;
    return {};
  }
  // What each side lacks is there from now on.
  Status finish_split(Item& item, const SplitRows&) override {
    if (joins_) exchange(of(item), index_);
    for (int y = 0; y < kRows; ++y)
      if (of(item).host[index_][y] == kNothing)
        of(item).host[index_][y] = of(item).device[index_][y];
    return {};
  }

  static inline std::atomic<int> fails_at{kNothing};
  SplitRows planned;

 private:
  static SplitItem& of(Item& item) { return static_cast<SplitItem&>(item); }
  // As memory does between segments: only what is complete goes from side to side.
  static void exchange(SplitItem& item, int stage) {
    auto &host = item.host[stage], &device = item.device[stage];
    if (host[kRows - 1] == kNothing) return;  // of this segment
    for (int y = 0; y < kRows; ++y) {
      if (device[y] == kNothing) device[y] = host[y];
      if (host[y] == kNothing) host[y] = device[y];
    }
  }
  int sum(const std::vector<std::vector<int>>& side, int y) const {
    if (index_ == 0) return y * y;
    int sum = 1;
    for (int at = std::max(0, y - halo_); at <= std::min(kRows - 1, y + halo_); ++at) {
      EXPECT_NE(side[index_ - 1][at], kNothing) << index_ << ": row " << at << " for " << y;
      sum += side[index_ - 1][at];
    }
    return sum;
  }

  const int index_, halo_;
  const bool joins_;
};

class LaneDevice final : public Device {
 public:
  Status start(int) override { return {}; }
  Status wait(int) override { return fails ? Status::device_failed("lost") : Status(); }
  std::atomic<bool> fails{false};
};

class Split : public testing::Test {
 protected:
  // A halo of 2, then a stage that joins, then a halo of 1.
  Split() : stages_{{0, 0, false}, {1, 2, false}, {2, 0, true}, {3, 1, false}} {
    for (SumStage& stage : stages_) pointers_.push_back(&stage);
    SumStage::fails_at = kNothing;
  }

  std::vector<int> run(const Configuration& configuration, int frames = 1) {
    Executor executor(pointers_, &device_, kCores,
                      [this](const std::string&, int) { ++failures_; });
    executor.configure(configuration);
    std::vector<std::unique_ptr<SplitItem>> items;
    for (int i = 0; i < frames; ++i) items.push_back(std::make_unique<SplitItem>(4));
    std::thread source([&] {
      for (auto& item : items) EXPECT_TRUE(executor.submit(item.get()));
    });
    for (int i = 0; i < frames; ++i) {
      Item* item = executor.take();
      EXPECT_EQ(item, items[i].get());
      EXPECT_TRUE(item->status.ok()) << item->status.message();
      executor.release();
    }
    source.join();
    for (const auto& item : items) EXPECT_EQ(item->host.back(), items[0]->host.back());
    times_ = items[0]->times;
    return items[0]->host.back();
  }

  static Configuration split(int percent, int frames_at_once = 1) {
    Configuration configuration{{0, 4}, Granularity::medium, kCores + 1};
    for (int k = 0; k < 4; ++k) configuration.mapping.set(k, Side::s);
    configuration.cpu_share = percent;
    configuration.frames_at_once = frames_at_once;
    return configuration;
  }

  std::vector<int> on_cores() { return run({{0, 4}, Granularity::medium, kCores + 1}); }

  LaneDevice device_;
  std::vector<SumStage> stages_;
  std::vector<Stage*> pointers_;
  FrameTimes times_;
  int failures_ = 0;
};

TEST_F(Split, EachSideHasTheRowsThatItsLaterOnesNeed) {
  SplitItem item(4);
  const int whole[] = {0, 1, 2};
  const SplitPlan plan = plan_split(pointers_, item, whole, 25);
  EXPECT_EQ(plan[2], (SplitRows{30, 30}));
  EXPECT_EQ(plan[1], (SplitRows{30, 30}));
  EXPECT_EQ(plan[0], (SplitRows{32, 28}));
}

TEST_F(Split, TheCoresHaveARowAndTheDeviceMayHaveNone) {
  SplitItem item(4);
  const int last[] = {3};
  EXPECT_EQ(plan_split(pointers_, item, last, 1)[0], (SplitRows{kRows - 1, kRows - 1}));
  EXPECT_EQ(plan_split(pointers_, item, last, 99)[0], (SplitRows{0, 0}));
}

TEST_F(Split, AnyShareComputesTheSame) {
  const std::vector<int> expected = on_cores();
  for (int percent = 1; percent < 100; ++percent) EXPECT_EQ(run(split(percent)), expected);
}

TEST_F(Split, BesideWholeStages) {
  const std::vector<int> expected = on_cores();
  for (const Side side : {Side::c, Side::g}) {
    for (int k = 0; k < 4; ++k) {
      Configuration configuration = split(37);
      configuration.mapping.set(k, side);
      // The stand-in for memory brings what a whole stage made to one side only.
      if (side == Side::g && k < 3) continue;
      EXPECT_EQ(run(configuration, 3), expected) << to_string(configuration);
    }
  }
}

TEST_F(Split, SeveralFramesAtATime) {
  const std::vector<int> expected = on_cores();
  EXPECT_EQ(run(split(37, 2), 50), expected);
  EXPECT_EQ(run({{0, 4}, Granularity::medium, kCores + 1, 1, 2}, 50), expected);
}

TEST_F(Split, TellsWhatEachSideTook) {
  run(split(50));
  EXPECT_GT(times_.split_cores_ns, 0U);
  EXPECT_GT(times_.split_device_ns, 0U);
  EXPECT_GT(times_.stage_ns[3], 0U);
}

TEST_F(Split, TheCoresComputeWhatAFailedDeviceLeaves) {
  const std::vector<int> expected = on_cores();
  for (const int stage : {0, 1, 2, 3}) {
    SumStage::fails_at = stage;
    failures_ = 0;
    EXPECT_EQ(run(split(37), 9), expected) << stage;
    EXPECT_EQ(failures_, 1);
  }
  SumStage::fails_at = kNothing;
  device_.fails = true;
  EXPECT_EQ(run(split(37), 9), expected);
}

}  // namespace
}  // namespace tandem
