// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "kernels/network/onnx/operators/operators.h"
#include "kernels/network/onnx/shapes.h"

/// Images of another size.
namespace tandem::network::reader {
namespace {

Resize::Place place_of(const std::string& name) {
  if (name == "half_pixel") return Resize::Place::half_pixel;
  if (name == "pytorch_half_pixel") return Resize::Place::pytorch_half_pixel;
  if (name == "asymmetric") return Resize::Place::asymmetric;
  if (name == "align_corners") return Resize::Place::align_corners;
  throw Problem("coordinate_transformation_mode " + in_quotes(name) + " is not supported");
}

Resize::Round round_of(const std::string& name) {
  if (name == "floor") return Resize::Round::floor;
  if (name == "ceil") return Resize::Round::ceil;
  if (name == "round_prefer_floor") return Resize::Round::prefer_floor;
  if (name == "round_prefer_ceil") return Resize::Round::prefer_ceil;
  throw Problem("nearest_mode " + in_quotes(name) + " is not supported");
}

Resize::Mode mode_of(const std::string& name) {
  if (name == "nearest") return Resize::Mode::nearest;
  if (name == "linear" || name == "bilinear") return Resize::Mode::linear;
  throw Problem("mode " + in_quotes(name) + " is not supported");
}

// Sides of the output, each a side of the input times its scale.
Shape scaled_shape(const Shape& shape, const std::vector<float>& scales, Resize& resize) {
  if (scales.size() != shape.size()) throw Problem("it does not have one scale for each side");
  Shape result;
  for (std::size_t side = 0; side < shape.size(); ++side) {
    // The product of floats, as other programs compute it.
    const float scaled = std::floor(static_cast<float>(shape[side]) * scales[side]);
    if (!(scales[side] > 0) || !(scaled >= 1) || scaled > static_cast<float>(kMostElements))
      throw Problem("a scale of " + std::to_string(scales[side]) + " is not supported");
    result.push_back(static_cast<int64_t>(scaled));
  }
  resize.scale = {scales[2], scales[3]};
  return result;
}

Shape sized_shape(const Shape& shape, const std::vector<int64_t>& sizes, Resize& resize) {
  if (sizes.size() != shape.size()) throw Problem("it does not have one size for each side");
  if (checked_elements(sizes) == 0) throw Problem("one of its sizes is 0");
  for (std::size_t axis = 0; axis < 2; ++axis)
    resize.scale[axis] = static_cast<float>(sizes[axis + 2]) / static_cast<float>(shape[axis + 2]);
  return sizes;
}

void give_resized(Node& node, const Resize& resize, const Shape& result) {
  const Shape shape = node.shape(0);
  if (shape[0] != 1) throw Problem("its image has a batch; export with a batch of 1");
  if (result[0] != shape[0] || result[1] != shape[1])
    throw Problem("only rows and columns can change, from " + text_of(shape) + " to " +
                  text_of(result));
  const bool same = result == shape && resize.scale == std::array<float, 2>{1, 1};
  node.give(same ? node.input(0) : node.step(resize, {node.input(0)}, result));
}

Shape four_sides(const Node& node) {
  const Shape shape = node.shape(0);
  if (shape.size() != 4 || checked_elements(shape) == 0)
    throw Problem("its input of " + text_of(shape) + " is not an image");
  return shape;
}

// Upsample, and Resize of opset 10: nearest takes the next sample where the image shrinks.
void resize_asymmetric(Node& node, const std::vector<float>& scales) {
  const Shape shape = four_sides(node);
  Resize resize;
  resize.mode = mode_of(node.attributes.text("mode", "nearest"));
  const Shape result = scaled_shape(shape, scales, resize);
  const bool shrinks[] = {resize.scale[0] < 1, resize.scale[1] < 1};
  if (shrinks[0] != shrinks[1] && resize.scale[0] != 1 && resize.scale[1] != 1 &&
      resize.mode == Resize::Mode::nearest)
    throw Problem("it shrinks on one side and grows on the other");
  if (shrinks[0] || shrinks[1]) resize.round = Resize::Round::ceil;
  give_resized(node, resize, result);
}

void lower_upsample(Node& node) { resize_asymmetric(node, node.floats(1)); }

void lower_resize(Node& node) {
  if (node.opset < 11) return resize_asymmetric(node, node.floats(1));
  const Shape shape = four_sides(node);
  Resize resize;
  resize.mode = mode_of(node.attributes.text("mode", "nearest"));
  resize.place = place_of(node.attributes.text("coordinate_transformation_mode", "half_pixel"));
  resize.round = round_of(node.attributes.text("nearest_mode", "round_prefer_floor"));
  if (node.attributes.integer("exclude_outside", 0) != 0)
    throw Problem("exclude_outside is not supported");
  for (const char* name : {"cubic_coeff_a", "extrapolation_value"}) node.attributes.ignore(name);
  const bool has_scales = node.has(2) && !node.floats(2).empty();
  const bool has_sizes = node.has(3) && !node.integers(3).empty();
  if (has_scales == has_sizes) throw Problem("it needs either scales or sizes");
  give_resized(node, resize,
               has_scales ? scaled_shape(shape, node.floats(2), resize)
                          : sized_shape(shape, node.integers(3), resize));
}

}  // namespace

std::span<const Operator> resize_operators() {
  static constexpr Operator kAll[] = {
      {"Resize", 10, kLatestOpset, 2, 4, lower_resize},
      {"Upsample", 9, 9, 2, 2, lower_upsample},
  };
  return kAll;
}

}  // namespace tandem::network::reader
