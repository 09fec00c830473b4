// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/frameinterval.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gst/util/framerate.h"

namespace tandem {
namespace {

// As coarse as the latency that the bin answers (kSame in binlatency.cpp).
constexpr double kLonger = 1.1;
// From one block to the next: an interval that halves the answer.
constexpr double kShorter = 2;

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

}  // namespace tandem
