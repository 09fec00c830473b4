// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "kernels/network/network.h"

namespace tandem::network {

/// Elements of a value in the order of another shape: element (i0, i1, ...) is at
/// offset + i0 strides[0] + i1 strides[1] + ...
struct Strided {
  int64_t offset = 0;
  Shape sizes, strides;  ///< outermost first
};

/// The elements of a value in row-major order.
Strided row_major(const Shape& shape);
/// The elements of `shape` in the order of `output`, repeated where NumPy's rules broadcast.
Strided broadcast_to(const Shape& shape, const Shape& output);
/// The input's elements in the output's order, for a Reshape, Transpose or Slice.
std::optional<Strided> moved_elements(const Network& network, const Step& step);
/// Input `part` of a Concat within its output.
Strided concat_part(const Network& network, const Step& step, std::size_t part);
/// Where the elements of input `part` lie in the output of a Transpose or Concat, in their order.
std::optional<Strided> scattered_elements(const Network& network, const Step& step,
                                          std::size_t part);
/// Strides of an image's channels and pixels.
struct ImageStrides {
  int64_t channel = 0, pixel = 1;
};
/// The strides of `view` as an image of so many pixels a channel, if these are all it takes.
std::optional<ImageStrides> image_strides(const Strided& view, int64_t pixels);
/// Whether the elements lie side by side.
bool contiguous(const Strided& view);

}  // namespace tandem::network
