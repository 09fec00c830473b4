// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "kernels/plane.h"
#include "kernels/util/stop.h"

namespace tandem {

/// Distributes the rows of one frame over threads, step by step, by work stealing. A thread
/// continues below the rows that it took last, because intermediate results of these serve the next
/// rows too. A thread without rows steals the lower half of the remaining rows of another one. A
/// thread waits only for rows that others are computing, and only if a later step has enough rows
/// for several threads, so that one thread alone finishes the frame. After a long wait it sleeps,
/// because the other thread may have lost its core.
class SharedRows {
 public:
  static constexpr int kMostThreads = 32;

  /// Rows for a thread to compute.
  struct Part {
    int step = 0;
    Rows rows;
    int until = 0;         ///< its own are these rows and those before `until`: it may write them
    bool goes_on = false;  ///< below the part that it computed before
  };

  /// Takes parts until none is left or `stop` returns true. Functions of `work`:
  ///   int steps()
  ///   int rows(int step)           at least 1; called once, by the thread that opens the step
  ///   int ahead()                  rows below a part that computing it may write as well
  ///   int least_steal()            fewest rows that a thread takes from another one
  ///   int part()                   most rows computed before it checks what others have taken
  ///   bool awaits(int step)        whether a thread without rows of `step` waits for a later one
  ///   void compute(const Part&)    if it throws, no thread waits for its rows
  template <typename Work>
  void share(Work&& work, Stop stop) {
    const int me = threads_.fetch_add(1, std::memory_order_relaxed);
    if (me >= kMostThreads) return;
    const Abandon abandon{*this};
    if (me == 0) open(work, me, 0);
    Part part;
    int waited = 0;
    while (!stop()) {
      const int opened = step_.load(std::memory_order_acquire);
      const int before = part.step, end = part.rows.end;
      if (take(me, work, part) || (steal(me, work) && take(me, work, part))) {
        part.goes_on = end > 0 && part.step == before && part.rows.begin == end;
        work.compute(part);
        waited = 0;
        const int count = part.rows.count();
        if (left_.fetch_sub(count, std::memory_order_acq_rel) == count)
          open(work, me, part.step + 1);
        continue;
      }
      if (!work.awaits(opened)) {
        abandon.nothing = true;
        return;
      }
      wait(opened, waited++);
    }
  }

  /// Whether all rows of all steps are computed.
  bool is_done(int steps) const { return step_.load(std::memory_order_acquire) == steps; }

 private:
  // A thread that leaves in the middle wakes the others, because it opens no further step.
  struct Abandon {
    SharedRows& shared;
    mutable bool nothing = false;
    ~Abandon() {
      if (!nothing) shared.reach(kNoMore);
    }
  };
  static constexpr int kNoMore = 1 << 20;  // steps that no work has

  // Spins first: others mostly need as long as for a part, and waking up takes longer than polling.
  // Then sleeps, because the awaited thread may need this core.
  void wait(int opened, int waited) {
#ifdef __x86_64__
    constexpr int kSpins = 1 << 13;  // a quarter to half of a millisecond
    if (waited < kSpins) return __builtin_ia32_pause();
#endif
    step_.wait(opened, std::memory_order_acquire);
  }

  void reach(int step) {
    step_.store(step, std::memory_order_release);
    step_.notify_all();
  }

  // Rows that a thread has not begun, and their step, in one word.
  struct Range {
    int step = 0;
    Rows rows;
  };
  static uint64_t pack(const Range& r) {
    return static_cast<uint64_t>(r.step) << 48 | static_cast<uint64_t>(r.rows.begin) << 24 |
           static_cast<uint64_t>(r.rows.end);
  }
  static Range unpack(uint64_t word) {
    constexpr uint64_t kMask = (1 << 24) - 1;
    return {static_cast<int>(word >> 48),
            {static_cast<int>(word >> 24 & kMask), static_cast<int>(word & kMask)}};
  }

  // On the thread that computed the last row of the step before.
  template <typename Work>
  void open(const Work& work, int me, int step) {
    if (step < work.steps()) {
      const int rows = work.rows(step);
      left_.store(rows, std::memory_order_relaxed);
      ranges_[me].store(pack({step, {0, rows}}), std::memory_order_release);
    }
    reach(step);
  }

  template <typename Work>
  bool take(int me, const Work& work, Part& part) {
    uint64_t word = ranges_[me].load(std::memory_order_acquire);
    for (;;) {
      const auto [step, rows] = unpack(word);
      if (rows.count() <= 0) return false;
      const int end = std::min(rows.begin + work.part(), rows.end);
      if (!ranges_[me].compare_exchange_weak(word, pack({step, {end, rows.end}}),
                                             std::memory_order_acq_rel))
        continue;
      part = {step, {rows.begin, end}, std::min(end + work.ahead(), rows.end), false};
      return true;
    }
  }

  // Takes from the thread with the most rows left: it keeps the upper half, and those that it may
  // write already.
  template <typename Work>
  bool steal(int me, const Work& work) {
    for (;;) {
      int victim = 0, most = 0;
      uint64_t word = 0;
      for (int i = 0; i < std::min(threads_.load(std::memory_order_relaxed), kMostThreads); ++i) {
        const uint64_t now = ranges_[i].load(std::memory_order_acquire);
        const int left = unpack(now).rows.count();
        if (left <= most) continue;
        victim = i;
        most = left;
        word = now;
      }
      const int kept = std::max(most / 2, work.ahead());
      if (most - kept < work.least_steal()) return false;
      const auto [step, rows] = unpack(word);
      const int cut = rows.begin + kept;
      if (!ranges_[victim].compare_exchange_strong(word, pack({step, {rows.begin, cut}}),
                                                   std::memory_order_acq_rel))
        continue;
      ranges_[me].store(pack({step, {cut, rows.end}}), std::memory_order_release);
      return true;
    }
  }

  std::atomic<int> threads_{0};  // that came
  std::atomic<int> step_{-1};    // at hand
  std::atomic<int> left_{0};     // rows of it that are not computed
  std::array<std::atomic<uint64_t>, kMostThreads> ranges_{};
};

}  // namespace tandem
