// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

namespace tandem {

/// Percentiles of any number of times, in 4 KB and without sorting. A time is counted in one of 32
/// buckets to each doubling, from 1 us to 18 minutes. A percentile is off by at most 1.6%, half of
/// a bucket. Allocates nothing.
class LatencySketch {
 public:
  void add(uint64_t ns);
  void clear() { *this = {}; }
  uint64_t count() const { return count_; }
  /// The percentile in seconds; unknown without any time.
  double percentile_s(int percent) const;

 private:
  static constexpr int kFirstBit = 10, kLastBit = 40, kSubBits = 5;

  uint64_t count_ = 0;
  std::array<uint32_t, (kLastBit - kFirstBit) << kSubBits> buckets_{};
};

}  // namespace tandem
