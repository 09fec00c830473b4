// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/network/onnx/shapes.h"
#include "kernels/network/onnx/tensor.h"

namespace tandem::network::reader {
namespace {

/// An input of a step that is computed while the file is read. Exactly one of the last two is set.
struct Known {
  const Shape* shape = nullptr;  ///< null: the input is not there
  const std::vector<float>* floats = nullptr;
  const std::vector<int64_t>* integers = nullptr;
};

// A shape as a step of its own; elements of integers are their places in `integers`.
class Evaluation {
 public:
  Evaluation(const Operation& operation, const Activation& activation,
             const std::vector<Known>& inputs, const Shape& shape)
      : shape_(shape) {
    step_.operation = operation;
    step_.activation = activation;
    for (const Known& input : inputs) add(input);
    step_.output = static_cast<int>(network_.values.size());
    network_.values.push_back({{}, shape, {}});
  }

  bool integers() const { return has_integers_; }

  // Elements that are combined into those of the result.
  int64_t more_work() const {
    if (std::holds_alternative<MatMul>(step_.operation) ||
        std::holds_alternative<Convolution>(step_.operation))
      return kWorkOfProduct * multiply_adds(network_, step_);
    if (std::holds_alternative<Concat>(step_.operation))  // which input it is
      return elements(shape_) * static_cast<int64_t>(step_.inputs.size());
    const auto* const pool = std::get_if<Pool>(&step_.operation);
    return pool ? elements(shape_) * pool->window.kernel[0] * pool->window.kernel[1] : 0;
  }

  std::vector<float> run() const {
    std::vector<const float*> inputs;
    for (const std::vector<float>& places : places_) inputs.push_back(places.data());
    for (std::size_t i = 0; i < floats_.size(); ++i)
      if (floats_[i]) inputs[i] = floats_[i];
    std::vector<float> result(static_cast<std::size_t>(elements(shape_)));
    step_ref(network_, step_, inputs, result.data());
    return result;
  }

  int64_t integer(float place) const { return integers_[static_cast<std::size_t>(place)]; }

 private:
  // The reference looks for each element of a product.
  static constexpr int64_t kWorkOfProduct = 8;

  void add(const Known& input) {
    places_.emplace_back();
    floats_.push_back(input.floats ? input.floats->data() : nullptr);
    step_.inputs.push_back(input.shape ? static_cast<int>(network_.values.size()) : kAbsent);
    if (!input.shape) return;
    network_.values.push_back({{}, *input.shape, {}});
    if (!input.integers) return;
    has_integers_ = true;
    places_.back().resize(input.integers->size());
    std::iota(places_.back().begin(), places_.back().end(), static_cast<float>(integers_.size()));
    integers_.insert(integers_.end(), input.integers->begin(), input.integers->end());
  }

  const Shape& shape_;
  Network network_;
  Step step_;
  bool has_integers_ = false;
  std::vector<int64_t> integers_;
  std::vector<std::vector<float>> places_;  // of each input
  std::vector<const float*> floats_;        // of each input; null: integers
};

bool only_moves(const Operation& operation) {
  return std::holds_alternative<Concat>(operation) ||
         std::holds_alternative<Transpose>(operation) || std::holds_alternative<Slice>(operation) ||
         std::holds_alternative<Reshape>(operation);
}

/// The result of a step on constants, computed by the reference. Integers can only change places.
/// Throws Problem: the budget is spent, or an element is infinite or NaN.
Tensor evaluate(const Operation& operation, const Activation& activation,
                const std::vector<Known>& inputs, const Shape& shape, Budget& budget) {
  const int64_t count = checked_elements(shape);
  const auto empty = [](const Known& input) {
    return input.shape && checked_elements(*input.shape) == 0;
  };
  if (count > 0 && !std::holds_alternative<Concat>(operation) && std::ranges::any_of(inputs, empty))
    throw Problem("one of its inputs is empty");
  for (const Known& input : inputs)
    if (input.integers) budget.take_work(static_cast<int64_t>(input.integers->size()));
  const Evaluation evaluation(operation, activation, inputs, shape);
  budget.take_work(evaluation.more_work());
  budget.take_computed(count, evaluation.integers());
  Tensor result{shape, evaluation.integers(), {}, {}};
  if (count == 0) return result;
  if (!result.integer) {
    result.floats = evaluation.run();
    for (const float element : result.floats)
      if (!std::isfinite(element)) throw Problem("its constant result is infinite or NaN");
    return result;
  }
  for (const Known& input : inputs)
    if (input.shape && !input.integers) throw Problem("its inputs mix integers and floats");
  if (!only_moves(operation)) throw Problem("it is not supported for integers");
  for (const float place : evaluation.run()) result.integers.push_back(evaluation.integer(place));
  return result;
}

}  // namespace

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
