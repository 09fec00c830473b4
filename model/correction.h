// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "model/configuration.h"
#include "model/predict/predict.h"

namespace tandem {

/// A configuration that ran for a moment: what the model expected of it and what was measured.
struct Trial {
  Configuration configuration;
  Prediction predicted, measured;
  /// Results at length; `measured` is their mean, or the result of a glance without any.
  std::vector<Prediction> looks = {};
};

/// The mean of at least one look at a configuration. Energy is that of the looks in which the
/// counter had a new value.
Prediction mean_of_looks(std::span<const Prediction> looks);

/// The trial of that configuration, or null.
const Trial* find_trial(std::span<const Trial> trials, const Configuration& configuration);

/// A prediction corrected by trials. A configuration that was tried has its measured values. Others
/// under coarse grain with the device err as their neighbours do: other numbers of threads of the
/// mapping, or of all such mappings if this one was not tried.
/// The error grows between two numbers of threads with the square of the way from the lower one to
/// the higher one. Threads get in each other's way, and in the driver's, when they are nearly as
/// many as the cores. The prediction for one thread is taken to be right, and so is the rate of
/// more threads than tried: they may find another rhythm, and have to be tried. Their power errs as
/// that of the most threads that were tried.
Prediction corrected(std::span<const Trial> trials, const Configuration& configuration,
                     const Prediction& prediction);

/// The prediction at `ratio` times the rate and the same power.
Prediction at_ratio(Prediction prediction, double ratio);

}  // namespace tandem
