// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/input_size.h"

#include <set>

#include "kernels/network/onnx/model_file.h"
#include "kernels/network/onnx/problem.h"

namespace tandem::network {
namespace {

const ::onnx::ValueInfoProto& image_of(const ::onnx::GraphProto& graph) {
  std::set<std::string> weights;  // they were inputs, too, in early files
  for (const ::onnx::TensorProto& weight : graph.initializer()) weights.insert(weight.name());
  const ::onnx::ValueInfoProto* image = nullptr;
  for (const ::onnx::ValueInfoProto& input : graph.input()) {
    if (weights.contains(input.name())) continue;
    if (image)
      throw reader::Problem("it has several inputs; take one whose only input is an image");
    image = &input;
  }
  if (!image) throw reader::Problem("it has no input");
  return *image;
}

InputSize size_of(const ::onnx::TensorShapeProto& shape) {
  Shape sides;
  for (const auto& side : shape.dim()) {
    const bool is_batch = sides.empty() && !side.has_dim_value();
    sides.push_back(is_batch ? 1 : side.dim_value());  // 0: symbolic
    if (sides.size() > kMostSides) break;
  }
  const auto is_side = [](int64_t side) { return side >= 1 && side <= kMostInputSide; };
  if (sides.size() != 4 || sides[0] != 1 || (sides[1] != 1 && sides[1] != 3) ||
      !is_side(sides[2]) || !is_side(sides[3]))
    throw reader::Problem("its input is " + reader::text_of(sides) +
                          "; export it with a static input of 1 x channels x height x width, and "
                          "1 or 3 channels");
  return {static_cast<int>(sides[1]), static_cast<int>(sides[3]), static_cast<int>(sides[2])};
}

}  // namespace

InputSize read_input_size(const std::string& onnx_path) {
  try {
    const reader::ModelFile file = reader::read_model_file(onnx_path);
    return size_of(image_of(file.model.graph()).type().tensor_type().shape());
  } catch (const reader::Problem& problem) {
    throw std::runtime_error("network " + reader::in_quotes(onnx_path) + ": " + problem.what());
  }
}

}  // namespace tandem::network
