// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/network/network.h"

namespace tandem::network::reader {

/// Elements of a shape from outside. Throws Problem if a side is negative, or sides or elements are
/// more than kMostSides or kMostElements.
int64_t checked_elements(const Shape& shape);

/// The shape to which both are broadcast by NumPy's rules, if there is one.
std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b);

/// A side as the file counts it, where negative ones count from the end: 0 to sides - 1. Throws
/// Problem if there is no such side.
std::size_t checked_axis(int64_t axis, std::size_t sides);

/// The product of sides [begin, end).
int64_t product(const Shape& shape, std::size_t begin, std::size_t end);

}  // namespace tandem::network::reader
