// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/opencl/placement.h"

namespace tandem::network {
namespace {

// Bytes: a cache line or a transaction of any device.
constexpr std::size_t kBufferAlignment = 256;

std::size_t index_of(int value) { return static_cast<std::size_t>(value); }

}  // namespace

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

Placement::Placement(const Network& network)
    : network_(network),
      input_of_(network.values.size(), -1),
      output_of_(network.values.size(), -1),
      buffer_of_(network.values.size(), -1),
      uses_(network.values.size()),
      of_convolution_(network.values.size()),
      scattered_(network.values.size()) {
  for (std::size_t v = 0; v < network.values.size(); ++v)
    within_.push_back({static_cast<int>(v), 0});
  for (std::size_t i = 0; i < network.inputs.size(); ++i)
    input_of_[index_of(network.inputs[i])] = static_cast<int>(i);
  assign_outputs();
  count_uses();
  for (const Step& step : network.steps) place(step);
  plan();
}

void Placement::assign_outputs() {
  for (std::size_t o = 0; o < network_.outputs.size(); ++o) {
    const int value = network_.outputs[o];
    const std::size_t v = index_of(value);
    if (input_of_[v] < 0 && network_.values[v].constant.empty() && output_of_[v] < 0)
      output_of_[v] = static_cast<int>(o);
    else
      copies_.emplace_back(value, static_cast<int>(o));
  }
}

Placement::Within Placement::resolve(int value) const {
  Within at{value, 0};
  while (within_[index_of(at.value)].value != at.value) {
    const Within& next = within_[index_of(at.value)];
    at = {next.value, at.offset + next.offset};
  }
  return at;
}

// Whether all of `value`'s memory is its own and may lie inside `into` instead.
bool Placement::movable(int value, int into) const {
  const Within at = resolve(value);
  const std::size_t v = index_of(at.value);
  return at.value != into && at.offset == 0 && input_of_[v] < 0 && output_of_[v] < 0 &&
         network_.values[v].constant.empty() &&
         elements(network_.values[v].shape) == elements(network_.of(value).shape);
}

void Placement::place(const Step& step) {
  if (step.activation.kind != Activation::Kind::none) return;
  if (const auto view = moved_elements(network_, step); view && contiguous(*view)) {
    const int input = step.inputs[0];
    if (output_of_[index_of(step.output)] < 0)
      within_[index_of(step.output)] = {input, view->offset};
    else if (view->offset == 0 && movable(input, step.output) &&
             elements(network_.of(input).shape) == elements(network_.of(step.output).shape))
      within_[index_of(resolve(input).value)] = {step.output, 0};
    return;
  }
  for (std::size_t part = 0; part < step.inputs.size(); ++part) {
    const auto view = scattered_elements(network_, step, part);
    const int input = step.inputs[part];
    if (!view || !movable(input, step.output)) continue;
    if (contiguous(*view) || scatter(input, *view))
      within_[index_of(resolve(input).value)] = {step.output, view->offset};
  }
}

// Whether `value` is the result of a convolution that nothing else reads, and that can be written
// as `view` has it.
bool Placement::scatter(int value, const Strided& view) {
  while (uses_[index_of(value)] == 1 && within_[index_of(value)].value != value)
    value = within_[index_of(value)].value;
  const std::size_t v = index_of(value);
  if (uses_[v] != 1 || !of_convolution_[v]) return false;
  const Shape& shape = network_.values[v].shape;
  scattered_[v] = image_strides(view, shape[2] * shape[3]);
  return scattered_[v].has_value();
}

std::optional<ImageStrides> Placement::scattered(int value) const {
  while (!scattered_[index_of(value)] && within_[index_of(value)].value != value)
    value = within_[index_of(value)].value;
  return scattered_[index_of(value)];
}

void Placement::count_uses() {
  for (const Step& step : network_.steps) {
    for (const int input : step.inputs)
      if (input != kAbsent) ++uses_[index_of(input)];
    of_convolution_[index_of(step.output)] = std::holds_alternative<Convolution>(step.operation);
  }
  for (const int output : network_.outputs) ++uses_[index_of(output)];
}

void Placement::plan() {
  std::vector<Lifetime> buffers;
  const auto use = [&](int value, int step) {
    const std::size_t v = index_of(resolve(value).value);
    if (input_of_[v] >= 0 || output_of_[v] >= 0 || !network_.values[v].constant.empty()) return;
    if (buffer_of_[v] < 0) {
      buffer_of_[v] = static_cast<int>(buffers.size());
      const auto bytes =
          static_cast<std::size_t>(elements(network_.values[v].shape)) * sizeof(float);
      buffers.push_back({bytes, step, step});
    }
    buffers[index_of(buffer_of_[v])].last = step;
  };
  int number = 0;
  for (const Step& step : network_.steps) {
    for (const int input : step.inputs)
      if (input != kAbsent) use(input, number);
    use(step.output, number++);
  }
  for (const auto& [value, output] : copies_) use(value, number);
  plan_ = plan_memory(buffers, kBufferAlignment);
  largest_ = network::largest_live_set(buffers, kBufferAlignment);
}

Place Placement::of(int value) const {
  const Within at = resolve(value);
  const std::size_t v = index_of(at.value);
  if (!network_.values[v].constant.empty()) return {Place::In::constant, at.value, at.offset};
  if (input_of_[v] >= 0) return {Place::In::input, input_of_[v], at.offset};
  if (output_of_[v] >= 0) return {Place::In::output, output_of_[v], at.offset};
  const std::size_t begin = plan_.offsets[index_of(buffer_of_[v])] / sizeof(float);
  return {Place::In::frame, 0, static_cast<int64_t>(begin) + at.offset};
}

Place Placement::of(int value, const Strided& view) const {
  Place place = of(value);
  place.offset += view.offset;
  return place;
}

}  // namespace tandem::network
