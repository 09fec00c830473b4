// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/operators/operators.h"
#include "kernels/network/onnx/shapes.h"

/// Products of matrices, and softmax.
namespace tandem::network::reader {
namespace {

// The operand times a number; done at once where it is a constant.
int scaled(Node& node, int operand, float factor) {
  if (factor == 1) return operand;
  Tensor tensor = node.room({}, false);
  tensor.floats = {factor};
  return binary(node, Binary::Kind::multiply, operand, node.constant(std::move(tensor)));
}

void lower_gemm(Node& node) {
  const Shape a = node.shape(0), b = node.shape(1);
  if (a.size() != 2 || b.size() != 2) throw Problem("its inputs are not matrices");
  MatMul matmul;
  matmul.transpose_a = node.attributes.integer("transA", 0) != 0;
  matmul.transpose_b = node.attributes.integer("transB", 0) != 0;
  if (a[matmul.transpose_a ? 0 : 1] != b[matmul.transpose_b ? 1 : 0])
    throw Problem("matrices of " + text_of(a) + " and " + text_of(b) + " do not fit");
  const Shape shape{a[matmul.transpose_a ? 1 : 0], b[matmul.transpose_b ? 0 : 1]};
  const float alpha = node.attributes.number("alpha", 1), beta = node.attributes.number("beta", 1);
  const bool scales_a = !node.graph.at(node.input(1)).constant;
  std::vector<int> inputs{scaled(node, node.input(0), scales_a ? alpha : 1),
                          scaled(node, node.input(1), scales_a ? 1 : alpha)};
  if (node.has(2)) {
    if (broadcast_shapes(node.shape(2), shape) != shape)
      throw Problem("its bias of " + text_of(node.shape(2)) + " does not fit " + text_of(shape));
    inputs.push_back(scaled(node, node.input(2), beta));
  }
  node.give(node.step(matmul, inputs, shape));
}

void lower_matmul(Node& node) {
  Shape a = node.shape(0), b = node.shape(1);
  if (a.empty() || b.empty()) throw Problem("one of its inputs is a scalar");
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  const auto outer = broadcast_shapes(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (a.back() != b[b.size() - 2] || !outer)
    throw Problem("matrices of " + text_of(node.shape(0)) + " and " + text_of(node.shape(1)) +
                  " do not fit");
  Shape shape = *outer;
  shape.push_back(a[a.size() - 2]);
  shape.push_back(b.back());
  const int result = node.step(
      MatMul{}, {node.reshaped(node.input(0), a), node.reshaped(node.input(1), b)}, shape);
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  node.give(node.reshaped(result, shape));
}

void lower_softmax(Node& node) {
  const Shape shape = node.shape(0);
  const bool flattens = node.opset < 13;
  const std::size_t axis =
      checked_axis(node.attributes.integer("axis", flattens ? 1 : -1), shape.size());
  // Up to opset 12, sides from the axis on are one.
  const int64_t others = product(shape, axis + 1, shape.size());
  if (!flattens || others == 1)
    return node.give(node.step(Softmax{static_cast<int>(axis)}, {node.input(0)}, shape));
  const Shape flat{product(shape, 0, axis), shape[axis] * others};
  const int result = node.step(Softmax{1}, {node.reshaped(node.input(0), flat)}, flat);
  node.give(node.reshaped(result, shape));
}

}  // namespace

std::span<const Operator> matmul_operators() {
  static constexpr Operator kAll[] = {
      {"Gemm", 7, kLatestOpset, 2, 3, lower_gemm},
      {"MatMul", 1, kLatestOpset, 2, 2, lower_matmul},
      {"Softmax", 1, kLatestOpset, 1, 1, lower_softmax},
  };
  return kAll;
}

}  // namespace tandem::network::reader
