// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

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

struct SlowStretch {
  double lasted_s = 0, since_s = 0;
};

/// The longest one until `until_s` of a stream whose frames left at `departures_s`: the rate of
/// 0.1 s by the best of all windows of 0.1 s before, one after the other. They last as long as a
/// frame takes where that is longer, as frames of threads side by side leave in bursts. A stream
/// that stands still until the end counts too.
inline SlowStretch slow_stretch(const std::vector<double>& departures_s, double until_s,
                                double latency_s) {
  const double window_s = std::max(Slowness::kWindow_s, latency_s);
  if (departures_s.empty()) return {};
  Slowness slowness(departures_s[0], window_s);
  double best_fps = 0, next_s = departures_s[0] + window_s, last_s = departures_s[0];
  for (const double at_s : departures_s) {
    if (at_s > until_s) break;
    last_s = at_s;
    slowness.frame_done(at_s, best_fps);
    if (at_s < next_s) continue;
    best_fps = std::max(best_fps, slowness.fps());
    next_s = at_s + window_s;
  }
  if (until_s - last_s > slowness.longest_s()) return {until_s - last_s, last_s};
  return {slowness.longest_s(), slowness.longest_since_s()};
}

}  // namespace tandem
