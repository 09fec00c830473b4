// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/correction.h"

#include <algorithm>

namespace tandem {
namespace {

// How many times the predicted values were measured.
struct Error {
  double fps = 1, energy = 1;
};

Error error_of(const Trial& trial) {
  const double energy = trial.measured.energy_j / trial.predicted.energy_j;
  return {trial.measured.throughput_fps / trial.predicted.throughput_fps,
          known(energy) ? energy : 1};
}

// Means of trials with the same number of threads, the nearest to it from below or from above.
class Neighbour {
 public:
  explicit Neighbour(bool above) : above_(above) {}

  void offer(const Trial& trial) {
    const int threads = trial.configuration.threads;
    if (trials_ > 0 && (above_ ? threads > threads_ : threads < threads_)) return;
    if (threads != threads_) *this = Neighbour(above_);
    threads_ = threads;
    ++trials_;
    const Error error = error_of(trial);
    sum_.fps += error.fps;
    sum_.energy += error.energy;
  }

  bool found() const { return trials_ > 0; }
  int threads() const { return threads_; }
  Error error() const {
    return found() ? Error{sum_.fps / trials_, sum_.energy / trials_} : Error{};
  }

 private:
  bool above_;
  int threads_ = 1;  // one thread is taken to be right
  int trials_ = 0;
  Error sum_{0, 0};
};

// Trials that are like the configuration in all but mapping and threads: those of its mapping, or
// all of them if its mapping was not tried.
struct Neighbours {
  Neighbour below{false}, above{true};

  template <class IsAlike>
  Neighbours(std::span<const Trial> trials, const Configuration& configuration,
             IsAlike&& is_alike) {
    const auto same = [&](const Trial& trial) {
      return is_alike(trial) && trial.configuration.mapping == configuration.mapping;
    };
    const bool known_mapping = std::ranges::any_of(trials, same);
    for (const Trial& trial : trials)
      if (known_mapping ? same(trial) : is_alike(trial))
        (trial.configuration.threads <= configuration.threads ? below : above).offer(trial);
  }
};

Prediction times(const Error& error, Prediction prediction) {
  prediction.throughput_fps *= error.fps;
  prediction.energy_j *= error.energy;
  prediction.power_w = prediction.energy_j * prediction.throughput_fps;
  return prediction;
}

}  // namespace

const Trial* find_trial(std::span<const Trial> trials, const Configuration& configuration) {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) {
    return trial.configuration == configuration;
  });
  return found == trials.end() ? nullptr : &*found;
}

Prediction mean_of_looks(std::span<const Prediction> looks) {
  double fps = 0, energy_j = 0, latency_s = 0, metered = 0;
  for (const Prediction& look : looks) {
    fps += look.throughput_fps;
    latency_s += look.latency_s;
    if (!known(look.energy_j)) continue;
    ++metered;
    energy_j += look.energy_j;
  }
  Prediction mean = looks[0];
  mean.throughput_fps = fps / static_cast<double>(looks.size());
  mean.latency_s = latency_s / static_cast<double>(looks.size());
  mean.energy_j = metered > 0 ? energy_j / metered : kUnknown;
  mean.power_w = mean.energy_j * mean.throughput_fps;
  return mean;
}

Prediction corrected(std::span<const Trial> trials, const Configuration& configuration,
                     const Prediction& prediction) {
  if (const Trial* trial = find_trial(trials, configuration)) return trial->measured;
  if (configuration.granularity != Granularity::coarse || !configuration.mapping.any_device())
    return prediction;
  const auto [below, above] = Neighbours(trials, configuration, [&](const Trial& trial) {
    return trial.configuration.granularity == Granularity::coarse &&
           trial.configuration.lanes == configuration.lanes &&
           trial.configuration.tasks == configuration.tasks &&
           trial.configuration.mapping.any_device() &&
           trial.configuration.mapping.letters() == configuration.mapping.letters();
  });
  Error error = below.error();
  if (below.threads() < configuration.threads) {
    const double watts = error.energy * error.fps;
    if (!above.found()) return times({1, watts}, prediction);
    const double part = static_cast<double>(configuration.threads - below.threads()) /
                        (above.threads() - below.threads());
    const Error far = above.error();
    error.fps += part * part * (far.fps - error.fps);
    error.energy += part * part * (far.energy - error.energy);
  }
  return times(error, prediction);
}

Prediction at_ratio(Prediction prediction, double ratio) {
  prediction.throughput_fps *= ratio;
  prediction.energy_j /= ratio;
  prediction.latency_s /= ratio;
  return prediction;
}

}  // namespace tandem
