// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/latency.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

// The slowest of frames beside the 95th percentile, and what threads take to wake up.
constexpr double kSlowest = 2, kWakeUp_s = 0.005;
// An answer that is less than that off stays: another one makes the sink jump.
constexpr double kSame = 0.1;

double room_for(double p95_s) { return std::max(kSlowest * p95_s, p95_s + kWakeUp_s); }

bool same(double a, double b) {
  if (!known(a) || !known(b)) return known(a) == known(b);
  return std::abs(a - b) <= kSame * b;
}

}  // namespace

bool BinLatency::decided(int frames_at_a_time, double p95_s) {
  const double seconds = room_for(p95_s);
  if (frames_at_a_time == frames_at_a_time_ && same(seconds, seconds_)) return false;
  frames_at_a_time_ = frames_at_a_time;
  seconds_ = known(p95_s) ? seconds : kUnknown;
  return true;
}

bool BinLatency::measured(double p95_s) {
  if (!(p95_s > seconds_)) return false;
  seconds_ = room_for(p95_s);
  return true;
}

// Frames that are computed side by side leave as many frame durations late, or the stages would not
// keep up.
uint64_t BinLatency::answer_ns(uint64_t frame_ns) const {
  const uint64_t most_ns = static_cast<uint64_t>(frames_at_a_time_) * frame_ns;
  if (!known(seconds_)) return most_ns;
  return std::min(most_ns, static_cast<uint64_t>(1e9 * seconds_));
}

}  // namespace tandem
