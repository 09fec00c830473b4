// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "kernels/network/onnx/tensor.h"

namespace tandem::network::reader {

/// An input of a step that is computed while the file is read. Exactly one of the last two is set.
struct Known {
  const Shape* shape = nullptr;  ///< null: the input is not there
  const std::vector<float>* floats = nullptr;
  const std::vector<int64_t>* integers = nullptr;
};

/// The result of a step on constants, computed by the reference. Integers can only change places.
/// Throws Problem: the budget is spent, or an element is infinite or NaN.
Tensor evaluate(const Operation& operation, const Activation& activation,
                const std::vector<Known>& inputs, const Shape& shape, Budget& budget);

}  // namespace tandem::network::reader
