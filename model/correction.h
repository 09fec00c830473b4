// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "model/configuration.h"
#include "model/predict/predict.h"

namespace tandem {

/// A configuration that ran for a moment, and what it did beside what the model expected.
struct Trial {
  Configuration configuration;
  Prediction predicted, measured;
  /// At length; then `measured` is their mean, else what a glance saw.
  std::vector<Prediction> looks = {};
};

/// The mean of what one configuration did in at least one look. Energy is that of the looks in
/// which the counter had a new value.
Prediction mean_of_looks(std::span<const Prediction> looks);

/// The trial of that configuration, or null.
const Trial* find_trial(std::span<const Trial> trials, const Configuration& configuration);

/// A prediction with what trials taught. What was tried is as it was measured. What was not errs,
/// if it is under coarse grain and has the device, as its neighbours do: other numbers of threads
/// of the mapping, or of all such mappings while it was not tried itself.
/// The error grows between two numbers of threads with the square of the way from the lower one to
/// the higher one: threads get in each other's way, and in the driver's, when they are nearly as
/// many as the cores. One thread is taken to be right, and the rate of more threads than tried as
/// well: they may find another rhythm, and have to be tried. Their power errs as that of the most
/// threads that were tried.
Prediction corrected(std::span<const Trial> trials, const Configuration& configuration,
                     const Prediction& prediction);

/// At so many times the rate: the power stays.
Prediction at_ratio(Prediction prediction, double ratio);

}  // namespace tandem
