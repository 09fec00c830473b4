// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace tandem {

/// The middle value, or the mean of both middle ones of an even number. The larger one alone would
/// make medians of an even number of rounds too high. Needs at least one value and reorders them;
/// allocates nothing.
inline double median(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace tandem
