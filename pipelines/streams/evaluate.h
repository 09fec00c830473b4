// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>

#include "pipelines/streams/methods.h"

/// Every method against every program that it has not seen.
namespace tandem::streams {

/// Programs of one family, such as convsepr1 and convsepr8, are left out together.
std::string family_of(const std::string& program);

/// The result of a method for one sample.
struct Outcome {
  StreamCandidate chosen;
  double speed_up = 1;  ///< over one stream
  double share = 1;     ///< of the best setting's speed-up
  double error = 0;     ///< standard error of the setting's mean time, relative
};

struct Evaluation {
  struct OfMethod {
    std::string name, note;
    std::vector<Outcome> outcomes;   ///< by sample
    double share = 0, speed_up = 0;  ///< means over samples
    double least_share = 0;          ///< of a program's mean

    double mean(double Outcome::*part, const std::vector<std::size_t>& samples) const;
  };
  Samples samples;
  std::vector<double> best;  ///< speed-up of the best setting, by sample
  double best_speed_up = 0;  ///< mean
  std::vector<OfMethod> methods;
  std::vector<StreamModel> models;    ///< by fold
  std::vector<std::size_t> fold_of;   ///< by sample
  std::vector<std::string> programs;  ///< in order
  std::vector<std::string> features;  ///< of a model of all samples
  std::vector<double> importance;

  /// Samples of one program.
  std::vector<std::size_t> samples_of(const std::string& program) const;
  /// The share of programs on which the first method is better or worse than another one, by more
  /// than 0.1% of the best.
  struct Lead {
    double ahead = 0, behind = 0;
    /// Programs with a difference beyond 95% of the chance differences by timing errors.
    double surely_ahead = 0, surely_behind = 0;
  };
  Lead lead_over(const OfMethod& other) const;
};

/// Leaves one family out at a time. `tell` is called with the number of finished families and of
/// all.
Evaluation evaluate(const SampleTable& table, const TrainOptions& options,
                    const std::function<void(std::size_t, std::size_t)>& tell);

}  // namespace tandem::streams
