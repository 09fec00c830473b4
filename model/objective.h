// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>

#include "model/correction.h"

namespace tandem {

/// The quantity to optimise. All but `throughput` and `latency` need energy.
enum class Metric {
  throughput,  ///< most frames a second
  energy,      ///< fewest joules a frame
  efficiency,  ///< most throughput / energy
  edp,         ///< least energy-delay product: joules a frame times seconds a frame
  latency,     ///< least 95th percentile of a frame's time from pad to pad
};

/// A metric, or conditions that take its place.
struct Objective {
  Metric metric = Metric::throughput;
  /// Least energy that reaches this rate; 0: off. If none reaches it: the fastest.
  double target_fps = 0;
  /// Most throughput within these watts; 0: off. If none stays within: least power. With a target
  /// as well: least energy that reaches the rate within the watts, else the fastest within.
  double power_budget_w = 0;
  /// Most throughput whose 95th percentile of latency stays below; with a rate to reach, least
  /// energy that does both, else the fastest that stays below; 0: off. If nothing stays below: the
  /// least latency.
  double target_latency_s = 0;
  /// Rate of a live source; 0: none. Where latency matters, a configuration has to keep up with it:
  /// frames would wait for ever longer otherwise.
  double source_fps = 0;

  bool operator==(const Objective&) const = default;
};

bool needs_energy(const Objective& objective);
bool needs_latency(const Objective& objective);
/// Whether a rate, a limit of watts or a latency has to be met.
bool has_conditions(const Objective& objective);
/// Whether the least latency is best, whatever the rate and the power.
bool least_latency(const Objective& objective);

/// The part that splits and devices of several kinds have to gain, and to promise before a trial. A
/// share may err, both sides are busy, and copies between devices go through the host. A tenth
/// would leave more than 8% of the latency of splits unused.
inline constexpr double kSplitGain = 0.06;

struct Candidate {
  Configuration configuration;
  Prediction prediction;
};

/// The best configuration, those behind it, and how well they meet the objective.
struct Choice {
  std::array<Candidate, 5> ranked{};  ///< best first
  int count = 0;                      ///< of `ranked`; 0: nothing can be predicted
  Objective objective;                ///< the one that was optimised in the end
  bool energy_unknown = false;        ///< energy was needed but unknown: throughput counted
  bool target_missed = false;         ///< no configuration reaches the rate
  bool budget_exceeded = false;       ///< no configuration stays within the watts
  bool latency_missed = false;        ///< no configuration stays below the latency
  /// By how much another configuration may be better, on average and as a part of the objective;
  /// unknown where no training weighed it.
  double expected_loss = kUnknown;

  const Candidate& best() const { return ranked[0]; }
};

/// Ranks all configurations by their predictions. Where energy is needed, a configuration whose
/// energy is unknown takes no part, unless all are unknown. Ties go to fewer threads, then to fewer
/// device stages, then to the first in order. Allocates nothing per configuration.
///
/// `allowed`: those that may be chosen; if none of them can be predicted, the choice is empty.
/// `trials` correct the predictions. `which`: all, or those that experiments (on the CPU) or trials
/// have measured.
enum class Which { all, measured };
Choice choose(const Measurements& measurements, const Objective& objective,
              const Constraints& allowed = {}, std::span<const Trial> trials = {},
              Which which = Which::all);

/// Whether Which::measured has it: it had an experiment, all of it on the CPU, or a trial.
bool was_measured(const Measurements& measurements, const Configuration& configuration,
                  std::span<const Trial> trials);

/// Whether `best` is better than `current` by more than `noise` (a relative error, such as 0.05). A
/// rate or a power that `current` misses by no more than the noise counts as met, a latency does
/// not: late frames are late. `objective` is that of the Choice.
bool worth_switching(const Prediction& current, const Prediction& best, const Objective& objective,
                     double noise);

}  // namespace tandem
