// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/network/network.h"
#include "kernels/network/onnx/problem.h"

/// Bounds on memory and time that any file takes while it is read.
namespace tandem::network::reader {

/// A longer file is not read.
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;
/// Memory of a parsed file beyond the file's length.
inline constexpr std::size_t kMostParsedBytes = std::size_t{256} << 20;
/// Messages within messages. A graph in a graph has five more.
inline constexpr int kMostDepth = 16;
/// Window sizes, strides, dilations and paddings: positions then fit into an int.
inline constexpr int64_t kMostWindow = 1 << 14;
/// Integers in all: evaluation holds their places as floats, which are exact up to here.
inline constexpr int64_t kMostIntegers = 1 << 24;
/// Steps before they are fused, and operands.
inline constexpr std::size_t kMostSteps = 1 << 16, kMostOperands = 1 << 18;
/// Each step has a copy of its node's name.
inline constexpr std::size_t kMostNameBytes = 1024;

/// The rest of the bounds for the constants of one file.
class Budget {
 public:
  /// Elements of a constant of the file. Throws Problem if there are too many, as all do.
  void take_read(int64_t count, bool integer) {
    take(integer ? integers_ : elements_, count, integer ? "integers" : "constants");
  }
  /// Elements of a constant that is computed.
  void take_computed(int64_t count, bool integer) {
    take_read(count, integer);
    take_work(count);
  }
  /// Elements that are looked at while constants are computed.
  void take_work(int64_t count) { take(work_, count, "work on constants"); }

 private:
  static void take(int64_t& left, int64_t count, const char* what) {
    if (count > left)
      throw Problem(std::string("the file has more ") + what +
                    " than are read; simplify it first (for example with onnxsim)");
    left -= count;
  }
  int64_t integers_ = kMostIntegers;
  int64_t elements_ = kMostElements;
  int64_t work_ = int64_t{1} << 25;  ///< a second or two of the reference
};

}  // namespace tandem::network::reader
