// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/graph.h"

#include <algorithm>
#include <utility>

#include "kernels/network/onnx/evaluate.h"
#include "kernels/network/onnx/shapes.h"

namespace tandem::network::reader {

int Graph::add(Operand operand) {
  if (operands_.size() >= kMostOperands)
    throw Problem("the file has more than " + std::to_string(kMostOperands) + " values");
  operands_.push_back(std::move(operand));
  return static_cast<int>(operands_.size()) - 1;
}

int Graph::add_value(const std::string& name, const Shape& shape) {
  network_.values.push_back({name, shape, {}});
  output_.push_back(false);
  return static_cast<int>(network_.values.size()) - 1;
}

int Graph::add_input(const std::string& name, const Shape& shape) {
  if (checked_elements(shape) == 0)
    throw Problem("input " + in_quotes(name) + " of " + text_of(shape) + " has no elements");
  const int value = add_value(name, shape);
  network_.inputs.push_back(value);
  return add({false, value, {}});
}

int Graph::add_constant(const std::string& name, Tensor tensor) {
  if (tensor.integer) return add({true, kAbsent, std::move(tensor)});
  const int value = add_value(name, tensor.shape);
  network_.values.back().constant = std::move(tensor.floats);
  return add({true, value, {}});
}

const Shape& Graph::shape(int operand) const {
  const Operand& o = at(operand);
  return o.value == kAbsent ? o.integers.shape : network_.of(o.value).shape;
}

int Graph::add_step(const std::string& name, Operation operation, const std::vector<int>& inputs,
                    const Shape& shape, Activation activation) {
  const auto constant = [&](int input) { return input == kAbsent || at(input).constant; };
  if (!std::ranges::all_of(inputs, constant))
    return push_step(name, std::move(operation), inputs, shape, activation);
  std::vector<Known> known;
  for (const int input : inputs) {
    if (input == kAbsent)
      known.emplace_back();
    else if (at(input).value == kAbsent)
      known.push_back({&this->shape(input), nullptr, &at(input).integers.integers});
    else
      known.push_back({&this->shape(input), &floats(input), nullptr});
  }
  return add_constant(name, evaluate(operation, activation, known, shape, budget_));
}

int Graph::push_step(const std::string& name, Operation operation, const std::vector<int>& inputs,
                     const Shape& shape, Activation activation) {
  if (checked_elements(shape) == 0)
    throw Problem("its result of " + text_of(shape) + " has no elements");
  if (network_.steps.size() >= kMostSteps)
    throw Problem("the file has more than " + std::to_string(kMostSteps) + " steps");
  Step step{name, std::move(operation), {}, kAbsent, activation};
  for (const int input : inputs) {
    step.inputs.push_back(input == kAbsent ? kAbsent : at(input).value);
    if (input == kAbsent) continue;
    if (at(input).value == kAbsent) throw Problem("one of its inputs has integers");
    if (checked_elements(this->shape(input)) == 0) throw Problem("one of its inputs is empty");
  }
  step.output = add_value(name, shape);
  output_.back() = true;
  network_.steps.push_back(std::move(step));
  return add({false, network_.steps.back().output, {}});
}

void Graph::rename(int operand, const std::string& name) {
  if (const int value = at(operand).value; value != kAbsent)
    network_.values[static_cast<std::size_t>(value)].name = name;
}

void Graph::add_output(const std::string& name, int operand) {
  if (at(operand).value == kAbsent)
    throw Problem("output " + in_quotes(name) + " has integers that depend on no input");
  if (!output_[static_cast<std::size_t>(at(operand).value)])
    operand = push_step(name, Unary{}, {operand}, Shape(shape(operand)), {});
  const int value = at(operand).value;
  output_[static_cast<std::size_t>(value)] = false;
  network_.values[static_cast<std::size_t>(value)].name = name;
  network_.outputs.push_back(value);
}

}  // namespace tandem::network::reader
