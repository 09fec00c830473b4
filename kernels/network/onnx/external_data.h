// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>

namespace tandem::network::reader {

/// Reads the bytes of a tensor whose data lies in another file: in `folder` itself, a regular file
/// and no link. Throws Problem, also if it is longer than `most_bytes`.
std::string read_external_data(const ::onnx::TensorProto& tensor, const std::string& folder,
                               uint64_t most_bytes);

}  // namespace tandem::network::reader
