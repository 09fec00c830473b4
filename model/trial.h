// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "model/configuration.h"
#include "model/predict.h"

namespace tandem {

/// A configuration that ran for a moment, and what it did beside what the model expected.
struct Trial {
  Configuration configuration;
  Prediction predicted, measured;
  bool at_length = false;  ///< it ran for longer than a glance
};

/// The trial of that configuration, or null.
const Trial* find_trial(std::span<const Trial> trials, const Configuration& configuration);

/// A prediction with what trials taught. What was tried is as it was measured. What was not errs as
/// its neighbours do: between two numbers of threads of one mapping under coarse grain the error is
/// interpolated, where one thread is taken to be right. More threads than tried are as predicted:
/// they may find another rhythm, and have to be tried. Threads that get in each other's way, or in
/// the driver's, are in no equation.
Prediction corrected(std::span<const Trial> trials, const Configuration& configuration,
                     const Prediction& prediction);

}  // namespace tandem
