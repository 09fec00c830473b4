// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <deque>

namespace tandem {

/// How long a stream stays slower than half of the best rate that is known.
class Slowness {
 public:
  static constexpr double kWindow_s = 0.1;

  /// Rates are those of the last `window_s`.
  explicit Slowness(double now_s, double window_s = kWindow_s)
      : window_s_(window_s), since_s_(now_s) {}

  void frame_done(double now_s, double best_fps) {
    at_s_.push_back(now_s);
    while (at_s_.front() < now_s - window_s_) at_s_.pop_front();
    if (fps() >= best_fps / 2) since_s_ = now_s;
    if (now_s - since_s_ <= longest_s_) return;
    longest_s_ = now_s - since_s_;
    longest_since_s_ = since_s_;
  }

  double fps() const { return static_cast<double>(at_s_.size()) / window_s_; }
  double longest_s() const { return longest_s_; }
  /// When that began.
  double longest_since_s() const { return longest_since_s_; }

 private:
  double window_s_;
  std::deque<double> at_s_;
  double since_s_, longest_s_ = 0, longest_since_s_ = 0;
};

}  // namespace tandem
