// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "kernels/network/onnx/operators/operators.h"
#include "kernels/network/onnx/shapes.h"

/// Constants, and what is computed of constants alone.
namespace tandem::network::reader {
namespace {

void lower_constant(Node& node) {
  Tensor tensor;
  if (const auto* const value = node.attributes.tensor("value")) {
    tensor = read_tensor(*value, node.folder, node.graph.budget());
  } else if (const auto numbers = node.attributes.numbers("value_floats")) {
    tensor = {{static_cast<int64_t>(numbers->size())}, false, *numbers, {}};
  } else if (const auto integers = node.attributes.integers("value_ints")) {
    tensor = {{static_cast<int64_t>(integers->size())}, true, {}, *integers};
  } else if (node.attributes.has("value_float")) {
    tensor = {{}, false, {node.attributes.number("value_float", 0)}, {}};
  } else {
    if (!node.attributes.has("value_int")) throw Problem("it has no value");
    tensor = {{}, true, {}, {node.attributes.integer("value_int", 0)}};
  }
  if (!node.attributes.has("value"))
    node.graph.budget().take_read(checked_elements(tensor.shape), tensor.integer);
  if (!std::ranges::all_of(tensor.floats, [](float f) { return std::isfinite(f); }))
    throw Problem("its value is infinite or NaN");
  node.give(node.constant(std::move(tensor)));
}

void lower_shape(Node& node) {
  const Shape shape = node.shape(0);
  const auto sides = static_cast<int64_t>(shape.size());
  const auto inside = [&](int64_t side) {
    return std::clamp<int64_t>(side < 0 ? side + sides : side, 0, sides);
  };
  const int64_t begin = inside(node.attributes.integer("start", 0));
  const int64_t end = std::max(begin, inside(node.attributes.integer("end", sides)));
  Tensor result = node.room({end - begin}, true);
  result.integers.assign(shape.begin() + begin, shape.begin() + end);
  node.give(node.constant(std::move(result)));
}

int64_t to_integer(float number) {
  constexpr float kBeyond = 0x1p63f;
  if (!(number > -kBeyond && number < kBeyond))
    throw Problem("a number exceeds the range of integers");
  return static_cast<int64_t>(number);
}

void lower_cast(Node& node) {
  const auto type = static_cast<int>(node.attributes.integer("to", 0));
  const bool to_floats = is_floating(type);
  if (!to_floats && !is_integer(type))
    throw Problem("type " + name_of_type(type) + " is not supported");
  const Operand& operand = node.graph.at(node.input(0));
  const bool floats = operand.value != kAbsent;
  if (floats == to_floats && type != ::onnx::TensorProto::BOOL) return node.give(node.input(0));
  if (!operand.constant)
    throw Problem("type " + name_of_type(type) + " is supported for constants alone");
  const bool truth = type == ::onnx::TensorProto::BOOL;
  Tensor result = node.room(node.shape(0), !to_floats);
  if (to_floats) {
    for (const int64_t integer : node.integers(0))
      result.floats.push_back(static_cast<float>(integer));
  } else if (floats) {
    for (const float number : node.floats(0))
      result.integers.push_back(truth ? number != 0 : to_integer(number));
  } else {
    for (const int64_t integer : node.integers(0)) result.integers.push_back(integer != 0);
  }
  node.give(node.constant(std::move(result)));
}

// A constant of one element, everywhere in `shape`.
Tensor filled(Node& node, const Shape& shape, const Tensor& value) {
  if (value.floats.size() + value.integers.size() != 1) throw Problem("its value is not a number");
  Tensor result = node.room(shape, value.integer);
  const auto count = static_cast<std::size_t>(checked_elements(shape));
  if (value.integer)
    result.integers.assign(count, value.integers[0]);
  else
    result.floats.assign(count, value.floats[0]);
  return result;
}

void lower_constant_of_shape(Node& node) {
  Tensor value{{}, false, {0}, {}};
  if (const auto* const tensor = node.attributes.tensor("value"))
    value = read_tensor(*tensor, node.folder, node.graph.budget());
  node.give(node.constant(filled(node, node.integers(0), value)));
}

// A product with ones, which broadcasts.
void lower_expand(Node& node) {
  const Shape shape = node.integers(1);
  const auto result = broadcast_shapes(node.shape(0), shape);
  if (!result) throw Problem(text_of(node.shape(0)) + " does not fit " + text_of(shape));
  if (*result == node.shape(0)) return node.give(node.input(0));
  const bool integer = node.graph.at(node.input(0)).value == kAbsent;
  const Tensor one{{},
                   integer,
                   integer ? std::vector<float>{} : std::vector<float>{1},
                   integer ? std::vector<int64_t>{1} : std::vector<int64_t>{}};
  const int ones = node.constant(filled(node, shape, one));
  node.give(binary(node, Binary::Kind::multiply, node.input(0), ones));
}

void lower_range(Node& node) {
  const bool integer = node.graph.at(node.input(0)).value == kAbsent;
  double terms[3];
  for (std::size_t i = 0; i < 3; ++i) {
    if (integer && node.integers(i).size() != 1) throw Problem("its inputs are not numbers");
    terms[i] = integer ? static_cast<double>(node.integers(i)[0]) : node.scalar(i);
    if (std::abs(terms[i]) > 0x1p52) throw Problem("it goes too far");
  }
  const auto [first, limit, step] = terms;
  const double count =
      step == 0 ? kMostIntegers + 1 : std::max(0.0, std::ceil((limit - first) / step));
  if (count > kMostIntegers) throw Problem("it has too many elements");
  Tensor result = node.room({static_cast<int64_t>(count)}, integer);
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    const double term = first + static_cast<double>(i) * step;
    if (integer)
      result.integers.push_back(static_cast<int64_t>(term));
    else
      result.floats.push_back(static_cast<float>(term));
  }
  node.give(node.constant(std::move(result)));
}

void lower_floor(Node& node) {
  node.floats(0);  // a constant
  Tensor result = node.room(node.shape(0), false);
  for (const float element : node.floats(0)) result.floats.push_back(std::floor(element));
  node.give(node.constant(std::move(result)));
}

}  // namespace

std::span<const Operator> constant_operators() {
  static constexpr Operator kAll[] = {
      {"Cast", 6, kLatestOpset, 1, 1, lower_cast},
      {"Constant", 1, kLatestOpset, 0, 0, lower_constant},
      {"ConstantOfShape", 9, kLatestOpset, 1, 1, lower_constant_of_shape},
      {"Expand", 8, kLatestOpset, 2, 2, lower_expand},
      {"Floor", 6, kLatestOpset, 1, 1, lower_floor},
      {"Range", 11, kLatestOpset, 3, 3, lower_range},
      {"Shape", 1, kLatestOpset, 1, 1, lower_shape},
  };
  return kAll;
}

}  // namespace tandem::network::reader
