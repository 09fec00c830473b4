// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>

namespace tandem {

/// The rows of a stage that each side computes of a split frame. The device computes those before
/// `device_end`, the cores those from `cores_begin` on. Both compute the rows in between, so that
/// nothing is exchanged.
struct SplitRows {
  int device_end = 0;
  int cores_begin = 0;

  static constexpr SplitRows none(int rows) { return {0, rows}; }
  /// The rows of both.
  SplitRows with(const SplitRows& other) const {
    return {std::max(device_end, other.device_end), std::min(cores_begin, other.cores_begin)};
  }
  bool operator==(const SplitRows&) const = default;
};

}  // namespace tandem
