// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/opencl/launches.h"

#include <cstring>
#include <limits>
#include <stdexcept>

#include "kernels/network/elementwise_cl.h"

namespace tandem::network {
namespace {

// Bytes: the alignment of vectors, and of a GPU's transactions.
constexpr std::size_t kConstantAlignment = 128;
constexpr opencl::CpuOrGpu kElementRun{256, 1}, kItems{16, 128};

}  // namespace

int offset_of(const Place& place) {
  if (place.offset > std::numeric_limits<int>::max())
    throw std::runtime_error("the values of a frame exceed 8 GiB on the device");
  return static_cast<int>(place.offset);
}

ActivationArguments arguments_of(const Activation& activation) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float alpha = activation.alpha, beta = activation.beta;
  switch (activation.kind) {
    case Activation::Kind::none:
      return {kActivateClamp, 1, 0, -kInfinity, kInfinity};
    case Activation::Kind::relu:
      return {kActivateClamp, 1, 0, 0, kInfinity};
    case Activation::Kind::clip:
      return {kActivateClamp, 1, 0, alpha, beta};
    case Activation::Kind::hard_sigmoid:
      return {kActivateClamp, alpha, beta, 0, 1};
    case Activation::Kind::hard_swish:
      return {kActivateGate, 1.0f / 6, 0.5f, 0, 1};
    case Activation::Kind::leaky_relu:
      return {kActivateLeaky, alpha, 0, 0, 0};
    case Activation::Kind::sigmoid:
      return {kActivateSigmoid, 0, 0, 0, 0};
    case Activation::Kind::silu:
      return {kActivateSilu, 0, 0, 0, 0};
    case Activation::Kind::tanh:
      return {kActivateTanh, 0, 0, 0, 0};
    case Activation::Kind::exp:
      return {kActivateExp, 0, 0, 0, 0};
    case Activation::Kind::sqrt:
      return {kActivateSqrt, 0, 0, 0, 0};
  }
  return {};
}

Launches::Launches(const Network& network, const opencl::DeviceDescription& device, int slices)
    : network_(network),
      device_(device),
      slices_(slices),
      placement_(network),
      constant_offsets_(network.values.size(), -1) {
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    const Step& step = network.steps[s];
    const std::size_t before = launches_.size();
    try {
      std::visit([&](const auto& operation) { add(step, operation); }, step.operation);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("step " + step.name + ": " + error.what());
    }
    for (std::size_t l = before; l < launches_.size(); ++l) launches_[l].step = static_cast<int>(s);
  }
  for (const auto& [value, output] : placement_.copies()) {
    const Strided all = row_major(shape(value));
    add_elementwise({}, kCopy, {place(value), place(value)}, {all, all},
                    {Place::In::output, output, 0}, all);
  }
}

int Launches::append(const void* data, std::size_t bytes) {
  const std::size_t begin = opencl::round_up(constants_.size(), kConstantAlignment / sizeof(float));
  constants_.resize(begin + (bytes + sizeof(float) - 1) / sizeof(float));
  std::memcpy(constants_.data() + begin, data, bytes);
  return offset_of({Place::In::constant, 0, static_cast<int64_t>(begin)});
}

Place Launches::place(int value) {
  Place place = placement_.of(value);
  if (place.in != Place::In::constant) return place;
  int& offset = constant_offsets_[static_cast<std::size_t>(place.index)];
  if (offset < 0) offset = append(network_.of(place.index).constant);
  place.offset += offset;
  return place;
}

void Launches::launch(const KernelForm& form, opencl::WorkSize global, int arguments,
                      const std::array<Place, 3>& inputs, const Place& output) {
  std::size_t kernel = 0;
  while (kernel < kernels_.size() && kernels_[kernel] != form) ++kernel;
  if (kernel == kernels_.size()) kernels_.push_back(form);
  global.sizes[0] = opencl::round_up(global.sizes[0], form.items);
  opencl::WorkSize local(form.items);
  local.dimensions = global.dimensions;
  launches_.push_back({static_cast<int>(kernel), global, local, arguments, inputs, output});
}

int Launches::width() const {
  if (!device_.is_cpu) return 1;
  return device_.vector_floats >= 16 ? 16 : 8;
}

int Launches::run() const { return static_cast<int>(kElementRun.on_cpu(device_.is_cpu)); }
std::size_t Launches::items() const { return kItems.on_cpu(device_.is_cpu); }

std::string Launches::options() const {
  return opencl::define("WIDTH", width()) + opencl::define("RUN", run()) +
         opencl::define("ITEMS", items());
}

KernelForm Launches::form(const char* name, const char* source) const {
  return {name, source, options(), items()};
}

void Launches::add_elementwise(const Step& step, int operation, const std::array<Place, 2>& inputs,
                               const std::array<Strided, 2>& views, Place output,
                               const Strided& to) {
  ElementwiseArguments a{};
  a.activation = arguments_of(step.activation);
  a.operation = operation;
  a.first = offset_of(inputs[0]);
  a.second = offset_of(inputs[1]);
  a.output = offset_of(output);
  // From the innermost side; a side continues the one inside if all strides do.
  a.sides = 0;
  for (std::size_t side = to.sizes.size(); side-- > 0;) {
    const auto size = static_cast<int>(to.sizes[side]);
    if (size == 1) continue;
    const std::array<int, 3> strides{static_cast<int>(views[0].strides[side]),
                                     static_cast<int>(views[1].strides[side]),
                                     static_cast<int>(to.strides[side])};
    const int inside = a.sides - 1;
    if (inside >= 0 && strides[0] == a.first_stride[inside] * a.size[inside] &&
        strides[1] == a.second_stride[inside] * a.size[inside] &&
        strides[2] == a.output_stride[inside] * a.size[inside]) {
      a.size[inside] *= size;
      continue;
    }
    a.size[a.sides] = size;
    a.first_stride[a.sides] = strides[0];
    a.second_stride[a.sides] = strides[1];
    a.output_stride[a.sides] = strides[2];
    ++a.sides;
  }
  if (a.sides == 0) a.size[a.sides++] = 1;
  a.rows = 1;
  for (int side = 1; side < a.sides; ++side) a.rows *= a.size[side];
  launch(form("elementwise", elementwise_cl),
         opencl::pieces(a.size[0], run()) * static_cast<std::size_t>(a.rows), a,
         {inputs[0], inputs[1], inputs[1]}, output);
}

void Launches::add_moved(const Step& step) {
  if (placement_.scattered(step.inputs[0])) return;
  const Strided from = moved_elements(network_, step).value();
  Place input = place(step.inputs[0]);
  input.offset += from.offset;
  const Place output = place(step.output);
  if (input == output && contiguous(from) && step.activation.kind == Activation::Kind::none) return;
  add_elementwise(step, kCopy, {input, input}, {from, from}, output, row_major(shape(step.output)));
}

void Launches::add(const Step& step, const Concat&) {
  for (std::size_t part = 0; part < step.inputs.size(); ++part) {
    if (placement_.scattered(step.inputs[part])) continue;
    const Strided to = concat_part(network_, step, part);
    const Strided from = row_major(shape(step.inputs[part]));
    const Place input = place(step.inputs[part]), output = placement_.of(step.output, to);
    if (input == output && step.activation.kind == Activation::Kind::none) continue;
    add_elementwise(step, kCopy, {input, input}, {from, from}, output, to);
  }
}

void Launches::add(const Step& step, const Unary&) {
  const Strided all = row_major(shape(step.output));
  const Place input = place(step.inputs[0]);
  add_elementwise(step, kCopy, {input, input}, {all, all}, place(step.output), all);
}

void Launches::add(const Step& step, const Binary& binary) {
  const Shape& output = shape(step.output);
  static constexpr int kOperations[] = {kAdd,   kSubtract, kMultiply, kDivide,
                                        kPower, kMaximum,  kMinimum};
  add_elementwise(
      step, kOperations[static_cast<int>(binary.kind)],
      {place(step.inputs[0]), place(step.inputs[1])},
      {broadcast_to(shape(step.inputs[0]), output), broadcast_to(shape(step.inputs[1]), output)},
      place(step.output), row_major(output));
}

}  // namespace tandem::network
