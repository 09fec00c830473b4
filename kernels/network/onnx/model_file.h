// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace tandem::network::reader {

/// Opsets whose operators are read.
inline constexpr int64_t kFirstOpset = 9, kLastOpset = 17;

struct ModelFile {
  ::onnx::ModelProto model;
  int opset = 0;  ///< of the domain ai.onnx
};

/// Reads and parses an ONNX file of at most kMostFileBytes. Throws Problem.
ModelFile read_model_file(const std::string& path);

}  // namespace tandem::network::reader
