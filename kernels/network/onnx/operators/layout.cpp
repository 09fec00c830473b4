// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <numeric>
#include <set>

#include "kernels/network/onnx/operators/operators.h"
#include "kernels/network/onnx/shapes.h"

/// Other shapes and orders of the same elements.
namespace tandem::network::reader {
namespace {

void lower_identity(Node& node) { node.give(node.input(0)); }

void lower_dropout(Node& node) {
  for (const char* name : {"ratio", "seed", "is_test"}) node.attributes.ignore(name);
  if (node.has(2) && node.integers(2) != std::vector<int64_t>{0})
    throw Problem("it is exported for training; export for inference");
  node.give(node.input(0));
}

void lower_reshape(Node& node) {
  const Shape from = node.shape(0);
  Shape to = node.integers(1);
  if (to.size() > kMostSides)
    throw Problem("it has more than " + std::to_string(kMostSides) + " sides");
  if (node.attributes.integer("allowzero", 0) != 0 && std::ranges::count(to, 0) != 0)
    throw Problem("attribute 'allowzero' is not supported");
  auto inferred = to.end();
  for (auto side = to.begin(); side != to.end(); ++side) {
    const auto at = static_cast<std::size_t>(side - to.begin());
    if (*side == -1) {
      if (inferred != to.end()) throw Problem("two sides are -1");
      inferred = side;
    } else if (*side == 0) {
      if (at >= from.size()) throw Problem("side " + std::to_string(at) + " is 0");
      *side = from[at];
    }
  }
  const int64_t count = checked_elements(from);
  if (inferred != to.end()) {
    *inferred = 1;
    const int64_t others = checked_elements(to);
    *inferred = others == 0 ? 0 : count / others;
  }
  if (checked_elements(to) != count)
    throw Problem(text_of(from) + " cannot become " + text_of(node.integers(1)) +
                  "; export with a batch of 1");
  node.give(node.reshaped(node.input(0), to));
}

void lower_flatten(Node& node) {
  const Shape from = node.shape(0);
  const int64_t axis = node.attributes.integer("axis", 1);
  const auto sides = static_cast<int64_t>(from.size());
  if (axis < -sides || axis > sides)
    throw Problem("axis " + std::to_string(axis) + " is none of its");
  const auto first = static_cast<std::size_t>(axis < 0 ? axis + sides : axis);
  node.give(
      node.reshaped(node.input(0), {product(from, 0, first), product(from, first, from.size())}));
}

std::set<std::size_t> axes_of(const std::vector<int64_t>& axes, std::size_t sides) {
  std::set<std::size_t> result;
  for (const int64_t axis : axes)
    if (!result.insert(checked_axis(axis, sides)).second)
      throw Problem("axis " + std::to_string(axis) + " is listed twice");
  return result;
}

void lower_squeeze(Node& node) {
  const Shape from = node.shape(0);
  const auto axes = node.integers("axes", 1);
  std::set<std::size_t> gone;
  if (axes) gone = axes_of(*axes, from.size());
  Shape to;
  for (std::size_t side = 0; side < from.size(); ++side) {
    if (axes ? !gone.contains(side) : from[side] != 1)
      to.push_back(from[side]);
    else if (from[side] != 1)
      throw Problem("side " + std::to_string(side) + " of " + text_of(from) + " is not 1");
  }
  node.give(node.reshaped(node.input(0), to));
}

void lower_unsqueeze(Node& node) {
  const Shape from = node.shape(0);
  const auto axes = node.integers("axes", 1);
  if (!axes) throw Problem("its axes are missing");
  if (from.size() + axes->size() > kMostSides)
    throw Problem("it has more than " + std::to_string(kMostSides) + " sides");
  const std::set<std::size_t> added = axes_of(*axes, from.size() + axes->size());
  Shape to = from;
  for (const std::size_t side : added) to.insert(to.begin() + static_cast<std::ptrdiff_t>(side), 1);
  node.give(node.reshaped(node.input(0), to));
}

void lower_transpose(Node& node) {
  const Shape from = node.shape(0);
  Transpose transpose;
  transpose.order.resize(from.size());
  std::iota(transpose.order.rbegin(), transpose.order.rend(), 0);
  std::vector<int> unchanged(transpose.order.rbegin(), transpose.order.rend());
  if (const auto permutation = node.attributes.integers("perm")) {
    std::vector<int64_t> sorted = *permutation;
    std::ranges::sort(sorted);
    if (!std::ranges::equal(sorted, unchanged))
      throw Problem("attribute 'perm' is no order of " + std::to_string(from.size()) + " sides");
    transpose.order.assign(permutation->begin(), permutation->end());
  }
  if (transpose.order == unchanged) return node.give(node.input(0));
  Shape to;
  for (const int side : transpose.order) to.push_back(from[static_cast<std::size_t>(side)]);
  node.give(node.step(transpose, {node.input(0)}, to));
}

}  // namespace

std::span<const Operator> layout_operators() {
  static constexpr Operator kAll[] = {
      {"Dropout", 7, kLatestOpset, 1, 3, lower_dropout},
      {"Flatten", 1, kLatestOpset, 1, 1, lower_flatten},
      {"Identity", 1, kLatestOpset, 1, 1, lower_identity},
      {"Reshape", 5, kLatestOpset, 2, 2, lower_reshape},
      {"Squeeze", 1, kLatestOpset, 1, 2, lower_squeeze},
      {"Transpose", 1, kLatestOpset, 1, 1, lower_transpose},
      {"Unsqueeze", 1, kLatestOpset, 1, 2, lower_unsqueeze},
  };
  return kAll;
}

}  // namespace tandem::network::reader
