// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "model/objective.h"
#include "scheduler/learn/facts/observation.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

/// Most options of a belief: those that ran and the best by hope(), out of four times as many that
/// are best by the model. The time of a decision grows with the square.
inline constexpr std::ptrdiff_t kRivals = 64;

/// A configuration with the traits by which its error resembles those of others.
struct Option {
  Configuration configuration;
  Prediction prediction;   ///< of the analytic model
  double price = 0;        ///< prefers fewer lanes and whole frames where others gain no more
  double model = 0;        ///< value_of() the prediction, less the price
  bool ran = false;        ///< an experiment or a trial had it
  bool at_length = false;  ///< and one of them lasted as long as a look

  // Traits.
  bool device = false, coupled = false, medium = false;
  /// By how many percent the value falls if the device takes 1% longer: 1 where frames wait for the
  /// device alone, 0 where they wait for the cores.
  double exposed = 0;
  double busy = 0;       ///< cores that compute beside the device, as a part of all, cubed
  double lanes = 0;      ///< doublings of lanes
  double new_lanes = 0;  ///< the same, 0 where an experiment had so many lanes
  double threads = 0;    ///< by the cores
  /// Standard deviations of errors: of about so many threads and lanes (of coupled mappings, of the
  /// mapping as well), and its own.
  double sd = 0, own_sd = 0;
  double surprise = 0;  ///< extra variance if its observation is too far from all others

  // Posterior, which Belief writes.
  double mean = 0, variance = 0;
  Configuration moved_by;          ///< its observation moved the mean most; of no stages: none did
  double fps = 0;                  ///< by the mean, where that is of the rate, else as predicted
  std::vector<double> projection;  ///< on the observations

  /// An optimistic value.
  double hope() const { return mean + 2 * std::sqrt(variance); }
};

/// Keeps all options that ran and the best of the others by `key`, `most` in all if no more ran.
template <class Key>
void keep_best(std::vector<Option>& options, std::ptrdiff_t most, Key key) {
  const auto others = std::partition(options.begin(), options.end(), std::mem_fn(&Option::ran));
  most = std::max(most, others - options.begin());
  if (most >= std::ssize(options)) return;
  std::ranges::nth_element(others, options.begin() + most, options.end(), std::greater{}, key);
  options.resize(static_cast<std::size_t>(most));
}

/// One number for each kind of errors. The numbers are prior covariances of two options, or factors
/// on the usual standard deviations.
struct Errors {
  double inputs = 0;    ///< of the times of a side
  double beside = 0;    ///< of a device beside busy cores
  double lanes = 0;     ///< of lanes that no experiment had
  double mappings = 0;  ///< of single mappings and configurations
  double always = 0;    ///< no factor changes it

  double covariance(const Errors& by) const {
    return by.inputs * by.inputs * inputs + by.beside * by.beside * beside +
           by.lanes * by.lanes * lanes + by.mappings * by.mappings * mappings + always;
  }
};

/// The sum of these terms:
///
/// - sides:   inputs^2 (e e' + (1 - e)(1 - e'))
/// - device:  e e' (lanes^2 min(l, l') + beside^2 min(b, b') of one grain)
/// - coupled: coupled^2 of one grain
/// - mapping: s s' + s s' exp(-|n - n'| / alike - |log2 of lanes| / 1.5) of one grain + own^2
///
/// e is `exposed`, l are new lanes, b is `busy`. The first s s' is of coupled mappings. min() makes
/// a Wiener process of the effects of busy cores and lanes on the device: observations of few of
/// them leave open what more do.
Errors common_errors(const Option& a, const Option& b);

/// Whether it may be an option. The model says little of devices of further letters and of bands
/// that are not fixed, which have rules of their own.
bool is_predicted(const Configuration& configuration, const Constraints& allowed);

/// All configurations that may run and whose value can be predicted.
std::vector<Option> options_of(const Facts& facts, const Findings& findings,
                               const Objective& objective, const Constraints& allowed);

}  // namespace tandem
