// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits>

#include "kernels/network/onnx/operators/operators.h"

namespace tandem::network::reader {
namespace {

using Kind = Activation::Kind;

void lower_activation(Node& node, const Activation& activation) {
  node.give(node.step(Unary{}, {node.input(0)}, node.shape(0), activation));
}

template <Kind kind>
void lower_plain(Node& node) {
  lower_activation(node, {kind});
}

void lower_leaky_relu(Node& node) {
  lower_activation(node, {Kind::leaky_relu, node.attributes.number("alpha", 0.01f), 0});
}

void lower_prelu(Node& node) {
  const std::vector<float>& slopes = node.floats(1);
  node.graph.budget().take_work(static_cast<int64_t>(slopes.size()));
  for (const float slope : slopes)
    if (slope != slopes[0]) throw Problem("slopes that differ are not supported");
  if (slopes.empty()) throw Problem("input 1 is empty");
  lower_activation(node, {Kind::leaky_relu, slopes[0], 0});
}

void lower_hard_sigmoid(Node& node) {
  const float alpha = node.attributes.number("alpha", 0.2f);
  lower_activation(node, {Kind::hard_sigmoid, alpha, node.attributes.number("beta", 0.5f)});
}

void lower_clip(Node& node) {
  constexpr float kLeast = std::numeric_limits<float>::lowest();
  constexpr float kMost = std::numeric_limits<float>::max();
  Activation clip{Kind::clip, kLeast, kMost};
  if (node.opset < 11) {
    if (node.inputs() != 1) throw Problem("its limits are inputs, which opset 11 begins with");
    clip.alpha = node.attributes.number("min", kLeast);
    clip.beta = node.attributes.number("max", kMost);
  } else {
    if (node.has(1)) clip.alpha = node.scalar(1);
    if (node.has(2)) clip.beta = node.scalar(2);
  }
  lower_activation(node, clip);
}

}  // namespace

std::span<const Operator> activation_operators() {
  static constexpr Operator kAll[] = {
      {"Clip", 6, kLatestOpset, 1, 3, lower_clip},
      {"Exp", 6, kLatestOpset, 1, 1, lower_plain<Kind::exp>},
      {"HardSigmoid", 6, kLatestOpset, 1, 1, lower_hard_sigmoid},
      {"HardSwish", 14, kLatestOpset, 1, 1, lower_plain<Kind::hard_swish>},
      {"LeakyRelu", 6, kLatestOpset, 1, 1, lower_leaky_relu},
      {"PRelu", 7, kLatestOpset, 2, 2, lower_prelu},
      {"Relu", 6, kLatestOpset, 1, 1, lower_plain<Kind::relu>},
      {"Sigmoid", 6, kLatestOpset, 1, 1, lower_plain<Kind::sigmoid>},
      {"Sqrt", 6, kLatestOpset, 1, 1, lower_plain<Kind::sqrt>},
      {"Tanh", 6, kLatestOpset, 1, 1, lower_plain<Kind::tanh>},
  };
  return kAll;
}

}  // namespace tandem::network::reader
