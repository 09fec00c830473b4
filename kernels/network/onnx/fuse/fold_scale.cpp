// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/fuse/fold_scale.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tandem::network {
namespace {

// x becomes factor x + offset.
struct Affine {
  double factor = 1, offset = 0;
};

std::optional<Affine> affine_of(Binary::Kind kind, double constant, bool constant_is_second) {
  switch (kind) {
    case Binary::Kind::add:
      return Affine{1, constant};
    case Binary::Kind::subtract:
      return constant_is_second ? Affine{1, -constant} : Affine{-1, constant};
    case Binary::Kind::multiply:
      return Affine{constant, 0};
    case Binary::Kind::divide:
      if (constant_is_second && constant != 0) return Affine{1 / constant, 0};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Whether a constant of `shape` has one element, or one for each channel of 1 x C x H x W.
bool is_of_channels(const Shape& shape, int64_t channels) {
  if (shape.size() > 4) return false;
  for (std::size_t side = 0; side < shape.size(); ++side) {
    const bool of_channels = shape.size() - side == 3;
    if (shape[side] != 1 && !(of_channels && shape[side] == channels)) return false;
  }
  return true;
}

bool finite(const std::vector<float>& all) {
  return std::ranges::all_of(all, [](float one) { return std::isfinite(one); });
}

// What `binary` makes of each channel; nothing where that is no multiple.
std::vector<Affine> affine_of_channels(const Step& binary, const std::vector<float>& constant,
                                       std::size_t channels, bool constant_is_second) {
  std::vector<Affine> result;
  for (std::size_t c = 0; c < channels; ++c) {
    const double one = constant[constant.size() == 1 ? 0 : c];
    const auto affine = affine_of(std::get<Binary>(binary.operation).kind, one, constant_is_second);
    if (!affine) return {};
    result.push_back(*affine);
  }
  return result;
}

void set_constant(Network& network, int& input, Value value) {
  input = static_cast<int>(network.values.size());
  network.values.push_back(std::move(value));
}

}  // namespace

bool fold_scale(Network& network, Step& conv, const Step& binary, bool conv_is_first,
                int64_t& left) {
  const Value& constant = network.of(binary.inputs[conv_is_first ? 1 : 0]);
  const auto channels = static_cast<std::size_t>(network.of(conv.output).shape[1]);
  if (constant.constant.empty() || !is_of_channels(constant.shape, static_cast<int64_t>(channels)))
    return false;
  const auto affine = affine_of_channels(binary, constant.constant, channels, conv_is_first);
  if (affine.empty()) return false;
  const bool scales = std::ranges::any_of(affine, [](Affine a) { return a.factor != 1; });
  const int64_t cost =
      static_cast<int64_t>(channels) + (scales ? elements(network.of(conv.inputs[1]).shape) : 0);
  if (cost > left) return false;
  left -= cost;

  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kAbsent;
  Value bias = has_bias ? network.of(conv.inputs[2])
                        : Value{conv.name + " bias",
                                {static_cast<int64_t>(channels)},
                                std::vector<float>(channels)};
  for (std::size_t c = 0; c < channels; ++c)
    bias.constant[c] = static_cast<float>(bias.constant[c] * affine[c].factor + affine[c].offset);
  Value weights;
  if (scales) {
    weights = network.of(conv.inputs[1]);
    const std::size_t size = weights.constant.size() / channels;
    for (std::size_t i = 0; i < weights.constant.size(); ++i)
      weights.constant[i] = static_cast<float>(weights.constant[i] * affine[i / size].factor);
  }
  if (!finite(weights.constant) || !finite(bias.constant)) return false;
  conv.inputs.resize(3);
  if (scales) set_constant(network, conv.inputs[1], std::move(weights));
  set_constant(network, conv.inputs[2], std::move(bias));
  return true;
}

}  // namespace tandem::network
