// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/network/onnx/operators/operators.h"
#include "kernels/network/onnx/shapes.h"

namespace tandem::network::reader {
namespace {

int64_t combine_integers(Binary::Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  switch (kind) {
    case Binary::Kind::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Binary::Kind::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Binary::Kind::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Binary::Kind::divide:
      overflow = b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min());
      if (!overflow) result = a / b;
      break;
    case Binary::Kind::maximum:
      result = std::max(a, b);
      break;
    case Binary::Kind::minimum:
      result = std::min(a, b);
      break;
    case Binary::Kind::power:
      throw Problem("it is not supported for integers");
  }
  if (overflow) throw Problem("its integers overflow");
  return result;
}

// The element of `from` that is broadcast to element `n` of `to`.
std::size_t broadcast_place(const Shape& from, const Shape& to, int64_t n) {
  int64_t place = 0, stride = 1;
  for (std::size_t side = from.size(); side-- > 0;) {
    const int64_t along = to[to.size() - from.size() + side];
    if (from[side] != 1) place += n % along * stride;
    stride *= from[side];
    n /= along;
  }
  return static_cast<std::size_t>(place);
}

int binary_of_integers(Node& node, Binary::Kind kind, int a, int b, const Shape& shape) {
  const Tensor& of_a = node.graph.at(a).integers;
  const Tensor& of_b = node.graph.at(b).integers;
  Tensor result = node.room(shape, true);
  const int64_t count = checked_elements(shape);
  for (int64_t n = 0; n < count; ++n)
    result.integers.push_back(
        combine_integers(kind, of_a.integers[broadcast_place(of_a.shape, shape, n)],
                         of_b.integers[broadcast_place(of_b.shape, shape, n)]));
  return node.constant(std::move(result));
}

// An exponent may be an integer.
int with_floats(Node& node, int operand) {
  const Operand& o = node.graph.at(operand);
  if (o.value != kAbsent) return operand;
  Tensor tensor = node.room(o.integers.shape, false);
  for (const int64_t integer : o.integers.integers)
    tensor.floats.push_back(static_cast<float>(integer));
  return node.constant(std::move(tensor));
}

void lower_two(Node& node, Binary::Kind kind) {
  node.give(binary(node, kind, node.input(0), node.input(1)));
}

void lower_add(Node& node) { lower_two(node, Binary::Kind::add); }
void lower_sub(Node& node) { lower_two(node, Binary::Kind::subtract); }
void lower_mul(Node& node) { lower_two(node, Binary::Kind::multiply); }
void lower_div(Node& node) { lower_two(node, Binary::Kind::divide); }

void lower_pow(Node& node) {
  node.give(binary(node, Binary::Kind::power, node.input(0), with_floats(node, node.input(1))));
}

void lower_any(Node& node, Binary::Kind kind) {
  int result = node.input(0);
  for (std::size_t i = 1; i < node.inputs(); ++i)
    result = binary(node, kind, result, node.input(i));
  node.give(result);
}

void lower_max(Node& node) { lower_any(node, Binary::Kind::maximum); }
void lower_min(Node& node) { lower_any(node, Binary::Kind::minimum); }
void lower_sum(Node& node) { lower_any(node, Binary::Kind::add); }

void lower_batch_normalization(Node& node) {
  const Shape shape = node.shape(0);
  if (shape.size() < 2) throw Problem("its input of " + text_of(shape) + " has no channels");
  if (node.attributes.integer("training_mode", 0) != 0)
    throw Problem("it is exported for training; export for inference");
  node.attributes.ignore("momentum");
  const double epsilon = node.attributes.number("epsilon", 1e-5f);
  const auto channels = static_cast<std::size_t>(shape[1]);
  for (std::size_t input = 1; input < 5; ++input)
    if (node.floats(input).size() != channels)
      throw Problem("input " + std::to_string(input) + " has not one element a channel");
  Shape of_channels(shape.size() - 1, 1);
  of_channels[0] = shape[1];
  Tensor scale = node.room(of_channels, false), shift = node.room(of_channels, false);
  for (std::size_t c = 0; c < channels; ++c) {
    const double variance = node.floats(4)[c] + epsilon;
    if (!(variance > 0)) throw Problem("one of its variances is not positive");
    const double factor = node.floats(1)[c] / std::sqrt(variance);
    scale.floats.push_back(static_cast<float>(factor));
    shift.floats.push_back(static_cast<float>(node.floats(2)[c] - node.floats(3)[c] * factor));
  }
  const int scaled = binary(node, Binary::Kind::multiply, node.input(0), node.constant(scale));
  node.give(binary(node, Binary::Kind::add, scaled, node.constant(shift)));
}

}  // namespace

int binary(Node& node, Binary::Kind kind, int a, int b) {
  const auto shape = broadcast_shapes(node.graph.shape(a), node.graph.shape(b));
  if (!shape)
    throw Problem("inputs of " + text_of(node.graph.shape(a)) + " and " +
                  text_of(node.graph.shape(b)) + " do not fit");
  checked_elements(*shape);
  if (node.graph.at(a).value == kAbsent && node.graph.at(b).value == kAbsent)
    return binary_of_integers(node, kind, a, b, *shape);
  return node.step(Binary{kind}, {a, b}, *shape);
}

std::span<const Operator> arithmetic_operators() {
  static constexpr Operator kAll[] = {
      {"Add", 7, kLatestOpset, 2, 2, lower_add},
      {"BatchNormalization", 9, kLatestOpset, 5, 5, lower_batch_normalization},
      {"Div", 7, kLatestOpset, 2, 2, lower_div},
      {"Max", 8, kLatestOpset, 1, kAnyInputs, lower_max},
      {"Min", 8, kLatestOpset, 1, kAnyInputs, lower_min},
      {"Mul", 7, kLatestOpset, 2, 2, lower_mul},
      {"Pow", 7, kLatestOpset, 2, 2, lower_pow},
      {"Sub", 7, kLatestOpset, 2, 2, lower_sub},
      {"Sum", 8, kLatestOpset, 1, kAnyInputs, lower_sum},
  };
  return kAll;
}

}  // namespace tandem::network::reader
