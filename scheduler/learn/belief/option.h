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

/// Options between which a trial may change the choice: what ran and the best by hope(), of four
/// times as many that are best by the model. The time of a decision grows with the square.
inline constexpr std::ptrdiff_t kRivals = 64;

/// A configuration with what its error has in common with that of others.
struct Option {
  Configuration configuration;
  Prediction prediction;   ///< of the analytic model
  double price = 0;        ///< fewer lanes and whole frames are preferred to what gains no more
  double model = 0;        ///< value_of() the prediction, less the price
  bool ran = false;        ///< an experiment or a trial had it
  bool at_length = false;  ///< and one of them lasted as long as a look

  // Traits.
  bool device = false, coupled = false, medium = false;
  /// By how many percent the value falls if the device takes 1% longer: 1 where frames wait for the
  /// device alone, 0 where the cores are what they wait for.
  double exposed = 0;
  double busy = 0;       ///< cores that compute beside the device, as a part of all, cubed
  double lanes = 0;      ///< doublings of lanes
  double new_lanes = 0;  ///< the same, 0 where an experiment had so many lanes
  double threads = 0;    ///< by the cores
  /// Standard deviations of errors: of about so many threads and lanes (of coupled mappings, of the
  /// mapping as well), and its own.
  double sd = 0, own_sd = 0;
  double surprise = 0;  ///< variance: what was seen of it is too far from all else that was

  // Posterior, which Belief writes.
  double mean = 0, variance = 0;
  Configuration moved_by;  ///< of what ran, what moved the mean most; of no stages: nothing did
  double fps = 0;          ///< the mean, where it tells the rate, or what is predicted
  std::vector<double> projection;  ///< on what was seen

  /// What it may well be worth.
  double hope() const { return mean + 2 * std::sqrt(variance); }
};

/// Keeps what ran and the best of the others by `key`, so many in all, if no more ran.
template <class Key>
void keep_best(std::vector<Option>& options, std::ptrdiff_t most, Key key) {
  const auto others = std::partition(options.begin(), options.end(), std::mem_fn(&Option::ran));
  most = std::max(most, others - options.begin());
  if (most >= std::ssize(options)) return;
  std::ranges::nth_element(others, options.begin() + most, options.end(), std::greater{}, key);
  options.resize(static_cast<std::size_t>(most));
}

/// One number for each kind of errors: what two options have in common, as covariances before
/// anything was seen, or how much greater than usual they are, as factors of standard deviations.
struct Errors {
  double inputs = 0;    ///< of what a side takes
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
///     sides:     inputs^2 (e e' + (1 - e)(1 - e'))
///     device:    e e' (lanes^2 min(l, l') + beside^2 min(b, b') of one grain)
///     coupled:   coupled^2 of one grain
///     mapping:   s s' + s s' exp(-|n - n'| / alike - |log2 of lanes| / 1.5) of one grain + own^2
///
/// e is `exposed`, l are new lanes, b is `busy`. The first s s' is of coupled mappings. min() makes
/// a Wiener process of what busy cores and lanes take from the device: what is known of few of them
/// leaves open what more do.
Errors common_errors(const Option& a, const Option& b);

/// Whether it may be an option. The model says little of devices of further letters and of bands
/// that are not fixed, which have rules of their own.
bool is_predicted(const Configuration& configuration, const Constraints& allowed);

/// All configurations that may run and whose value can be predicted.
std::vector<Option> options_of(const Facts& facts, const Findings& findings,
                               const Objective& objective, const Constraints& allowed);

}  // namespace tandem
