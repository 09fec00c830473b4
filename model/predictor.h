// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "model/objective.h"
#include "model/predict/predict.h"

namespace tandem {

/// Says what configurations will do, from what was measured.
class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual Prediction predict(const Measurements& measurements,
                             const Configuration& configuration) const = 0;
  /// As tandem::choose().
  virtual Choice choose(const Measurements& measurements, const Objective& objective,
                        const Constraints& allowed, std::span<const Trial> trials,
                        Which which = Which::all) const = 0;
};

/// The queueing and energy model of Vilches, section IV (Model).
class AnalyticPredictor : public Predictor {
 public:
  Prediction predict(const Measurements& measurements,
                     const Configuration& configuration) const override {
    return tandem::predict(measurements, configuration);
  }
  Choice choose(const Measurements& measurements, const Objective& objective,
                const Constraints& allowed, std::span<const Trial> trials,
                Which which) const override {
    return tandem::choose(measurements, objective, allowed, trials, which);
  }
};

}  // namespace tandem
