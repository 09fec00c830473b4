// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/trial.h"

#include <algorithm>

namespace tandem {
namespace {

// How many times the predicted values were measured.
struct Error {
  int threads = 1;
  double fps = 1, energy = 1;
};

Error error_of(const Trial& trial) {
  const double energy = trial.measured.energy_j / trial.predicted.energy_j;
  return {trial.configuration.threads,
          trial.measured.throughput_fps / trial.predicted.throughput_fps,
          known(energy) ? energy : 1};
}

}  // namespace

const Trial* find_trial(std::span<const Trial> trials, const Configuration& configuration) {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) {
    return trial.configuration == configuration;
  });
  return found == trials.end() ? nullptr : &*found;
}

Prediction corrected(std::span<const Trial> trials, const Configuration& configuration,
                     const Prediction& prediction) {
  Error below, above{0};
  for (const Trial& trial : trials) {
    if (trial.configuration == configuration) return trial.measured;
    if (trial.configuration.mapping != configuration.mapping ||
        trial.configuration.granularity != Granularity::coarse ||
        configuration.granularity != Granularity::coarse)
      continue;
    const int threads = trial.configuration.threads;
    if (threads < configuration.threads && threads >= below.threads) below = error_of(trial);
    if (threads > configuration.threads && (above.threads == 0 || threads < above.threads))
      above = error_of(trial);
  }
  if (above.threads == 0) return prediction;
  Error error = below;
  const double share =
      static_cast<double>(configuration.threads - below.threads) / (above.threads - below.threads);
  error.fps += share * (above.fps - below.fps);
  error.energy += share * (above.energy - below.energy);
  Prediction p = prediction;
  p.throughput_fps *= error.fps;
  p.energy_j *= error.energy;
  p.power_w = p.energy_j * p.throughput_fps;
  return p;
}

}  // namespace tandem
