// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/model_file.h"

#include "files/regular_file.h"
#include "kernels/network/onnx/limits.h"
#include "kernels/network/onnx/parsed_size.h"

namespace tandem::network::reader {
namespace {

// Below 3, initialisers and attributes have other rules.
constexpr int64_t kFirstIrVersion = 3;

int opset_of(const ::onnx::ModelProto& model) {
  int64_t opset = 0;
  for (const auto& import : model.opset_import()) {
    if (!import.domain().empty() && import.domain() != "ai.onnx") continue;
    if (opset != 0 && opset != import.version())
      throw Problem("it imports two opsets of the domain ai.onnx");
    opset = import.version();
  }
  if (opset < kFirstOpset || opset > kLastOpset)
    throw Problem("it has opset " + std::to_string(opset) + "; export it with an opset from " +
                  std::to_string(kFirstOpset) + " to " + std::to_string(kLastOpset));
  return static_cast<int>(opset);
}

}  // namespace

ModelFile read_model_file(const std::string& path) {
  RegularFile file = read_regular_file(path, kMostFileBytes);
  if (!file.problem.empty()) throw Problem("it " + file.problem);
  check_parsed_size(file.bytes, *::onnx::ModelProto::descriptor());
  ModelFile result;
  if (!result.model.ParseFromString(file.bytes) || !result.model.has_graph())
    throw Problem("it is not an ONNX file, or is damaged; export or copy it again");
  if (result.model.ir_version() < kFirstIrVersion)
    throw Problem("it has version " + std::to_string(result.model.ir_version()) +
                  " of the format; export it again");
  result.opset = opset_of(result.model);
  return result;
}

}  // namespace tandem::network::reader
