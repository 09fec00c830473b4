// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cmath>
#include <memory>

#include "model/lane_prior.h"

namespace tandem::test {

/// X(S) / X(1) with 1, 2, 4 and 8 lanes.
using LaneGains = std::array<double, 4>;

inline LanePrior prior_of(const LaneGains& gains) {
  LanePrior prior;
  for (std::size_t i = 0; i < gains.size(); ++i) prior.gains[(1u << i) - 1] = gains[i];
  return prior;
}

/// A model that expects these gains of any stage: a step between each two numbers of partitions.
inline std::shared_ptr<const StreamModel> step_model(const LaneGains& gains) {
  constexpr double kSteep = 50;
  StreamModel::Layer steps{.inputs = kCandidateInputs, .outputs = 3};
  StreamModel::Layer sum{.inputs = 3, .outputs = 1, .biases = {0}};
  for (std::size_t i = 0; i < steps.outputs; ++i) {
    const double half = std::log(gains[i + 1] / gains[i]) / 2;
    for (std::size_t input = 0; input < kCandidateInputs; ++input)
      steps.weights.push_back(input == 0 ? kSteep : 0);
    steps.biases.push_back(-kSteep * (static_cast<double>(i) + 0.5));
    sum.weights.push_back(half);
    sum.biases[0] += half;
  }
  StreamModel model;
  model.networks = {{steps, sum}};
  return std::make_shared<const StreamModel>(model);
}

}  // namespace tandem::test
