// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/network/cpu/plan.h"

/// Loops on row-major elements, for steps that oneDNN lacks. Operands: inputs, then the output.
namespace tandem::network::cpu {

/// Two inputs, broadcast by NumPy's rules.
Loop binary_loop(Binary::Kind kind, const Shape& left, const Shape& right, const Shape& out);

/// One input, by tables of the samples.
Loop resize_loop(const Resize& resize, const Shape& in, const Shape& out);

/// Element i along an axis is element begin + i * step of the input.
Loop slice_loop(const Slice& slice, const Shape& in, const Shape& out);

/// Copies `times` pieces of `count` elements. They begin `from_stride` elements apart in the input,
/// and `to_stride` in the output, `first` elements from its beginning.
Loop pieces_loop(std::size_t times, std::size_t count, std::size_t from_stride,
                 std::size_t to_stride, std::size_t first);

}  // namespace tandem::network::cpu
