// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/network/network.h"
#include "kernels/network/onnx/limits.h"

namespace tandem::network::reader {

/// A constant of the file. Sides may be 0.
struct Tensor {
  Shape shape;
  bool integer = false;
  std::vector<float> floats;      ///< of floating types of any width
  std::vector<int64_t> integers;  ///< of integers of any width, and booleans
};

/// Whether elements of this type are read as FP32.
bool is_floating(int data_type);
/// Whether elements of this type are read as integers.
bool is_integer(int data_type);
/// "INT8"; the number where it has no name.
std::string name_of_type(int data_type);

/// Reads a tensor, from a file in `folder` if its data is external. Throws Problem, also if an
/// element is infinite or NaN.
Tensor read_tensor(const ::onnx::TensorProto& tensor, const std::string& folder, Budget& budget);

}  // namespace tandem::network::reader
