// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "scheduler/learn/belief/option.h"
#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

/// The posterior distribution of the value of each configuration.
///
/// A value is a logarithm, m(c) + g(c). m is the prediction of the analytic model. g is its error,
/// a Gaussian process over configurations with the covariance of common_errors(). Experiments
/// of whole frames, trials and looks observe m + g with noise. The posterior follows from Gaussian
/// regression (Rasmussen and Williams 2006, algorithm 2.1).
///
/// Errors have heavier tails than a normal distribution, in two ways:
/// - Some machines have errors several times as large. The marginal likelihood chooses their scale
///   (section 5.4 there).
/// - An observation that is too far from all others gets an error of its own.
class Belief {
 public:
  /// `facts`, `findings`: of a training.
  Belief(const Facts& facts, const Findings& findings, const Objective& objective,
         const Constraints& allowed);
  /// From derived knowledge, whose inputs and trials are less certain, and looks that verify it.
  Belief(const Learnt& derived, std::span<const Observation> looks, const Objective& objective,
         const Constraints& allowed);

  /// The options that may be the best and all that ran, in no order, with their posterior.
  const std::vector<Option>& options() const { return options_; }
  double covariance(const Option& a, const Option& b) const;
  /// Whether the times of the sides are too far from the derived ones for these to hold.
  bool errs() const { return errs_; }
  /// Variance of an observation that lasts so long. `brief`: no look.
  double noise(double counted_s, bool brief) const;
  /// The best option that ran; null: none did. `at_length`: of those that had a look.
  const Option* best(bool at_length = false) const;
  /// The best option that had a look, unless one without is better by Priors::confirmed; then null.
  const Option* confirmed() const;

 private:
  struct Seen {
    std::size_t option;
    double off;        ///< the observed value less the model's
    double precision;  ///< 1 / variance of the noise
    bool at_length;
    bool elsewhere;  ///< of frames of another size, or that took another time
  };

  void observe(std::span<const Observation> observations, const Objective& objective);
  Option* find(const Configuration& configuration);
  void take(const Option& of, double value, double variance, bool at_length, bool elsewhere);
  void choose_scales(double inputs);
  double factorise();
  void widen_surprises();
  void conclude(double inputs);
  void project(Option& option) const;
  Errors common(const Option& option, std::size_t seen) const;

  const bool tells_rates_;  // the value does: no joules and no conditions are in it
  std::vector<Option> options_;
  std::vector<Seen> seen_;
  std::vector<Option> seen_options_;
  std::vector<Errors> common_;  // of each pair of observations, the lower triangle
  Errors scales_;
  bool errs_ = false;
  // The lower Cholesky factor L of the covariance of all observations, row by row, with 1 / L_ii on
  // its diagonal, and L^-1 off.
  std::vector<double> factor_, solved_;
};

}  // namespace tandem
