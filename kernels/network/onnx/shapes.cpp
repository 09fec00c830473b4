// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/shapes.h"

#include <algorithm>

#include "kernels/network/onnx/problem.h"

namespace tandem::network::reader {

int64_t checked_elements(const Shape& shape) {
  if (shape.size() > kMostSides)
    throw Problem("a value has " + std::to_string(shape.size()) + " sides; at most " +
                  std::to_string(kMostSides) + " are supported");
  // A side of 0 makes no room for others that overflow.
  int64_t count = 1;
  bool empty = false;
  for (const int64_t side : shape) {
    if (side < 0) throw Problem("a value has a side of " + std::to_string(side));
    empty = empty || side == 0;
    if (side > kMostElements / count)
      throw Problem("a value of " + text_of(shape) + " has more than " +
                    std::to_string(kMostElements) + " elements");
    count *= std::max<int64_t>(side, 1);
  }
  return empty ? 0 : count;
}

std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t more = longer.size() - shorter.size();
  for (std::size_t side = 0; side < shorter.size(); ++side) {
    int64_t& both = result[more + side];
    if (both == 1)
      both = shorter[side];
    else if (shorter[side] != 1 && shorter[side] != both)
      return std::nullopt;
  }
  return result;
}

std::size_t checked_axis(int64_t axis, std::size_t sides) {
  const auto count = static_cast<int64_t>(sides);
  if (axis < -count || axis >= count)
    throw Problem("axis " + std::to_string(axis) + " is none of " + std::to_string(sides) +
                  " sides");
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

int64_t product(const Shape& shape, std::size_t begin, std::size_t end) {
  int64_t result = 1;
  for (std::size_t side = begin; side < end; ++side) result *= shape[side];
  return result;
}

}  // namespace tandem::network::reader
