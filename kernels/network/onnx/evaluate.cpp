// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/network/onnx/shapes.h"

namespace tandem::network::reader {
namespace {

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

}  // namespace

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

}  // namespace tandem::network::reader
