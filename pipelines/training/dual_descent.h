// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "pipelines/training/random.h"

namespace tandem {

struct DescentOptions {
  int passes = 200;         ///< at most, over all examples
  double tolerance = 0.01;  ///< largest violation of the optimality conditions to stop at
  /// The bias is the weight of one more coefficient of this value: near the length of the examples,
  /// it keeps the penalty on the bias small.
  float bias_scale = 1;
};

struct Hyperplane {
  std::vector<float> weights;
  float bias = 0;
};

/// One dual variable's constraint, 0 <= dual <= cost, and the gradient there.
struct DualStep {
  double gradient, dual, cost;
  /// How far the variable is from optimal, given its bounds.
  double violation() const {
    if (dual <= 0) return std::min(gradient, 0.0);
    if (dual >= cost) return std::max(gradient, 0.0);
    return gradient;
  }
  /// At a bound, and pressed against it by more than anything was off in the pass before: it can be
  /// left out for a while.
  bool settled(double worst_before) const {
    return (dual <= 0 && gradient > worst_before) || (dual >= cost && -gradient > worst_before);
  }
};

/// Trains a linear SVM by dual coordinate descent (Hsieh et al., "A dual coordinate descent method
/// for large-scale linear SVM", ICML 2008). Starts from the examples' dual variables, which it
/// updates. The same result for a seed. Minimises, with w and b of the hyperplane:
///
///   `|w|^2/2 + b^2/(2 bias_scale^2) + sum C max(0, 1 - y (w x + b))`
///
/// Examples have these functions, `i` being an example:
///
/// - `std::size_t size() const`, `bool positive(i) const`, `double cost(i) const`, `double&
/// dual(i)`
/// - `float squared_norm(i) const`, `float dot(i, const std::vector<float>& weights) const`
/// - `void add_to(i, std::vector<float>& weights, float times)`
///
/// `after_pass` is called with the worst violation of each pass.
template <typename Examples>
Hyperplane descend(Examples& examples, std::size_t coefficients, const DescentOptions& options,
                   uint64_t seed, const std::function<void(double worst)>& after_pass) {
  constexpr double kNegligible = 1e-9;  // a violation that is not worth a step
  const float bias_scale = options.bias_scale;
  Hyperplane plane{std::vector<float>(coefficients), 0};
  std::vector<double> curvature;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    curvature.push_back(examples.squared_norm(i) + bias_scale * bias_scale);
    const double dual = examples.dual(i);
    if (dual == 0) continue;
    const auto signed_dual = static_cast<float>(examples.positive(i) ? dual : -dual);
    examples.add_to(i, plane.weights, signed_dual);
    plane.bias += signed_dual * bias_scale * bias_scale;
  }

  std::vector<std::size_t> all(examples.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> active = all;
  Random random(seed);
  double worst_before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < options.passes; ++pass) {
    random.shuffle(active);
    double worst = 0;
    std::erase_if(active, [&](std::size_t i) {
      const double sign = examples.positive(i) ? 1 : -1;
      const double cost = examples.cost(i);
      const double gradient = sign * (examples.dot(i, plane.weights) + plane.bias) - 1;
      const DualStep step{gradient, examples.dual(i), cost};
      if (step.settled(worst_before)) return true;
      const double off = std::abs(step.violation());
      worst = std::max(worst, off);
      if (off < kNegligible) return false;
      examples.dual(i) = std::clamp(step.dual - gradient / curvature[i], 0.0, cost);
      const auto change = static_cast<float>(sign * (examples.dual(i) - step.dual));
      examples.add_to(i, plane.weights, change);
      plane.bias += change * bias_scale * bias_scale;
      return false;
    });
    after_pass(worst);
    worst_before = worst;
    if (worst >= options.tolerance) continue;
    if (active.size() == all.size()) break;
    active = all;  // those that were left out have the last word
    worst_before = std::numeric_limits<double>::infinity();
  }
  return plane;
}

}  // namespace tandem
