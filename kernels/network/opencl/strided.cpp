// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/opencl/strided.h"

namespace tandem::network {

Strided row_major(const Shape& shape) {
  Strided view{0, shape, Shape(shape.size())};
  int64_t stride = 1;
  for (std::size_t side = shape.size(); side-- > 0;) {
    view.strides[side] = stride;
    stride *= shape[side];
  }
  return view;
}

Strided broadcast_to(const Shape& shape, const Shape& output) {
  const Strided packed = row_major(shape);
  Strided view{0, output, Shape(output.size())};
  const std::size_t more = output.size() - shape.size();
  for (std::size_t side = 0; side < shape.size(); ++side)
    if (shape[side] != 1) view.strides[more + side] = packed.strides[side];
  return view;
}

std::optional<Strided> moved_elements(const Network& network, const Step& step) {
  const Shape& output = network.of(step.output).shape;
  if (std::holds_alternative<Reshape>(step.operation)) return row_major(output);
  const Strided input = row_major(network.of(step.inputs[0]).shape);
  Strided view{0, output, Shape(output.size())};
  if (const auto* transpose = std::get_if<Transpose>(&step.operation)) {
    for (std::size_t side = 0; side < output.size(); ++side)
      view.strides[side] = input.strides[static_cast<std::size_t>(transpose->order[side])];
    return view;
  }
  if (const auto* slice = std::get_if<Slice>(&step.operation)) {
    for (std::size_t side = 0; side < output.size(); ++side) {
      view.offset += slice->begin[side] * input.strides[side];
      view.strides[side] = slice->step[side] * input.strides[side];
    }
    return view;
  }
  return std::nullopt;
}

Strided concat_part(const Network& network, const Step& step, std::size_t part) {
  const auto axis = static_cast<std::size_t>(std::get<Concat>(step.operation).axis);
  Strided view = row_major(network.of(step.output).shape);
  for (std::size_t i = 0; i < part; ++i)
    view.offset += network.of(step.inputs[i]).shape[axis] * view.strides[axis];
  view.sizes[axis] = network.of(step.inputs[part]).shape[axis];
  return view;
}

std::optional<Strided> scattered_elements(const Network& network, const Step& step,
                                          std::size_t part) {
  if (std::holds_alternative<Concat>(step.operation)) return concat_part(network, step, part);
  const auto* transpose = std::get_if<Transpose>(&step.operation);
  if (transpose == nullptr) return std::nullopt;
  const Strided output = row_major(network.of(step.output).shape);
  Strided view{0, network.of(step.inputs[0]).shape, Shape(output.sizes.size())};
  for (std::size_t side = 0; side < output.sizes.size(); ++side)
    view.strides[static_cast<std::size_t>(transpose->order[side])] = output.strides[side];
  return view;
}

std::optional<ImageStrides> image_strides(const Strided& view, int64_t pixels) {
  // From the innermost side: those of a channel's pixels, then those of the channels.
  ImageStrides strides;
  int64_t elements = 1, within = 1;
  bool channels = pixels == 1;
  for (std::size_t side = view.sizes.size(); side-- > 0;) {
    const int64_t size = view.sizes[side], stride = view.strides[side];
    if (size == 1) continue;
    int64_t& along = channels ? strides.channel : strides.pixel;
    if (within == 1) along = stride;
    if (stride != along * within) return std::nullopt;
    within *= size;
    elements *= size;
    if (!channels && elements > pixels) return std::nullopt;
    if (!channels && elements == pixels) {
      channels = true;
      within = 1;
    }
  }
  return strides;
}

bool contiguous(const Strided& view) {
  int64_t stride = 1;
  for (std::size_t side = view.sizes.size(); side-- > 0;) {
    if (view.sizes[side] != 1 && view.strides[side] != stride) return false;
    stride *= view.sizes[side];
  }
  return true;
}

}  // namespace tandem::network
