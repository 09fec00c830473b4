// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <deque>

namespace tandem {

/// How long a stream stays slower than half of the best rate that is known.
class Slowness {
 public:
  explicit Slowness(double now_s) : since_s_(now_s) {}

  void frame_done(double now_s, double best_fps) {
    at_s_.push_back(now_s);
    while (at_s_.front() < now_s - kSeconds) at_s_.pop_front();
    if (fps() >= best_fps / 2) since_s_ = now_s;
    longest_s_ = std::max(longest_s_, now_s - since_s_);
  }

  /// Over the last kSeconds.
  double fps() const { return static_cast<double>(at_s_.size()) / kSeconds; }
  double longest_s() const { return longest_s_; }

 private:
  static constexpr double kSeconds = 0.1;  // in which rates are told
  std::deque<double> at_s_;
  double since_s_, longest_s_ = 0;
};

}  // namespace tandem
