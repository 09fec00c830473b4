// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/node.h"

#include <cmath>
#include <utility>

#include "kernels/network/onnx/problem.h"
#include "kernels/network/onnx/shapes.h"

namespace tandem::network::reader {
namespace {

std::string numbered(std::size_t input) { return "input " + std::to_string(input); }

}  // namespace

Attributes::Attributes(const ::onnx::NodeProto& node) {
  for (const Proto& attribute : node.attribute()) {
    if (!attribute.ref_attr_name().empty())
      throw Problem("attribute " + in_quotes(attribute.name()) + " is that of a function");
    if (!all_.try_emplace(attribute.name(), Entry{&attribute, false}).second)
      throw Problem("it has attribute " + in_quotes(attribute.name()) + " twice");
  }
}

const ::onnx::AttributeProto* Attributes::find(std::string_view name, Proto::AttributeType type) {
  const auto found = all_.find(name);
  if (found == all_.end()) return nullptr;
  found->second.read = true;
  if (found->second.proto->type() != type)
    throw Problem("attribute " + in_quotes(name) + " has another type than " +
                  Proto::AttributeType_Name(type));
  return found->second.proto;
}

int64_t Attributes::integer(std::string_view name, int64_t otherwise) {
  const Proto* const attribute = find(name, Proto::INT);
  return attribute ? attribute->i() : otherwise;
}

float Attributes::number(std::string_view name, float otherwise) {
  const Proto* const attribute = find(name, Proto::FLOAT);
  const float number = attribute ? attribute->f() : otherwise;
  if (!std::isfinite(number)) throw Problem("attribute " + in_quotes(name) + " is infinite or NaN");
  return number;
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) {
  const Proto* const attribute = find(name, Proto::STRING);
  return attribute ? attribute->s() : std::string(otherwise);
}

std::optional<std::vector<int64_t>> Attributes::integers(std::string_view name) {
  const Proto* const attribute = find(name, Proto::INTS);
  if (!attribute) return std::nullopt;
  return std::vector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<float>> Attributes::numbers(std::string_view name) {
  const Proto* const attribute = find(name, Proto::FLOATS);
  if (!attribute) return std::nullopt;
  return std::vector<float>(attribute->floats().begin(), attribute->floats().end());
}

const ::onnx::TensorProto* Attributes::tensor(std::string_view name) {
  const Proto* const attribute = find(name, Proto::TENSOR);
  return attribute ? &attribute->t() : nullptr;
}

void Attributes::ignore(std::string_view name) {
  if (const auto found = all_.find(name); found != all_.end()) found->second.read = true;
}

void Attributes::check_all_read() const {
  for (const auto& [name, entry] : all_)
    if (!entry.read) throw Problem("attribute " + in_quotes(name) + " is not supported");
}

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
