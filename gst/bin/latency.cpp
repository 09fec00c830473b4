// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gst/util/framerate.h"

namespace tandem::bin {
namespace {

// As coarse as the latency that the bin answers (kSame).
constexpr double kLonger = 1.1;
// From one block to the next: an interval that halves the answer.
constexpr double kShorter = 2;

// The slowest of frames beside the 95th percentile, and what threads take to wake up.
constexpr double kSlowest = 2, kWakeUp_s = 0.005;
// An answer that is less than that off stays: another one makes the sink jump.
constexpr double kSame = 0.1;

double room_for(double p95_s) { return std::max(kSlowest * p95_s, p95_s + kWakeUp_s); }

bool same(double a, double b) {
  if (!known(a) || !known(b)) return known(a) == known(b);
  return std::abs(a - b) <= kSame * b;
}

FrameInterval::Time time_or_none(GstClockTime time) {
  return GST_CLOCK_TIME_IS_VALID(time) ? FrameInterval::Time(time) : std::nullopt;
}

}  // namespace

void FrameInterval::caps(Time nominal_ns) {
  nominal_ = nominal_ns && *nominal_ns >= kShortestInterval_ns;
  if (nominal_) ns_ = std::min(*nominal_ns, kLongest_ns);
  known_ |= nominal_;
  estimated_ = blocks_ = false;
  count_ = 0;
}

// From the frame before to this one. Frames that go back in time have another beginning.
FrameInterval::Time FrameInterval::next(Time time_ns, Time duration_ns) {
  const Time last_ns = time_ns ? std::exchange(last_ns_, time_ns) : std::nullopt;
  if (last_ns && *time_ns >= *last_ns) return *time_ns - *last_ns;
  return duration_ns;
}

uint64_t FrameInterval::middle() const {
  std::array<uint64_t, kBlock> sorted = intervals_ns_;
  std::ranges::sort(sorted);
  constexpr int kQuarter = kBlock / 4;
  return std::accumulate(sorted.begin() + kQuarter, sorted.end() - kQuarter, uint64_t{0}) /
         (kBlock - 2 * kQuarter);
}

bool FrameInterval::came(Time time_ns, Time duration_ns) {
  const Time interval_ns = next(time_ns, duration_ns);
  if (nominal_ || !interval_ns) return false;
  intervals_ns_[count_++] = std::min(*interval_ns, kLongest_ns);
  const bool block = count_ == kBlock;
  if (block) count_ = 0;
  if (!block && estimated_) return false;
  const uint64_t estimate_ns = block ? middle() : intervals_ns_.front();
  if (estimate_ns == 0) return false;
  const double shorter = blocks_ ? kShorter : kLonger;
  estimated_ = true;
  blocks_ |= block;
  const auto estimate = static_cast<double>(estimate_ns), before = static_cast<double>(ns_);
  const bool other = estimate > kLonger * before || shorter * estimate < before;
  if (other) ns_ = estimate_ns;
  return !std::exchange(known_, true) || other;
}

bool Latency::decided(int frames_at_a_time, double p95_s) {
  const double seconds = room_for(p95_s);
  if (frames_at_a_time == frames_at_a_time_ && same(seconds, seconds_)) return false;
  frames_at_a_time_ = frames_at_a_time;
  seconds_ = known(p95_s) ? seconds : kUnknown;
  return true;
}

bool Latency::measured(double p95_s) {
  if (!(p95_s > seconds_)) return false;
  seconds_ = room_for(p95_s);
  return true;
}

// Frames that are computed side by side leave as many frame durations late, or the stages would not
// keep up.
uint64_t Latency::answer_ns(uint64_t frame_ns) const {
  const uint64_t most_ns = static_cast<uint64_t>(frames_at_a_time_) * frame_ns;
  if (!known(seconds_)) return most_ns;
  return std::min(most_ns, static_cast<uint64_t>(1e9 * seconds_));
}

FrameInterval::Time nominal_interval(const GstVideoInfo& info) {
  if (info.fps_n <= 0 || info.fps_d <= 0) return std::nullopt;
  return gst_util_uint64_scale(GST_SECOND, info.fps_d, info.fps_n);
}

bool frame_came(FrameInterval& interval, const GstBuffer* frame) {
  return interval.came(time_or_none(GST_BUFFER_PTS(frame)),
                       time_or_none(GST_BUFFER_DURATION(frame)));
}

void add_latency(GstQuery* query, uint64_t least_ns, int frames, uint64_t frame_ns) {
  gboolean live = FALSE;
  GstClockTime least = 0, most = 0;
  gst_query_parse_latency(query, &live, &least, &most);
  // None where the product overflows: there is no maximum then.
  const GstClockTime waiting = gst_util_uint64_scale(frame_ns, static_cast<guint64>(frames), 1);
  const bool bounded = GST_CLOCK_TIME_IS_VALID(most) && GST_CLOCK_TIME_IS_VALID(waiting);
  gst_query_set_latency(query, live, least + least_ns,
                        bounded ? most + waiting : GST_CLOCK_TIME_NONE);
}

}  // namespace tandem::bin
