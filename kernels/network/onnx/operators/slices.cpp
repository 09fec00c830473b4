// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <numeric>

#include "kernels/network/onnx/operators/operators.h"
#include "kernels/network/onnx/shapes.h"

/// Parts of values, and values of parts.
namespace tandem::network::reader {
namespace {

// A slice that takes all.
Slice whole(const Shape& shape) {
  return {std::vector<int64_t>(shape.size(), 0), std::vector<int64_t>(shape.size(), 1)};
}

void lower_concat(Node& node) {
  Shape shape = node.shape(0);
  if (!node.attributes.has("axis")) throw Problem("attribute 'axis' is missing");
  const std::size_t axis = checked_axis(node.attributes.integer("axis", 0), shape.size());
  std::vector<int> inputs{node.input(0)};
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    Shape other = node.shape(i);
    if (other.size() == shape.size()) {
      shape[axis] += other[axis];
      other[axis] = shape[axis];
    }
    if (other != shape) throw Problem("inputs 0 and " + std::to_string(i) + " do not fit");
    checked_elements(shape);
    inputs.push_back(node.input(i));
  }
  if (inputs.size() == 1) return node.give(inputs[0]);
  node.give(node.step(Concat{static_cast<int>(axis)}, inputs, shape));
}

void lower_split(Node& node) {
  const Shape shape = node.shape(0);
  const std::size_t axis = checked_axis(node.attributes.integer("axis", 0), shape.size());
  const auto parts = static_cast<int64_t>(node.outputs());
  std::vector<int64_t> sizes =
      node.integers("split", 1).value_or(std::vector<int64_t>(node.outputs(), shape[axis] / parts));
  int64_t left = shape[axis];
  for (const int64_t size : sizes) {
    if (size < 0 || size > left) throw Problem("its parts do not add up");
    left -= size;
  }
  if (left != 0 || sizes.size() != node.outputs()) throw Problem("its parts do not add up");
  Slice slice = whole(shape);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Shape part = shape;
    part[axis] = sizes[i];
    node.give(node.step(slice, {node.input(0)}, part), i);
    slice.begin[axis] += sizes[i];
  }
}

void lower_slice(Node& node) {
  const Shape shape = node.shape(0);
  if (node.opset >= 10 && node.inputs() < 3) throw Problem("its inputs are too few");
  const auto begins = node.integers("starts", 1), ends = node.integers("ends", 2);
  if (!begins || !ends) throw Problem("its starts or ends are missing");
  std::vector<int64_t> axes(begins->size());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  axes = node.integers("axes", 3).value_or(axes);
  const std::vector<int64_t> steps =
      node.has(4) ? node.integers(4) : std::vector<int64_t>(begins->size(), 1);
  if (ends->size() != begins->size() || axes.size() != begins->size() ||
      steps.size() != begins->size())
    throw Problem("its starts, ends, axes and steps differ in number");
  Slice slice = whole(shape);
  Shape result = shape;
  std::vector<bool> seen(shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = checked_axis(axes[i], shape.size());
    if (seen[axis]) throw Problem("axis " + std::to_string(axes[i]) + " is listed twice");
    seen[axis] = true;
    const int64_t side = shape[axis];
    // A longer step takes one element, too.
    const int64_t step = std::clamp<int64_t>(steps[i], -side - 1, side + 1);
    if (step == 0) throw Problem("a step is 0");
    const int64_t first = step > 0 ? 0 : -1, last = step > 0 ? side : side - 1;
    const auto inside = [&](int64_t at) {
      return std::clamp(at < 0 ? at + side : at, first, last);
    };
    int64_t begin = inside((*begins)[i]);
    const int64_t end = inside((*ends)[i]);
    if (step < 0) begin = std::max<int64_t>(begin, 0);
    const int64_t count =
        step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
    slice.begin[axis] = begin;
    slice.step[axis] = step;
    result[axis] = side == 0 ? 0 : std::max<int64_t>(count, 0);
  }
  const bool all = result == shape && slice.step == whole(shape).step;
  node.give(all ? node.input(0) : node.step(slice, {node.input(0)}, result));
}

// Indices along an axis, counted from its beginning.
std::vector<int64_t> places_of(const std::vector<int64_t>& indices, int64_t side) {
  std::vector<int64_t> places;
  for (const int64_t index : indices) {
    if (index < -side || index >= side)
      throw Problem("index " + std::to_string(index) + " is beyond " + std::to_string(side));
    places.push_back(index < 0 ? index + side : index);
  }
  return places;
}

// Places at equal distances are a slice; others are a slice each, up to here.
constexpr std::size_t kMostPlaces = 256;

void lower_gather(Node& node) {
  const Shape shape = node.shape(0);
  const std::size_t axis = checked_axis(node.attributes.integer("axis", 0), shape.size());
  node.graph.budget().take_work(static_cast<int64_t>(node.integers(1).size()));
  const std::vector<int64_t> places = places_of(node.integers(1), shape[axis]);
  if (places.empty()) throw Problem("it gathers nothing");
  const Shape of_indices = node.shape(1);
  Shape result(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
  result.insert(result.end(), of_indices.begin(), of_indices.end());
  result.insert(result.end(), shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end());
  checked_elements(result);
  Slice slice = whole(shape);
  slice.begin[axis] = places[0];
  if (places.size() > 1) slice.step[axis] = places[1] - places[0];
  const auto parts = static_cast<int64_t>(places.size());
  Shape taken = shape;
  bool regular = slice.step[axis] != 0;
  for (std::size_t i = 1; i < places.size(); ++i)
    regular = regular && places[i] - places[i - 1] == slice.step[axis];
  if (regular) {
    taken[axis] = parts;
    return node.give(node.reshaped(node.step(slice, {node.input(0)}, taken), result));
  }
  if (places.size() > kMostPlaces) throw Problem("so many indices without order are not supported");
  taken[axis] = 1;
  slice.step[axis] = 1;
  std::vector<int> slices;
  for (const int64_t place : places) {
    slice.begin[axis] = place;
    slices.push_back(node.step(slice, {node.input(0)}, taken));
  }
  taken[axis] = parts;
  node.give(node.reshaped(node.step(Concat{static_cast<int>(axis)}, slices, taken), result));
}

}  // namespace

std::span<const Operator> slice_operators() {
  static constexpr Operator kAll[] = {
      {"Concat", 4, kLatestOpset, 1, kAnyInputs, lower_concat},
      {"Gather", 1, kLatestOpset, 2, 2, lower_gather},
      {"Slice", 1, kLatestOpset, 1, 5, lower_slice},
      {"Split", 2, kLatestOpset, 1, 2, lower_split},
  };
  return kAll;
}

}  // namespace tandem::network::reader
