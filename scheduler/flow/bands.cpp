// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/bands.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <pthread.h>

#include <algorithm>
#include <thread>

#include "scheduler/machine/cores.h"

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

double BandPool::helpers_cpu_s() const { return 1e-9 * static_cast<double>(helpers_cpu_ns_); }

void BandPool::compute(Stage& stage, Item& item, int first, const std::atomic<bool>& stop) {
  const int rows = stage.rows(item);
  const auto band =
      static_cast<std::size_t>(std::max(1, (rows - first) / (cores_ * kBandsPerCore)));
  const std::thread::id nobody;
  const std::thread::id caller = caller_ == nobody ? std::this_thread::get_id() : caller_;
  arena_->arena.execute([&] {
    using Range = oneapi::tbb::blocked_range<int>;
    oneapi::tbb::parallel_for(
        Range(std::min(first, rows), rows, band),
        [&](const Range& r) {
          if (stop.load(std::memory_order_relaxed)) return;
          const bool helps = std::this_thread::get_id() != caller;
          const double before_s = helps ? thread_cpu_s(pthread_self()) : 0;
          stage.compute(item, r.begin(), r.end());
          if (helps)
            helpers_cpu_ns_ +=
                static_cast<uint64_t>(1e9 * (thread_cpu_s(pthread_self()) - before_s));
        },
        oneapi::tbb::simple_partitioner());
  });
}

void BandPool::beside(const std::function<void()>& here, const std::function<void()>& there) {
  arena_->arena.execute([&] {
    caller_ = std::this_thread::get_id();
    oneapi::tbb::task_group cores;
    cores.run([&] { there(); });
    here();
    cores.wait();
    caller_ = {};
  });
}

void BandPool::run(const std::function<void()>& here) {
  arena_->arena.execute([&] { here(); });
}

}  // namespace tandem
