// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages that the cores compute one after the other in bands: which rows are there when.
#include "scheduler/flow/bands.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/cores_stage.h"

namespace tandem {
namespace {

constexpr int kNothing = -1;

struct Planes : Item {
  Planes(int stages, int rows) : of(stages, std::vector<int>(rows, kNothing)) {}
  std::vector<std::vector<int>> of;
};

/// Row y of plane `to` is 1 and the sum of the rows y - halo ... y + halo of plane `from`.
class Sum final : public CoresStage {
 public:
  Sum(int number, int from, int to, int halo)
      : number_(number), from_(from), to_(to), halo_(halo) {}

  int rows(const Item& item) const override { return rows_of(item); }
  void compute(Item& item, int first, int last) override {
    if (computes_in_tasks)
      return oneapi::tbb::parallel_for(first, last, [&](int y) { compute_row(item, y); });
    for (int y = first; y < last; ++y) compute_row(item, y);
  }
  SplitRows needs(const Item& item, int producer, const SplitRows& rows) const override {
    if (producer != number_ - 1) return SplitRows::none(rows_of(item));
    return {std::min(rows_of(item), rows.device_end + halo_),
            std::max(0, rows.cores_begin - halo_)};
  }

  bool computes_in_tasks = false;
  std::atomic<bool>* stops = nullptr;  ///< set by the first band

 private:
  static int rows_of(const Item& item) {
    return static_cast<int>(static_cast<const Planes&>(item).of[0].size());
  }
  void compute_row(Item& item, int y) const {
    auto& planes = static_cast<Planes&>(item).of;
    if (stops) *stops = true;
    int sum = 1;
    const int last = std::min(rows_of(item) - 1, y + halo_);
    for (int at = std::max(0, y - halo_); from_ >= 0 && at <= last; ++at)
      sum = (sum * 31 + planes[from_][at]) % 1'000'003;
    // Some rows take much longer than others.
    volatile int left = y % 7 == 0 ? 2000 : 10;
    while (left > 0) left = left - 1;
    planes[to_][y] = from_ < 0 ? y : sum;
  }

  const int number_, from_, to_, halo_;
};

/// In which each thread waits with its first rows until all have some.
class FirstRows final : public CoresStage {
 public:
  explicit FirstRows(int threads) : threads_(threads) {}

  int rows(const Item&) const override { return kRows; }
  void compute(Item&, int first, int last) override {
    std::unique_lock lock(mutex_);
    if (of_.try_emplace(std::this_thread::get_id(), first).second) all_have_some_.notify_all();
    all_have_some_.wait(lock, [this] { return std::ssize(of_) == threads_; });
    rows_ += last - first;
  }
  /// Where each thread began.
  const std::map<std::thread::id, int>& of() const { return of_; }
  int computed() const { return rows_; }

  static constexpr int kRows = 480;

 private:
  const int threads_;
  std::mutex mutex_;
  std::condition_variable all_have_some_;
  std::map<std::thread::id, int> of_;
  int rows_ = 0;
};

class BandsTest : public testing::Test {
 protected:
  static std::vector<BandPool::Part> parts_of(std::vector<Sum>& stages, int first = 0) {
    std::vector<BandPool::Part> parts;
    for (int k = 0; k < std::ssize(stages); ++k) parts.push_back({&stages[k], k, first});
    return parts;
  }
  // One stage after the other, by one thread.
  static Planes expected(std::vector<Sum>& stages, int planes, int rows) {
    Planes item(planes, rows);
    for (Sum& stage : stages) stage.compute(item, 0, rows);
    return item;
  }

  const std::atomic<bool> goes_on_{false};
};

TEST_F(BandsTest, EachBandFindsTheRowsThatItNeeds) {
  std::vector<Sum> stages{{0, -1, 0, 0}, {1, 0, 1, 2}, {2, 1, 2, 0}, {3, 2, 3, 9}, {4, 3, 4, 1}};
  std::mt19937 random(7);
  for (const int cores : {1, 2, 3, 16}) {
    BandPool pool(cores);
    for (int i = 0; i < 40; ++i) {
      const int rows = std::uniform_int_distribution(1, 300)(random);
      Planes item(5, rows);
      pool.compute(parts_of(stages), item, goes_on_);
      ASSERT_EQ(item.of, expected(stages, 5, rows).of) << cores << " cores, " << rows << " rows";
    }
  }
}

TEST_F(BandsTest, AThreadBeginsWithItsOwnRowsInEveryStage) {
  if (oneapi::tbb::info::default_concurrency() < 2) GTEST_SKIP() << "one thread computes all here";
  BandPool pool(2);
  Item item;
  for (int frame = 0; frame < 3; ++frame) {
    for (int stage = 0; stage < 2; ++stage) {
      FirstRows first_rows(2);
      pool.compute(first_rows, item, 0, goes_on_);
      EXPECT_EQ(first_rows.computed(), FirstRows::kRows);
      for (const auto& [thread, row] : first_rows.of())
        EXPECT_EQ(row, thread == std::this_thread::get_id() ? 0 : FirstRows::kRows / 2);
    }
  }
}

// A third of what is left, in bands of an eighth: long ones first.
TEST_F(BandsTest, RowsAreTakenInPiecesThatGetShorter) {
  class Pieces final : public CoresStage {
   public:
    int rows(const Item&) const override { return 80; }
    void compute(Item&, int first, int last) override { taken.emplace_back(first, last); }
    std::vector<std::pair<int, int>> taken;
  } pieces;
  BandPool pool(1);
  Item item;
  pool.compute(pieces, item, 0, goes_on_);
  const std::vector<std::pair<int, int>> wanted{{0, 30}, {30, 50}, {50, 60}, {60, 70}, {70, 80}};
  EXPECT_EQ(pieces.taken, wanted);
}

TEST_F(BandsTest, NothingBeforeTheFirstRowIsComputedOrWaitedFor) {
  std::vector<Sum> stages{{0, -1, 0, 0}, {1, 0, 1, 0}};
  BandPool pool(2);
  for (const int first : {1, 39, 40}) {
    Planes item(2, 40);
    pool.compute(parts_of(stages, first), item, goes_on_);
    for (int y = 0; y < 40; ++y) EXPECT_EQ(item.of[1][y] == kNothing, y < first) << y;
  }
}

// Plane 0 is read with a halo and then written by the next stage, of which a row needs one row.
TEST_F(BandsTest, StagesThatComeAgainWaitForAllRows) {
  std::vector<Sum> stages{{0, 0, 1, 9}, {1, 1, 0, 0}};
  BandPool pool(4);
  for (int i = 0; i < 100; ++i) {
    Planes item(2, 200);
    item.repeat = {0, 1, 2};
    pool.compute(parts_of(stages), item, goes_on_);
    ASSERT_EQ(item.of, expected(stages, 2, 200).of);
  }
}

TEST_F(BandsTest, StagesMayHaveTasksOfTheirOwn) {
  std::vector<Sum> stages{{0, -1, 0, 0}, {1, 0, 1, 2}, {2, 1, 2, 5}};
  for (Sum& stage : stages) stage.computes_in_tasks = true;
  BandPool pool(4);
  for (int i = 0; i < 50; ++i) {
    Planes item(3, 100);
    pool.compute(parts_of(stages), item, goes_on_);
    ASSERT_EQ(item.of, expected(stages, 3, 100).of);
  }
}

TEST_F(BandsTest, BandsThatHaveNotBegunAreLeftOutAfterAStop) {
  std::vector<Sum> stages{{0, -1, 0, 0}, {1, 0, 1, 2}};
  std::atomic<bool> stop{false};
  stages[0].stops = &stop;
  BandPool pool(2);
  Planes item(2, 200);
  pool.compute(parts_of(stages), item, stop);
  EXPECT_EQ(std::ranges::count(item.of[1], kNothing), 200);
  EXPECT_GT(std::ranges::count(item.of[0], kNothing), 0);
}

}  // namespace
}  // namespace tandem
