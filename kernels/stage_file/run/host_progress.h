// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "kernels/util/stop.h"

namespace tandem {

/// The progress of a frame in a stage of several consecutive steps or passes. Each pass is cut into
/// bands. Threads that join the frame take bands until all are done. A thread waits only for bands
/// that other threads are computing, so that one thread alone finishes the frame too.
class HostProgress {
 public:
  /// A step's pass, and one band of it.
  struct Band {
    int step = 0, pass = 0, band = 0;
  };
  static constexpr int kMostSteps = 1 << 15, kMostPasses = 1 << 16;

  /// Takes bands until all are done or `stop` returns true. Functions of `work`:
  ///
  /// | function | called |
  /// | --- | --- |
  /// | int steps() | for the number of steps |
  /// | int bands(int step) | for the bands of each of the step's passes, at least one |
  /// | void enter(int step) | before the first pass |
  /// | int compute(const Band&) | for a band; returns whether it requests another pass |
  /// | bool again(int step, int pass, int asked) | after a pass, on one thread |
  /// | void leave(int step, int pass) | after the last pass, on one thread |
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
        // Bands last some ten microseconds, and a machine may have fewer cores than threads.
        std::this_thread::yield();
      } else if (place_.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) {
        asked_.fetch_or(work.compute(taken), std::memory_order_relaxed);
        if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == work.bands(taken.step))
          advance(work, taken);
      }
    }
  }

 private:
  // Bits of place_ for step, pass and next band.
  static constexpr uint64_t kEnd = UINT64_MAX, kEntering = kEnd - 1, kBegin = kEnd - 2;

  static uint64_t pack(const Band& band) {
    return static_cast<uint64_t>(band.step) << 48 | static_cast<uint64_t>(band.pass) << 32 |
           static_cast<uint64_t>(band.band);
  }
  static Band unpack(uint64_t place) {
    return {static_cast<int>(place >> 48), static_cast<int>(place >> 32 & 0xffff),
            static_cast<int>(place & 0xffffffff)};
  }

  // Runs on the thread that computed the last band of a pass; the others wait.
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
  std::atomic<int> done_{0}, asked_{0};  // of the current pass
};

}  // namespace tandem
