// SPDX-License-Identifier: LGPL-2.1-or-later
// Items that a device computes in bands: which rows, in which order, which stages are whole, and
// what becomes of them when the device fails.
#include <gtest/gtest.h>

#include <atomic>

#include "scheduler/flow/executor.h"
#include "scheduler/flow/split_plan.h"

namespace tandem {
namespace {

constexpr int kRows = 40, kStages = 4, kNothing = -1;

/// What each stage made of an item, row by row, and how: the sizes of its bands, 0 for all at once.
struct BandItem : Item {
  BandItem() : made(kStages, std::vector<int>(kRows, kNothing)), bands(kStages) {}
  std::vector<std::vector<int>> made, bands;
};

/// A row is the sum of rows `halo` above to `halo` below of the stage before and 1; of a stage that
/// is not cut, of all of them.
class SumOfRows final : public Stage {
 public:
  SumOfRows(int index, int halo, bool cut, int rows = kRows)
      : index_(index), halo_(halo), cut_(cut), rows_(rows) {}

  std::string name() const override { return "sum"; }
  bool has_device(int) const override { return true; }
  bool has_bands() const override { return cut_; }
  Status prepare(Item& item) override {
    of(item).made[index_].assign(kRows, kNothing);
    of(item).bands[index_].clear();
    return {};
  }
  Status begin(Item&) override { return {}; }
  int rows(const Item&) const override { return rows_; }
  void compute(Item& item, int first, int last) override {
    for (int y = first; y < last; ++y) of(item).made[index_][y] = sum(of(item), y);
  }
  Status enqueue(Item& item, bool) override {
    compute(item, 0, rows_);
    of(item).bands[index_].push_back(0);
    return {};
  }
  Status enqueue_band(Item& item, int first, int last, bool) override {
    if (fails_at == index_ && first > 0) return Status::device_failed("lost");
    EXPECT_EQ(first == 0 ? kNothing : of(item).made[index_][first], kNothing);
    if (first > 0) {
      EXPECT_NE(of(item).made[index_][first - 1], kNothing);
    }
    compute(item, first, last);
    of(item).bands[index_].push_back(last - first);
    return {};
  }
  Status enqueue_copy(Item&, bool) override { return {}; }
  Status finish(Item& item, bool) override {
    for (int y = 0; y < rows_; ++y) EXPECT_NE(of(item).made[index_][y], kNothing) << y;
    return {};
  }
  SplitRows needs(const Item&, int producer, const SplitRows& rows) const override {
    if (producer != index_ - 1) return SplitRows::none(kRows);
    return {rows.device_end == 0 ? 0 : std::min(kRows, rows.device_end + halo_),
            std::max(0, rows.cores_begin - halo_)};
  }

  static inline std::atomic<int> fails_at{kNothing};

 private:
  static BandItem& of(Item& item) { return static_cast<BandItem&>(item); }
  int sum(const BandItem& item, int y) const {
    if (index_ == 0) return y * y;
    const int halo = cut_ ? halo_ : kRows;
    int sum = 1;
    for (int at = std::max(0, y - halo); at <= std::min(kRows - 1, y + halo); ++at) {
      const int value = item.made[index_ - 1][at];
      if (cut_) {
        EXPECT_NE(value, kNothing) << index_ << ": row " << at << " for " << y;
      }
      sum += std::max(0, value);
    }
    return sum;
  }

  const int index_, halo_;
  const bool cut_;
  const int rows_;
};

class OneLane final : public Device {
 public:
  Status start(int) override { return ++starts, Status(); }
  Status wait(int) override { return fails ? Status::device_failed("lost") : Status(); }
  std::atomic<int> starts{0};
  std::atomic<bool> fails{false};
};

class Bands : public testing::Test {
 protected:
  // Halos of 2 and 3.
  Bands() : stages_{{0, 0, true}, {1, 2, true}, {2, 3, true}, {3, 0, true}} {
    SumOfRows::fails_at = kNothing;
  }

  // The last of several items: the first ones tell how long stages take.
  BandItem run(int tasks, Repeat repeat = {}) {
    std::vector<Stage*> pointers;
    for (SumOfRows& stage : stages_) pointers.push_back(&stage);
    Executor executor(pointers, &device_, 2);
    Configuration configuration{{0b1111, kStages}, Granularity::coarse, 1};
    configuration.tasks = tasks;
    executor.configure(configuration);
    BandItem item;
    for (int i = 0; i < 12; ++i) {
      item = BandItem();
      item.repeat = repeat;
      EXPECT_TRUE(executor.submit(&item));
      EXPECT_EQ(executor.take(), &item);
      EXPECT_TRUE(item.status.ok()) << item.status.message();
      executor.release();
    }
    in_bands_ = executor.stats().frames_in_bands;
    return item;
  }

  OneLane device_;
  std::vector<SumOfRows> stages_;
  uint64_t in_bands_ = 0;
};

TEST_F(Bands, EachStageIsAheadByWhatLaterOnesNeed) {
  std::vector<Stage*> pointers;
  for (SumOfRows& stage : stages_) pointers.push_back(&stage);
  BandItem item;
  const int all[] = {0, 1, 2, 3};
  const SplitPlan first = plan_bands(pointers, item, all, 1, 4);
  EXPECT_EQ(first[3].device_end, 10);
  EXPECT_EQ(first[2].device_end, 10);
  EXPECT_EQ(first[1].device_end, 13);
  EXPECT_EQ(first[0].device_end, 15);
  const SplitPlan last = plan_bands(pointers, item, all, 4, 4);
  for (int k = 0; k < kStages; ++k) EXPECT_EQ(last[k].device_end, kRows);
}

TEST_F(Bands, AnyNumberComputesTheSameOnce) {
  const BandItem whole = run(1);
  EXPECT_EQ(in_bands_, 0U);
  EXPECT_EQ(whole.bands[3], std::vector{0});
  for (int tasks = 2; tasks <= kMaxTasks; ++tasks) {
    const BandItem got = run(tasks);
    EXPECT_EQ(got.made, whole.made);
    EXPECT_EQ(got.bands[3].size(), static_cast<std::size_t>(tasks));
    EXPECT_GT(in_bands_, 0U);
  }
}

TEST_F(Bands, WhatIsNotCutIsWhole) {
  stages_.clear();
  for (int k = 0; k < kStages; ++k) stages_.emplace_back(k, 1, k != 2);
  const BandItem whole = run(1), got = run(4);
  EXPECT_EQ(got.made, whole.made);
  EXPECT_EQ(got.bands[1].size(), 4U);
  EXPECT_EQ(got.bands[2], std::vector{0});
  EXPECT_EQ(got.bands[3].size(), 4U);
}

TEST_F(Bands, RoundsInTheMiddleAreWhole) {
  const Repeat repeat{1, 2, 5};
  const BandItem whole = run(1, repeat), got = run(4, repeat);
  EXPECT_EQ(got.made, whole.made);
  EXPECT_EQ(got.bands[0].size(), 4U);
  EXPECT_EQ(got.bands[3].size(), 4U);
}

TEST_F(Bands, RowsThatNobodyReadsAreComputed) {
  stages_.clear();
  for (int k = 0; k < kStages; ++k) stages_.emplace_back(k, 0, true, k == 3 ? kRows / 2 : kRows);
  run(3);  // finish() looks
  EXPECT_GT(in_bands_, 0U);
}

TEST_F(Bands, ThoseOfAFailedDeviceAreComputedAgain) {
  const BandItem whole = run(1);
  for (int k = 0; k < kStages; ++k) {
    SumOfRows::fails_at = k;
    EXPECT_EQ(run(4).made, whole.made) << k;
  }
  SumOfRows::fails_at = kNothing;
  device_.fails = true;
  EXPECT_EQ(run(4).made, whole.made);
}

TEST_F(Bands, EachIsHandedToTheDevice) {
  run(1);
  const int whole = device_.starts.exchange(0);
  run(4);
  EXPECT_GT(device_.starts, whole);
}

}  // namespace
}  // namespace tandem
