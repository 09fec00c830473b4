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
#include <array>
#include <thread>

#include "model/configuration.h"
#include "scheduler/machine/cores.h"

namespace tandem {
namespace {

// Enough that a core that was held up does not hold up the frame.
constexpr int kBandsPerCore = 8;
// How often a thread looks whether a band is done before it sleeps until then.
constexpr int kTurns = 256;

// Also after an exception, so that no thread waits forever.
class SetAtEnd {
 public:
  explicit SetAtEnd(std::span<std::atomic<bool>> flags) : flags_(flags) {}
  ~SetAtEnd() {
    for (std::atomic<bool>& flag : flags_) {
      flag.store(true, std::memory_order_release);
      flag.notify_all();
    }
  }
  SetAtEnd(const SetAtEnd&) = delete;
  SetAtEnd& operator=(const SetAtEnd&) = delete;

 private:
  std::span<std::atomic<bool>> flags_;
};

}  // namespace

struct BandPool::Arena {
  // More than the machine has would only make oneTBB complain.
  explicit Arena(int cores) : arena(std::min(cores, oneapi::tbb::info::default_concurrency())) {}
  oneapi::tbb::task_arena arena;
};

// The bands of a part: `count` of them, of the same number of rows or one more. The first is band
// `at` of all.
struct BandPool::Bands {
  Part part;
  int rows = 0;  // of the stage
  int at = 0, count = 0;

  int end() const { return at + count; }
  int first_row(int band) const { return part.first + (rows - part.first) * (band - at) / count; }
  int end_row(int band) const { return first_row(band + 1); }
  // The first band that has rows from this one on.
  int band_of(int row) const {
    if (row <= part.first) return at;
    int band = at + (row - part.first) * count / (rows - part.first);
    while (end_row(band) <= row) ++band;
    return band;
  }
};

// The bands of one part that one thread takes first.
struct alignas(64) BandPool::Share {
  std::atomic<int> next{0};  ///< the band that begins next
  int end = 0;

  struct Taken {
    int first, end;  ///< equal: none
  };
  /// Takes a third of the rest, rounded up: long pieces have fewer rows in common with their
  /// neighbours, short ones at the end leave no thread waiting.
  Taken take() {
    int first = next.load(std::memory_order_relaxed), taken = 0;
    do {
      if (first >= end) return {first, first};
      taken = (end - first + 2) / 3;
    } while (!next.compare_exchange_weak(first, first + taken, std::memory_order_relaxed));
    return {first, first + taken};
  }
};

struct BandPool::Job {
  Item& item;
  const std::atomic<bool>& stop;
  const std::thread::id caller;
  std::array<Bands, kMaxStages> parts{};
  int count = 0, bands = 0;
  bool in_order = false;  ///< a band waits for all rows of the stages before it
};

BandPool::BandPool(int cores)
    : cores_(cores),
      arena_(std::make_unique<Arena>(cores)),
      done_(std::make_unique<std::atomic<bool>[]>(
          static_cast<std::size_t>(kMaxStages * cores * kBandsPerCore))),
      shares_(std::make_unique<Share[]>(static_cast<std::size_t>(kMaxStages * cores))) {}
BandPool::~BandPool() = default;

double BandPool::helpers_cpu_s() const { return 1e-9 * static_cast<double>(helpers_cpu_ns_); }

BandPool::Share& BandPool::share(int part, int thread) {
  return shares_[static_cast<std::size_t>(part * cores_ + thread % cores_)];
}

// Each thread has a share of the bands of a part, of the same rows in every stage and frame. So its
// rows of the stage before are still in its cache. A thread that has used up its share takes bands
// of the others. Threads that wake up late find fewer bands, or none: nothing waits for a thread,
// except for the bands that it has begun.
void BandPool::compute(std::span<const Part> parts, Item& item, const std::atomic<bool>& stop) {
  const std::thread::id nobody;
  Job job{item, stop, caller_ == nobody ? std::this_thread::get_id() : caller_};
  for (const Part& part : parts) {
    const int rows = part.stage->rows(item);
    const int bands = std::clamp(rows - part.first, 0, cores_ * kBandsPerCore);
    for (int thread = 0; thread < cores_; ++thread) {
      Share& share = this->share(job.count, thread);
      share.next.store(job.bands + bands * thread / cores_, std::memory_order_relaxed);
      share.end = job.bands + bands * (thread + 1) / cores_;
    }
    job.parts[static_cast<std::size_t>(job.count++)] = {part, rows, job.bands, bands};
    job.bands += bands;
    job.in_order |= item.repeat.holds(part.number);
  }
  for (int band = 0; band < job.bands; ++band)
    done_[static_cast<std::size_t>(band)].store(false, std::memory_order_relaxed);
  const int threads = std::min(cores_, job.bands);
  arena_->arena.execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<int>(0, threads),
        [&](const auto&) {
          // While a stage waits for tasks of its own it must not begin to help here once more: it
          // could wait for the band that it computes.
          oneapi::tbb::this_task_arena::isolate([&] { help(job); });
        },
        oneapi::tbb::simple_partitioner());
  });
}

// All bands of a part have begun before a thread takes one of the next.
void BandPool::help(Job& job) {
  const bool helps = std::this_thread::get_id() != job.caller;
  const double before_s = helps ? thread_cpu_s(pthread_self()) : 0;
  // A thread that comes back to an arena mostly has the number that it had.
  const int thread = std::max(0, oneapi::tbb::this_task_arena::current_thread_index());
  for (int part = 0; part < job.count; ++part) {
    for (int other = 0; other < cores_; ++other) {
      Share& share = this->share(part, thread + other);
      for (auto taken = share.take(); taken.first != taken.end; taken = share.take())
        compute_bands(job, part, taken.first, taken.end);
    }
  }
  if (helps)
    helpers_cpu_ns_ += static_cast<uint64_t>(1e9 * (thread_cpu_s(pthread_self()) - before_s));
}

void BandPool::compute_bands(const Job& job, int part, int first_band, int end_band) {
  const Bands& mine = job.parts[static_cast<std::size_t>(part)];
  const int first = mine.first_row(first_band), end = mine.first_row(end_band);
  for (int p = 0; p < part; ++p) {
    const Bands& before = job.parts[static_cast<std::size_t>(p)];
    const SplitRows needed =
        job.in_order ? SplitRows{before.rows, 0}
                     : mine.part.stage->needs(job.item, before.part.number, {end, first});
    await(before, needed.cores_begin, needed.device_end);
  }
  const SetAtEnd done({&done_[static_cast<std::size_t>(first_band)],
                       static_cast<std::size_t>(end_band - first_band)});
  if (!job.stop.load(std::memory_order_relaxed)) mine.part.stage->compute(job.item, first, end);
}

// Until these rows are there. The bands that have them have begun. They are there in a moment,
// unless their thread has lost its core, which it may get back from this one.
void BandPool::await(const Bands& of, int first, int end) const {
  if (of.count == 0 || first >= of.rows) return;
  for (int band = of.band_of(first); band < of.end() && of.first_row(band) < end; ++band) {
    const std::atomic<bool>& done = done_[static_cast<std::size_t>(band)];
    for (int turn = 0; !done.load(std::memory_order_acquire); ++turn) {
      if (turn < kTurns)
        std::this_thread::yield();
      else
        done.wait(false, std::memory_order_acquire);
    }
  }
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
