// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/correction.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace tandem {
namespace {

// The share of the middle look's rate below which a look does not count.
constexpr double kStoodStill = 0.8;
// Of what was predicted: lanes gain less than they do alone where a trial does not reach it.
constexpr double kOverpromised = 0.8;

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

// Of the trials that are like the configuration in all but their mapping and threads: those of its
// mapping, or all where that was not tried.
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

// Several lanes, and threads that have stages of their own to compute.
bool works_beside_lanes(const Configuration& configuration) {
  return configuration.granularity == Granularity::coarse && configuration.lanes > 1 &&
         configuration.threads > 1 && configuration.mapping.any_device() &&
         !configuration.mapping.decoupled();
}

// Where lanes gain much less than they promise: as the nearest number of threads errs, with as many
// lanes or, if none was tried with as many, the next fewer.
std::optional<Error> error_of_lanes(std::span<const Trial> trials,
                                    const Configuration& configuration) {
  if (!works_beside_lanes(configuration)) return std::nullopt;
  for (int lanes = configuration.lanes; lanes > 1; --lanes) {
    const auto [below, above] = Neighbours(trials, configuration, [&](const Trial& trial) {
      return trial.configuration.lanes == lanes && works_beside_lanes(trial.configuration) &&
             trial.configuration.mapping.letters() == configuration.mapping.letters();
    });
    const bool nearer =
        above.threads() - configuration.threads < configuration.threads - below.threads();
    if (!above.found() && !below.found()) continue;
    const Error error = above.found() && (nearer || !below.found()) ? above.error() : below.error();
    if (error.fps < kOverpromised) return error;
    return std::nullopt;
  }
  return std::nullopt;
}

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

Prediction mean_of_looks(std::span<const Prediction> looks, std::span<const double> weights) {
  std::vector<double> rates;
  for (const Prediction& look : looks) rates.push_back(look.throughput_fps);
  std::ranges::sort(rates, std::greater<>{});
  const double middle = rates[(rates.size() - 1) / 2];  // of two the faster one
  double fps = 0, energy_j = 0, latency_s = 0, rated = 0, metered = 0;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const Prediction& look = looks[i];
    if (look.throughput_fps < kStoodStill * middle) continue;
    const double weight = weights[i];
    rated += weight;
    fps += weight * look.throughput_fps;
    latency_s += weight * look.latency_s;
    if (!known(look.energy_j)) continue;
    metered += weight;
    energy_j += weight * look.energy_j;
  }
  Prediction mean = looks[0];
  mean.throughput_fps = fps / rated;
  mean.latency_s = latency_s / rated;
  mean.energy_j = metered > 0 ? energy_j / metered : kUnknown;
  mean.power_w = mean.energy_j * mean.throughput_fps;
  return mean;
}

bool contradict_each_other(std::span<const Prediction> looks) {
  if (looks.size() != 2) return false;
  const auto [slow, fast] = std::minmax(looks[0].throughput_fps, looks[1].throughput_fps);
  return slow < kStoodStill * fast;
}

Prediction corrected(std::span<const Trial> trials, const Configuration& configuration,
                     const Prediction& prediction) {
  if (const Trial* trial = find_trial(trials, configuration)) return trial->measured;
  if (configuration.granularity != Granularity::coarse || !configuration.mapping.any_device())
    return prediction;
  if (const auto error = error_of_lanes(trials, configuration)) return times(*error, prediction);
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

bool lanes_fall_short(std::span<const Trial> trials, const Configuration& configuration) {
  return error_of_lanes(trials, configuration).has_value();
}

bool lanes_seen_to_fall_short(std::span<const Trial> trials, const Configuration& configuration) {
  std::vector<Trial> fewer(trials.begin(), trials.end());
  std::erase_if(fewer, [&](const Trial& trial) {
    return trial.configuration.threads > configuration.threads;
  });
  return lanes_fall_short(fewer, configuration);
}

}  // namespace tandem
