// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "model/objective.h"
#include "scheduler/learn/facts/observation.h"

namespace tandem {

/// Below this a prediction is not better but lucky, however quiet the samples were.
inline constexpr double kLeastNoise = 0.02;

/// The meaning of observations.
struct Findings {
  Measurements measurements;
  double relative_error = 0;  ///< of the worst of the estimates
  bool starved = false;       ///< the source did not keep the threads busy while they were measured
  std::vector<Trial> trials;  ///< of the configurations that ran for a moment
};

/// Makes measurements of the observations of one training, in the order in which they were made;
/// those with the device mean nothing for a chain without one. Pure.
Findings interpret(std::span<const Observation> observations, const Chain& chain);

/// Seconds that a frame takes on the slowest path of a configuration.
double latency_s(const Measurements& measurements, const Configuration& configuration);

}  // namespace tandem
