// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/util/stop.h"

namespace tandem {

/// How far a frame is in a stage of several steps or passes, which follow each other: each is cut
/// into bands, and threads that come to the frame take bands until all is done. A thread waits only
/// for bands that another one computes already, so that one alone gets to the end, too.
class HostProgress {
 public:
  /// A step's pass, and one band of it.
  struct Band {
    int step = 0, pass = 0, band = 0;
  };
  static constexpr int kMostSteps = 1 << 15, kMostPasses = 1 << 16;

  /// Takes bands until everything is done, or `stop` says so; what `work` has:
  ///   int bands(int step)                 of each of its passes; at least 1
  ///   void enter(int step)                before the first pass
  ///   int compute(const Band&)            returns whether it asks for another pass
  ///   bool again(int step, int pass, int asked)  after a pass, on one thread
  ///   void leave(int step, int pass)      after the last one, on one thread
  ///   int steps()
  template <typename Work>
  void share(Work&& work, Stop stop) {
    uint64_t now = kBegin;
    if (place_.compare_exchange_strong(now, kEntering, std::memory_order_acquire)) {
      work.enter(0);
      place_.store(pack({}), std::memory_order_release);
    }
    while (!stop()) {
      now = place_.load(std::memory_order_acquire);
      if (now == kEnd) return;
      const Band taken = unpack(now);
      if (now == kEntering || taken.band >= work.bands(taken.step)) {
        pause();
      } else if (place_.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) {
        asked_.fetch_or(work.compute(taken), std::memory_order_relaxed);
        if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == work.bands(taken.step))
          advance(work, taken);
      }
    }
  }

 private:
  // Of what place_ has besides: step, pass and next band.
  static constexpr uint64_t kEnd = UINT64_MAX, kEntering = kEnd - 1, kBegin = kEnd - 2;

  static uint64_t pack(const Band& band) {
    return static_cast<uint64_t>(band.step) << 48 | static_cast<uint64_t>(band.pass) << 32 |
           static_cast<uint64_t>(band.band);
  }
  static Band unpack(uint64_t place) {
    return {static_cast<int>(place >> 48), static_cast<int>(place >> 32 & 0xffff),
            static_cast<int>(place & 0xffffffff)};
  }
  static void pause();

  // On the thread that computed the last band of a pass; the others wait.
  template <typename Work>
  void advance(Work& work, const Band& last) {
    const int asked = asked_.exchange(0, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    Band next{last.step, last.pass + 1, 0};
    if (!work.again(last.step, last.pass, asked)) {
      work.leave(last.step, last.pass);
      next = {last.step + 1, 0, 0};
      if (next.step < work.steps()) work.enter(next.step);
    }
    place_.store(next.step < work.steps() ? pack(next) : kEnd, std::memory_order_release);
  }

  std::atomic<uint64_t> place_{kBegin};
  std::atomic<int> done_{0}, asked_{0};  // of the pass at hand
};

}  // namespace tandem
