// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "model/objective.h"
#include "scheduler/learn/facts.h"
#include "scheduler/learn/interpret.h"

namespace tandem {

/// The rate of a decoupled mapping is the sum of what its sides did alone: hardly a trial finds
/// more.
inline constexpr double kMostSurprise = 0.02;

/// What the model errs of mappings with both sides where the device is made of the cores, relative:
/// both sides share one time.
inline constexpr double kOneSideError = 0.05;

/// What a configuration has to promise beyond the best that was measured, in rate, to be tried:
/// `worth_a_trial` where the model hardly errs, `model_error` less than that where it does. The
/// rate of a decoupled one is the sum of what its sides did alone, and three numbers of threads
/// tell enough of a mapping. Where lanes fall short of what they promise, a coupled one errs by 3%
/// once that is known.
double promise_of(const Configuration& configuration, std::span<const Trial> trials,
                  double worth_a_trial, double model_error);

/// By how much trials miss what was expected of them, and so what one more is worth.
///
/// What a trial did is to what it promised as a log-normal variable whose mean and spread the
/// trials of this training tell, those of configurations like it most: of the same mapping and
/// granularity, with as many lanes and about as many threads. Before there are any it is what the
/// model errs on average. The gain that can be expected of a trial is the mean of what it would
/// gain over the best, none where it would be behind: the expected improvement of Bayesian
/// optimisation (Jones et al., 1998). A part of what trials seem to miss is noise, which no choice
/// gains.
class Promises {
 public:
  /// `noise`: relative, of one measurement.
  Promises(const Facts& facts, const Findings& findings, const Objective& objective, double noise);

  /// The mean gain over `best`, relative, in rate. Infinite where conditions are to be met, or
  /// latency counts: what is gained is no ratio.
  double expected_gain(const Candidate& candidate, const Prediction& best,
                       double least_spread = 0) const;

  /// How many times less than expected trials like it did on average, in rate: what one more is
  /// expected to fall short as well. 1 where there were none, or none that fell short. `at_length`:
  /// each trial of these lasted so long that it is taken at its word.
  double falls_short(const Configuration& configuration, bool at_length) const;

 private:
  struct Missed {
    Configuration configuration;
    double by;  ///< the logarithm of what was measured by what was expected
  };
  struct Mean {
    double by, trials;  ///< `trials`: how many it is worth
  };

  double alike(const Configuration& a, const Configuration& b) const;
  Mean mean_missed(const Configuration& configuration, double trials) const;

  const Objective objective_;
  const int cores_;
  const double coupled_error_, other_mapping_, noise_;
  std::vector<Missed> missed_;
};

}  // namespace tandem
