// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

// clang-format off
/// Assumptions of the belief before a training has measured anything, and costs of a training:
/// name, value, unit, subject. docs/learning.md shows how to change one. An `error` is the standard
/// deviation of the logarithm of a rate: 0.05 is about 5%.
#define TANDEM_PRIORS(PRIOR)                                                                       \
  /* Errors that configurations share: of what a side takes, as in Measurements. */                \
  PRIOR(inputs, 0.006, "error", "the times of a side, as the experiments measured them")           \
  PRIOR(inputs_elsewhere, 0.06, "error",                                                           \
        "the same, taken from other sizes or from before frames took another time")                \
  PRIOR(exponent, 0.2, "error for e times the pixels",                                             \
        "the times of a side at a size that nobody trained on")                                    \
  PRIOR(lanes, 0.05, "error", "the device, for each doubling of lanes that no experiment had")     \
  PRIOR(beside, 0.07, "error", "the device beside cores that are all busy")                        \
  PRIOR(disturbed, 5, "factor",                                                                    \
        "`lanes` or `beside` on machines whose driver starves, and `inputs_elsewhere` at times")   \
  PRIOR(disturbed_part, 0.1, "probability", "a machine is disturbed")                              \
  /* Errors of one mapping, of numbers of threads near each other, and of one configuration. */    \
  PRIOR(decoupled, 0.008, "error",                                                                 \
        "one configuration, and a mapping with about so many threads and lanes")                   \
  PRIOR(coupled, 0.024, "error",                                                                   \
        "the same of coupled mappings, one such mapping, and all of one granularity")              \
  PRIOR(with_lanes, 2.2, "factor", "errors of coupled mappings with several lanes")                \
  PRIOR(medium_of_cores, 0.1, "error", "medium grain beside a device that is made of the cores")   \
  PRIOR(threads_alike, 0.25, "part of the cores",                                                  \
        "the distance at which errors have a correlation of 1/e")                                  \
  PRIOR(scale, 0.3, "deviation of a logarithm",                                                    \
        "the size of errors of mappings, from machine to machine")                                 \
  PRIOR(outlier, 2, "standard deviations",                                                         \
        "an observation that is further off has an error of its own")                              \
  /* Noise of an observation. */                                                                   \
  PRIOR(noise, 0.005, "error", "an observation of any length, and as much again of one second")    \
  PRIOR(glance, 0.01, "error", "a brief observation, whose rhythm does not last")                  \
  PRIOR(elsewhere, 0.05, "error",                                                                  \
        "what a trial tells of other sizes, or of before frames took another time")                \
  /* The worth of a trial. */                                                                      \
  PRIOR(kept_s, 20, "s", "the time for which a choice is kept")                                    \
  PRIOR(second_costs, 0.2, "s of frames", "the price of a second of training")                     \
  PRIOR(patience_s, 1.5, "s of trials", "the price has doubled after so long")                     \
  PRIOR(switching, 0.5, "part", "the rate lost while pipelines drain and fill")                    \
  PRIOR(indifferent, 0.001, "logarithm of a rate", "a smaller gain is worth no trial")             \
  PRIOR(confirmed, 0.005, "logarithm of a rate", "a choice that had a look may be so far behind")
// clang-format on

namespace tandem {

struct Priors {
#define TANDEM_PRIOR(name, value, unit, reason) double name = value;
  TANDEM_PRIORS(TANDEM_PRIOR)
#undef TANDEM_PRIOR
};

/// The priors of the process. Benches change them before the first training, nothing else does.
inline Priors& priors() {
  static Priors values;
  return values;
}

}  // namespace tandem
