// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "gst/bin/learning/framering.h"

namespace tandem::bin {

/// The thread on which a bin decides. The thread that pushes frames hands over facts and continues.
///
/// ```
///          first frame after a pause wakes the thread
/// asleep ---------------------------------------------> learn() ---> rests for kRest
///   ^                                                     ^              |
///   |                                                     +--------------+ frames came meanwhile
///   +--------------------------------------------------------------------+ none came
/// ```
///
/// A frame is learnt from within kRest after it was handed over, plus the time of the learn() under
/// way and of the kernel to schedule the thread. Frames that come closer together than kRest do not
/// wake the thread.
///
/// Lock order: mutex_ is a leaf. It is never held while learn() runs, so the thread that pushes
/// waits for it only as long as others set a flag.
class Learner {
 public:
  /// `learn` drains what was handed over. Called on the thread, with no lock held.
  explicit Learner(std::function<void()> learn);
  ~Learner() { end(); }

  /// For the thread that pushes frames. Allocates nothing. It waits only while the ring is full,
  /// because a lost frame would spoil the rate of the experiment under way. The wait ends with the
  /// decision and the message handlers under way, after which the thread empties the ring.
  void hand_over(const FrameTimes& times, uint32_t device_stages);
  /// Wakes the learner's thread if it sleeps. A call may come late: the kernel may stop the thread
  /// that pushes between a frame and the call, until the frame is learnt.
  void wake();
  /// Passes all that was handed over before the call to `take`, in order. For one thread at a time.
  template <class Take>
  void drain(Take&& take) {
    for (uint64_t frames = ring_.waiting(); frames > 0; --frames) {
      take(*ring_.front());
      ring_.pop();
      if (waits_for_space_) announce_space();
    }
  }
  /// Waits for the learn() under way. Returns at once on the learner's own thread.
  void wait_for_learn();

  /// Ends all waits; from now on a full ring loses frames. For flushes and state changes, which a
  /// message handler may cause on the learner's thread.
  void abort();
  void resume();
  /// Joins the thread. Facts that were not drained stay. Not for the learner's own thread:
  /// GStreamer forbids message handlers such state changes.
  void end();

 private:
  static constexpr std::chrono::milliseconds kRest{1};

  void run();
  void announce_space();

  const std::function<void()> learn_;
  FrameRing ring_;
  std::atomic<bool> asleep_{false};           // until wake()
  std::atomic<bool> waits_for_space_{false};  // the thread that pushes
  std::mutex mutex_;
  std::condition_variable changed_, space_, learnt_;
  bool learns_ = false, aborted_ = false, ended_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace tandem::bin
