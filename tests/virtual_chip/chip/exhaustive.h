// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <vector>

#include "model/objective.h"
#include "tests/virtual_chip/chip/chip.h"

namespace tandem::test {

/// What a configuration does on a chip once it runs steadily.
struct Steady {
  double throughput_fps = 0, energy_j = 0;
  double latency_s = 0;  ///< the 95th percentile
  /// By a metric; more is better.
  double value(Metric metric) const;
};

/// In the simulation, when all queues have filled.
Steady run_steadily(const Chip& chip, const Configuration& configuration, unsigned seed, int frames,
                    bool cpu_fallback = true);
/// The same of frames that come one by one.
Steady run_one_by_one(const Chip& chip, const Configuration& configuration, unsigned seed,
                      int frames);

/// What a search of few seconds takes for the best.
struct Best {
  Configuration configuration;
  Steady steady;
};
/// How long a look of best_of() and look_at() is: whole periods of all intervals up to ten.
inline constexpr int kBestLookFrames = 2520;
/// The best by a metric: a glance at all configurations, a second one at the 32 ahead, and a look
/// at five of these. With more than nine numbers of threads only ten of them are glanced at first
/// (1, 2, and steps of an eighth of the cores, up to nC + 1), and then those between the neighbours
/// of the five ahead. A choice can be slightly better than this. Split frames take no part.
Best best_of(const Chip& chip, unsigned seed, Metric metric);
/// The look at one.
Steady look_at(const Chip& chip, unsigned seed, const Configuration& configuration);

/// Every configuration, run steadily.
class Exhaustive {
 public:
  Exhaustive(const Chip& chip, unsigned seed);

  struct Entry {
    Configuration configuration;
    Steady steady;
  };
  /// A longer look at those that are ahead, so that the best is not the luckiest.
  Entry best(Metric metric) const;
  /// Of those whose latency stays below, the one with the most throughput; none when none does.
  std::optional<Entry> fastest_below(double latency_s) const;
  /// The same longer look at one.
  Steady look(const Configuration& configuration) const;

 private:
  const Chip& chip_;
  const unsigned seed_;
  std::vector<Entry> all_;
};

}  // namespace tandem::test
