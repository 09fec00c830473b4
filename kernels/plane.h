// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

namespace tandem {

/// A view of a two-dimensional array that somebody else owns.
template <typename T>
struct Plane {
  T* data = nullptr;
  int width = 0;              ///< elements a row
  int height = 0;             ///< rows
  std::ptrdiff_t stride = 0;  ///< elements from one row to the next, at least `width`

  T* row(int y) const { return data + y * stride; }
  operator Plane<const T>() const { return {data, width, height, stride}; }
};

/// The half-open range of rows [begin, end): the band that medium grain, frame splitting and
/// transfer overlap are made of.
struct Rows {
  int begin = 0;
  int end = 0;
  int count() const { return end - begin; }
};

}  // namespace tandem
