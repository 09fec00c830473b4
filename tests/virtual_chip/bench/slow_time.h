// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>

namespace tandem::test {

/// Seconds in which a stream is slow: fewer frames left in the window of the last `window_s` than
/// at `least_fps`. The window counts as full when the stream begins.
class SlowTime {
 public:
  SlowTime(double begin_s, double window_s, double least_fps)
      : window_s_(window_s),
        needed_(static_cast<std::size_t>(std::max(1.0, std::ceil(least_fps * window_s)))),
        begin_s_(begin_s),
        now_s_(begin_s) {}

  void frame_left(double at_s) {
    pass(at_s);
    left_s_.push_back(at_s);
    if (left_s_.size() > needed_) left_s_.pop_front();
  }
  /// No frame leaves until then.
  void pass(double until_s) {
    const double enough_until_s = (left_s_.size() < needed_ ? begin_s_ : left_s_[0]) + window_s_;
    slow_s_ += std::max(0.0, until_s - std::max(now_s_, enough_until_s));
    now_s_ = until_s;
  }

  double slow_s() const { return slow_s_; }

 private:
  const double window_s_;
  const std::size_t needed_;
  const double begin_s_;
  double now_s_, slow_s_ = 0;
  std::deque<double> left_s_;  // the latest `needed_` frames
};

}  // namespace tandem::test
