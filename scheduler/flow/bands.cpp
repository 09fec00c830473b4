// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/bands.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

namespace tandem {
namespace {

// Enough that a core that was held up does not hold up the frame.
constexpr int kBandsPerCore = 4;

}  // namespace

struct BandPool::Arena {
  // More than the machine has would only make oneTBB complain.
  explicit Arena(int cores) : arena(std::min(cores, oneapi::tbb::info::default_concurrency())) {}
  oneapi::tbb::task_arena arena;
};

BandPool::BandPool(int cores) : cores_(cores), arena_(std::make_unique<Arena>(cores)) {}
BandPool::~BandPool() = default;

void BandPool::compute(Stage& stage, Item& item, const std::atomic<bool>& stop) {
  const int rows = stage.rows(item);
  const auto band = static_cast<std::size_t>(std::max(1, rows / (cores_ * kBandsPerCore)));
  arena_->arena.execute([&] {
    using Range = oneapi::tbb::blocked_range<int>;
    oneapi::tbb::parallel_for(
        Range(0, rows, band),
        [&](const Range& r) {
          if (!stop.load(std::memory_order_relaxed)) stage.compute(item, r.begin(), r.end());
        },
        oneapi::tbb::simple_partitioner());
  });
}

}  // namespace tandem
