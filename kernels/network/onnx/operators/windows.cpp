// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>

#include "kernels/network/onnx/limits.h"
#include "kernels/network/onnx/operators/operators.h"
#include "kernels/network/onnx/shapes.h"

/// Convolutions, pools and the mean of an image.
namespace tandem::network::reader {
namespace {

using Sides = std::array<int64_t, 2>;

Shape image_shape(const Node& node) {
  const Shape shape = node.shape(0);
  if (shape.size() != 4 || checked_elements(shape) == 0)
    throw Problem("its input of " + text_of(shape) +
                  " is not supported, only images of 1 x C x H x W");
  if (shape[0] != 1)
    throw Problem("its input of " + text_of(shape) + " is a batch; export with a batch of 1");
  return shape;
}

// Two sizes of an attribute, or `otherwise`.
std::array<int, 2> window_sides(Node& node, const char* name, int64_t otherwise) {
  const auto sides = node.attributes.integers(name);
  if (!sides) return {static_cast<int>(otherwise), static_cast<int>(otherwise)};
  if (sides->size() != 2) throw Problem("attribute " + in_quotes(name) + " has not two elements");
  for (const int64_t side : *sides)
    if (side < 1 || side > kMostWindow)
      throw Problem("attribute " + in_quotes(name) + " has " + std::to_string(side) +
                    ", not 1 to " + std::to_string(kMostWindow));
  return {static_cast<int>((*sides)[0]), static_cast<int>((*sides)[1])};
}

int64_t extent(const Window& window, std::size_t axis) {
  return int64_t{window.kernel[axis] - 1} * window.dilation[axis] + 1;
}

void set_padding(Node& node, const Shape& image, Window& window) {
  const std::string automatic = node.attributes.text("auto_pad", "NOTSET");
  const auto pads = node.attributes.integers("pads");
  if (automatic == "VALID") return;
  if (automatic == "NOTSET") {
    if (!pads) return;
    if (pads->size() != 4) throw Problem("attribute 'pads' has not four elements");
    for (const int64_t pad : *pads)
      if (pad < 0 || pad > kMostWindow)
        throw Problem("a padding of " + std::to_string(pad) + " is not supported");
    for (std::size_t axis = 0; axis < 2; ++axis) {
      window.before[axis] = static_cast<int>((*pads)[axis]);
      window.after[axis] = static_cast<int>((*pads)[axis + 2]);
    }
    return;
  }
  if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
    throw Problem("auto_pad " + in_quotes(automatic) + " is not supported");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int64_t side = image[axis + 2], stride = window.stride[axis];
    const int64_t all = std::max<int64_t>(
        0, ((side + stride - 1) / stride - 1) * stride + extent(window, axis) - side);
    const auto less = static_cast<int>(all / 2), more = static_cast<int>(all - all / 2);
    window.before[axis] = automatic == "SAME_UPPER" ? less : more;
    window.after[axis] = automatic == "SAME_UPPER" ? more : less;
  }
}

// The output's sides.
Sides output_sides(const Shape& image, const Window& window, bool ceil_mode) {
  Sides sides;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int64_t side = image[axis + 2], stride = window.stride[axis];
    const int64_t room = side + window.before[axis] + window.after[axis] - extent(window, axis);
    if (room < 0) throw Problem("its window is larger than the padded image of " + text_of(image));
    sides[axis] = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
    // A window that begins behind the image has nothing in it.
    if (ceil_mode && (sides[axis] - 1) * stride >= side + window.before[axis]) --sides[axis];
  }
  return sides;
}

void lower_conv(Node& node) {
  const Shape image = image_shape(node);
  const Shape weights = node.shape(1);
  node.floats(1);  // a constant
  if (weights.size() != 4 || checked_elements(weights) == 0)
    throw Problem("its weights of " + text_of(weights) + " are not M x C x H x W");
  Convolution convolution;
  Window& window = convolution.window;
  const int64_t groups = node.attributes.integer("group", 1);
  if (groups < 1 || image[1] % groups != 0 || weights[0] % groups != 0 ||
      weights[1] != image[1] / groups)
    throw Problem("its weights of " + text_of(weights) + " in " + std::to_string(groups) +
                  " groups do not fit an image of " + text_of(image));
  convolution.groups = static_cast<int>(groups);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (weights[axis + 2] > kMostWindow) throw Problem("its window is too large");
    window.kernel[axis] = static_cast<int>(weights[axis + 2]);
  }
  if (node.attributes.has("kernel_shape") && window_sides(node, "kernel_shape", 1) != window.kernel)
    throw Problem("its kernel_shape is not that of its weights");
  window.stride = window_sides(node, "strides", 1);
  window.dilation = window_sides(node, "dilations", 1);
  set_padding(node, image, window);
  std::vector<int> inputs{node.input(0), node.input(1)};
  if (node.has(2)) {
    if (node.floats(2).size() != static_cast<std::size_t>(weights[0]) || node.shape(2).size() != 1)
      throw Problem("its bias of " + text_of(node.shape(2)) + " has not one element a channel");
    inputs.push_back(node.input(2));
  }
  const auto [height, width] = output_sides(image, window, false);
  node.give(node.step(convolution, inputs, {1, weights[0], height, width}));
}

void lower_pool(Node& node, Pool pool) {
  const Shape image = image_shape(node);
  Window& window = pool.window;
  if (!node.attributes.has("kernel_shape")) throw Problem("attribute 'kernel_shape' is missing");
  window.kernel = window_sides(node, "kernel_shape", 1);
  window.stride = window_sides(node, "strides", 1);
  if (pool.kind == Pool::Kind::max) window.dilation = window_sides(node, "dilations", 1);
  set_padding(node, image, window);
  for (std::size_t axis = 0; axis < 2; ++axis)
    if (std::max(window.before[axis], window.after[axis]) >= extent(window, axis))
      throw Problem("its padding is as large as its window");
  const int64_t ceil_mode = node.attributes.integer("ceil_mode", 0);
  const auto [height, width] = output_sides(image, window, ceil_mode != 0);
  node.give(node.step(pool, {node.input(0)}, {1, image[1], height, width}));
}

void lower_max_pool(Node& node) {
  node.attributes.ignore("storage_order");  // of the second output
  lower_pool(node, {});
}

void lower_average_pool(Node& node) {
  Pool pool;
  pool.kind = Pool::Kind::average;
  pool.counts_padding = node.attributes.integer("count_include_pad", 0) != 0;
  lower_pool(node, pool);
}

int global_pool(Node& node, Pool::Kind kind) {
  const Shape image = image_shape(node);
  Pool pool;
  pool.kind = kind;
  pool.window.kernel = {static_cast<int>(image[2]), static_cast<int>(image[3])};
  return node.step(pool, {node.input(0)}, {1, image[1], 1, 1});
}

void lower_global_average_pool(Node& node) { node.give(global_pool(node, Pool::Kind::average)); }
void lower_global_max_pool(Node& node) { node.give(global_pool(node, Pool::Kind::max)); }

void lower_reduce_mean(Node& node) {
  const Shape image = image_shape(node);
  const auto axes = node.attributes.integers("axes");
  std::vector<std::size_t> sides;
  if (axes)
    for (const int64_t axis : *axes) sides.push_back(checked_axis(axis, image.size()));
  std::ranges::sort(sides);
  if (sides != std::vector<std::size_t>{2, 3})
    throw Problem("only the mean over the sides 2 and 3 is supported");
  const int mean = global_pool(node, Pool::Kind::average);
  const bool keeps_sides = node.attributes.integer("keepdims", 1) != 0;
  node.give(keeps_sides ? mean : node.reshaped(mean, {1, image[1]}));
}

}  // namespace

std::span<const Operator> window_operators() {
  static constexpr Operator kAll[] = {
      {"AveragePool", 1, kLatestOpset, 1, 1, lower_average_pool},
      {"Conv", 1, kLatestOpset, 2, 3, lower_conv},
      {"GlobalAveragePool", 1, kLatestOpset, 1, 1, lower_global_average_pool},
      {"GlobalMaxPool", 1, kLatestOpset, 1, 1, lower_global_max_pool},
      {"MaxPool", 1, kLatestOpset, 1, 1, lower_max_pool},
      {"ReduceMean", 1, 17, 1, 1, lower_reduce_mean},
  };
  return kAll;
}

}  // namespace tandem::network::reader
