// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/network/network.h"

namespace tandem::network::test {

using Elements = std::vector<float>;

/// Elements from -1 to 1, the same on each machine.
inline Elements noise(int64_t count, uint32_t seed = 1) {
  Elements result(static_cast<std::size_t>(count));
  for (float& element : result) {
    seed = seed * 1664525 + 1013904223;  // Numerical Recipes
    element = static_cast<float>(seed >> 8) * 0x1p-23f - 1;
  }
  return result;
}

/// Smaller results are compared as if their largest magnitude was this.
inline constexpr double kLeastLargest = 1e-2;

/// The largest difference between two results, as a share of the largest expected magnitude.
/// Infinite if one has other elements, or NaN.
inline double difference(const Elements& expected, const Elements& result) {
  if (expected.size() != result.size()) return std::numeric_limits<double>::infinity();
  double largest = kLeastLargest, most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double apart = std::abs(double{expected[i]} - result[i]);
    if (!std::isfinite(apart)) return std::numeric_limits<double>::infinity();
    most = std::max(most, apart);
    largest = std::max(largest, std::abs(double{expected[i]}));
  }
  return most / largest;
}

/// What network_ref() computes.
inline std::vector<Elements> reference(const Network& network,
                                       const std::vector<Elements>& inputs) {
  std::vector<const float*> in;
  for (const Elements& input : inputs) in.push_back(input.data());
  std::vector<Elements> outputs;
  std::vector<float*> out;
  for (const int value : network.outputs) {
    outputs.emplace_back(static_cast<std::size_t>(elements(network.of(value).shape)));
    out.push_back(outputs.back().data());
  }
  network_ref(network, in, out);
  return outputs;
}

}  // namespace tandem::network::test
