// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/bands.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "scheduler/machine/cores.h"

namespace tandem {
namespace {

// Enough that a core that was held up does not hold up the frame.
constexpr int kBandsPerCore = 4;

}  // namespace

// oneTBB's threads come and go: what each takes of a processor between is the arena's.
class BandPool::Helpers final : public oneapi::tbb::task_scheduler_observer {
 public:
  explicit Helpers(oneapi::tbb::task_arena& arena) : task_scheduler_observer(arena) {
    observe(true);
  }
  ~Helpers() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    if (!is_worker) return;
    std::lock_guard lock(mutex_);
    present_.push_back({pthread_self(), thread_cpu_s(pthread_self())});
  }

  void on_scheduler_exit(bool is_worker) override {
    if (!is_worker) return;
    std::lock_guard lock(mutex_);
    const auto self = std::ranges::find_if(
        present_, [](const Present& p) { return pthread_equal(p.thread, pthread_self()) != 0; });
    if (self == present_.end()) return;
    gone_cpu_s_ += thread_cpu_s(self->thread) - self->cpu_s;
    present_.erase(self);
  }

  double cpu_s() const {
    std::lock_guard lock(mutex_);
    double sum_s = gone_cpu_s_;
    for (const Present& p : present_) sum_s += thread_cpu_s(p.thread) - p.cpu_s;
    return sum_s;
  }

 private:
  struct Present {
    pthread_t thread;
    double cpu_s;  // when it came
  };
  mutable std::mutex mutex_;
  std::vector<Present> present_;
  double gone_cpu_s_ = 0;
};

struct BandPool::Arena {
  // More than the machine has would only make oneTBB complain.
  explicit Arena(int cores) : arena(std::min(cores, oneapi::tbb::info::default_concurrency())) {}
  oneapi::tbb::task_arena arena;
  Helpers helpers{arena};
};

BandPool::BandPool(int cores) : cores_(cores), arena_(std::make_unique<Arena>(cores)) {}
BandPool::~BandPool() = default;

double BandPool::helpers_cpu_s() const { return arena_->helpers.cpu_s(); }

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
