// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tandem {

/// Numbers that depend on the seed alone: the standard library's distributions differ between
/// libraries, and a training must produce the same model everywhere (Steele, Lea, Flood, OOPSLA
/// 2014).
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t state) : state_(state) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  /// 0 ... count - 1; the bias of the remainder is below count / 2^64.
  std::size_t below(std::size_t count) { return next() % count; }

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  uint64_t state_;
};

/// `stream` separates the uses of one seed, so that each can run on its own thread.
class Random : public SplitMix64 {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0)
      : SplitMix64(seed * 0x9e3779b97f4a7c15 + stream * 0xd1342543de82ef95) {
    next();
  }
};

}  // namespace tandem
