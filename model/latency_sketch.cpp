// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/latency_sketch.h"

#include <algorithm>
#include <bit>

#include "model/measurements.h"

namespace tandem {

void LatencySketch::add(uint64_t ns) {
  const uint64_t within = std::clamp(ns, uint64_t{1} << kFirstBit, (uint64_t{1} << kLastBit) - 1);
  const int bit = std::bit_width(within) - 1;
  const auto part = within >> (bit - kSubBits) & ((1u << kSubBits) - 1);
  ++buckets_[static_cast<std::size_t>(bit - kFirstBit) << kSubBits | part];
  ++count_;
}

double LatencySketch::percentile_s(int percent) const {
  if (count_ == 0) return kUnknown;
  const uint64_t rank = std::max<uint64_t>(1, (count_ * static_cast<uint64_t>(percent) + 99) / 100);
  std::size_t i = 0;
  for (uint64_t below = buckets_[0]; below < rank; below += buckets_[++i]) {
  }
  const int bit = kFirstBit + static_cast<int>(i >> kSubBits);
  const double part = static_cast<double>(i & ((1u << kSubBits) - 1)) + 0.5;
  const double octave_ns = static_cast<double>(uint64_t{1} << bit);
  return 1e-9 * octave_ns * (1 + part / (1 << kSubBits));
}

}  // namespace tandem
