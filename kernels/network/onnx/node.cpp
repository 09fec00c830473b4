// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/node.h"

#include <utility>

#include "kernels/network/onnx/shapes.h"

namespace tandem::network::reader {
namespace {

std::string numbered(std::size_t input) { return "input " + std::to_string(input); }

}  // namespace

Node::Node(Graph& all, const ::onnx::NodeProto& proto, int version, const std::string& place,
           std::vector<int> inputs)
    : opset(version),
      folder(place),
      attributes(proto),
      graph(all),
      name_(!proto.name().empty() || proto.output().empty() ? proto.name() : proto.output(0)),
      inputs_(std::move(inputs)),
      outputs_(proto.output().begin(), proto.output().end()),
      given_(outputs_.size(), kAbsent),
      first_own_(all.size()) {
  if (name_.size() > kMostNameBytes) throw Problem("its name is too long");
}

int Node::input(std::size_t input) const {
  if (!has(input)) throw Problem(numbered(input) + " is missing");
  return inputs_[input];
}

const std::vector<int64_t>& Node::integers(std::size_t input) const {
  const Operand& operand = graph.at(this->input(input));
  if (operand.value != kAbsent)
    throw Problem(numbered(input) + (operand.constant
                                         ? " has floats instead of integers"
                                         : " depends on the image; export with static shapes"));
  return operand.integers.integers;
}

const std::vector<float>& Node::floats(std::size_t input) const {
  const Operand& operand = graph.at(this->input(input));
  if (!operand.constant) throw Problem(numbered(input) + " has to be a constant");
  if (operand.value == kAbsent) throw Problem(numbered(input) + " has integers instead of floats");
  return graph.floats(this->input(input));
}

float Node::scalar(std::size_t input) const {
  const std::vector<float>& all = floats(input);
  if (all.size() != 1) throw Problem(numbered(input) + " has to have one element");
  return all[0];
}

std::optional<std::vector<int64_t>> Node::integers(std::string_view attribute, std::size_t input) {
  std::optional<std::vector<int64_t>> result = attributes.integers(attribute);
  if (!has(input)) return result;
  if (result) throw Problem("it has " + in_quotes(attribute) + " twice");
  return integers(input);
}

int Node::step(Operation operation, const std::vector<int>& operands, const Shape& shape,
               Activation activation) {
  return graph.add_step(name_, std::move(operation), operands, shape, activation);
}

Tensor Node::room(const Shape& shape, bool integer) {
  graph.budget().take_computed(checked_elements(shape), integer);
  return {shape, integer, {}, {}};
}

int Node::constant(Tensor tensor) { return graph.add_constant(name_, std::move(tensor)); }

int Node::reshaped(int operand, const Shape& shape) {
  return graph.shape(operand) == shape ? operand : step(Reshape{}, {operand}, shape);
}

void Node::give(int operand, std::size_t output) {
  if (output >= outputs_.size()) throw Problem("it has too few outputs");
  given_[output] = operand;
  if (static_cast<std::size_t>(operand) >= first_own_) graph.rename(operand, outputs_[output]);
}

}  // namespace tandem::network::reader
