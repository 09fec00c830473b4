// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/objective.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

namespace tandem {
namespace {

// Factor on the rate of a live source, because predictions err.
constexpr double kKeepsUp = 1.1;
// The part by which bands of a frame have to be better than the whole.
constexpr double kBandGain = 0.03;

constexpr int kMeetsAll = 4;

/// Compared tier first; higher is better.
struct Score {
  /// -1: unusable; else how many conditions are met: the budget, then the source's rate, then the
  /// latency, then the rate that is asked for.
  int tier = -1;
  double value = 0;
};

bool keeps_up(double fps, const Objective& objective) {
  return !needs_latency(objective) || fps >= kKeepsUp * objective.source_fps;
}

Score score_conditions(double fps, double watts, double latency_s, const Objective& objective) {
  if (objective.power_budget_w > 0 && !(watts <= objective.power_budget_w)) return {0, -watts};
  if (!keeps_up(fps, objective)) return {1, fps};
  if (objective.target_latency_s > 0 && !(latency_s <= objective.target_latency_s))
    return {2, -latency_s};
  if (objective.target_fps > 0 && !(fps >= objective.target_fps)) return {3, fps};
  return {kMeetsAll, objective.target_fps > 0 ? -watts / fps : fps};
}

Score score(double fps, double watts, double latency_s, const Objective& objective) {
  if (!known(fps)) return {};
  if (!known(watts) && needs_energy(objective)) return {};
  if (!known(latency_s) && needs_latency(objective)) return {};
  if (objective.target_fps > 0 || objective.power_budget_w > 0 || objective.target_latency_s > 0)
    return score_conditions(fps, watts, latency_s, objective);
  switch (objective.metric) {
    case Metric::throughput:
      return {0, fps};
    case Metric::energy:
      return {0, -watts / fps};
    case Metric::efficiency:
      return {0, fps * fps / watts};
    case Metric::edp:
      return {0, -watts / (fps * fps)};
    case Metric::latency:
      return keeps_up(fps, objective) ? Score{1, -latency_s} : Score{0, fps};
  }
  return {};
}

Score score(const Prediction& p, const Objective& objective) {
  return score(p.throughput_fps, p.power_w, p.latency_s, objective);
}

struct Entry {
  Candidate candidate;
  Score score;
};

// Sums that differ only by the order in which they were added must not decide.
double margin(const Score& score) { return 1e-12 * std::abs(score.value); }

bool better(const Score& score, const Configuration& configuration, const Entry& than) {
  if (score.tier != than.score.tier) return score.tier > than.score.tier;
  if (score.value < than.score.value - margin(than.score)) return false;
  if (score.value > than.score.value + margin(than.score)) return true;
  const Configuration& other = than.candidate.configuration;
  if (configuration.threads != other.threads) return configuration.threads < other.threads;
  if (configuration.lanes != other.lanes) return configuration.lanes < other.lanes;
  return configuration.mapping.on_devices() < other.mapping.on_devices();
}

class Ranking {
 public:
  explicit Ranking(const Objective& objective)
      : objective_(objective), quotient_(quotient_of(objective)) {}

  void offer(const Configuration& configuration, const Prediction& prediction, const Score& score) {
    if (!promising(score)) return;
    int place = count_;
    while (place > 0 && better(score, configuration, entries_[place - 1])) --place;
    if (place == kSize) return;
    if (count_ < kSize) ++count_;
    for (int i = count_ - 1; i > place; --i) entries_[i] = entries_[i - 1];
    entries_[place] = {{configuration, prediction}, score};
    if (count_ < kSize) return;
    least_ = entries_.back().score;
    least_.value -= margin(least_);
  }

  /// Whether one with such a score would be among the best.
  bool promising(const Score& score) const {
    return score.tier > least_.tier || (score.tier == least_.tier && score.value >= least_.value);
  }
  /// The same by bounds of its rate and power. Most configurations end here: once there are enough,
  /// scores that are quotients are compared without a division.
  bool promising(double fps, double watts) const {
    const double least = least_.value;
    switch (count_ < kSize ? Quotient::none : quotient_) {
      case Quotient::none:
        return promising(score(fps, watts, 0, objective_));
      case Quotient::efficiency:
        return fps * fps >= least * watts;
      case Quotient::edp:
        return watts <= -least * fps * fps;
      case Quotient::energy_at_target:
        if (least_.tier < kMeetsAll) return promising(score(fps, watts, 0, objective_));
        return fps >= objective_.target_fps && watts <= -least * fps;
    }
    return true;
  }

  Choice choice() const {
    Choice choice;
    choice.count = count_;
    for (int i = 0; i < count_; ++i) choice.ranked[i] = entries_[i].candidate;
    return choice;
  }

 private:
  static constexpr int kSize = std::tuple_size_v<decltype(Choice::ranked)>;
  enum class Quotient { none, efficiency, edp, energy_at_target };
  static Quotient quotient_of(const Objective& objective) {
    if (objective.power_budget_w > 0 || needs_latency(objective)) return Quotient::none;
    if (objective.target_fps > 0) return Quotient::energy_at_target;
    return objective.metric == Metric::efficiency ? Quotient::efficiency
           : objective.metric == Metric::edp      ? Quotient::edp
                                                  : Quotient::none;
  }

  const Objective& objective_;
  const Quotient quotient_;
  std::array<Entry, kSize> entries_;
  int count_ = 0;
  Score least_{0, -std::numeric_limits<double>::infinity()};  ///< that a newcomer needs
};

// Experiments are those with all stages on the CPU, except between measured numbers of threads.
bool had_experiment(const Measurements& measurements, const Configuration& configuration) {
  if (configuration.mapping.any_device()) return false;
  const std::size_t n = static_cast<std::size_t>(configuration.threads) - 1;
  if (configuration.granularity == Granularity::medium) return configuration.frames_at_once == 1;
  return n >= measurements.cg_interpolated.size() || !measurements.cg_interpolated[n];
}

bool is_one_of(Which which, const Configuration& configuration, const Measurements& measurements,
               std::span<const Trial> trials) {
  return which == Which::all || was_measured(measurements, configuration, trials);
}

// A special candidate comes first only if it is better by `gain`.
template <class IsSpecial>
void put_plain_first(Choice& choice, double gain, IsSpecial&& is_special) {
  const auto special = [&](const Candidate& c) { return is_special(c.configuration); };
  const auto end = choice.ranked.begin() + choice.count;
  const auto plain = std::find_if_not(choice.ranked.begin(), end, special);
  if (plain == choice.ranked.begin() || plain == end) return;
  if (worth_switching(plain->prediction, choice.best().prediction, choice.objective, gain)) return;
  std::stable_partition(choice.ranked.begin(), end, std::not_fn(special));
}

Choice rank(const Model& model, const Measurements& measurements, const Objective& objective,
            const Constraints& allowed, std::span<const Trial> trials, Which which) {
  Ranking ranking(objective);
  // A frame that has the device to itself takes as long with any number of lanes. One lane of one
  // thread is measured so, and several with as many frames at a time.
  const auto one_lane_serves = [&](Configuration configuration) {
    if (!least_latency(objective) || configuration.lanes == 1 || configuration.threads > 1 ||
        configuration.granularity == Granularity::medium || measurements.devices > 1)
      return false;
    configuration.lanes = 1;
    if (!allowed(configuration) || !is_one_of(which, configuration, measurements, trials))
      return false;
    const Prediction p = corrected(trials, configuration, model.predict(configuration));
    return known(p.latency_s) && keeps_up(p.throughput_fps, objective);
  };
  model.predict_all(
      [&](Configuration configuration, const Prediction& prediction) {
        if (allowed.tasks && !configuration.mapping.any_split())
          configuration.tasks = *allowed.tasks;
        if (!allowed(configuration) || !is_one_of(which, configuration, measurements, trials))
          return;
        if (one_lane_serves(configuration)) return;
        const Prediction p =
            trials.empty() ? prediction : corrected(trials, configuration, prediction);
        ranking.offer(configuration, p, score(p, objective));
      },
      // Trials may correct a prediction to above the limit.
      [&](double fps, double watts) { return !trials.empty() || ranking.promising(fps, watts); });
  // There are too many mappings with further letters, so only those that were tried are offered, as
  // measured. The gain of several bands is not predicted.
  for (const Trial& trial : trials) {
    const Configuration& tried = trial.configuration;
    const bool in_bands = tried.mapping.any_device() && tried.tasks > 1 && !allowed.tasks;
    if ((in_bands || tried.mapping.any_further_letter()) && allowed(tried))
      ranking.offer(trial.configuration, trial.measured, score(trial.measured, objective));
  }
  Choice choice = ranking.choice();
  choice.objective = objective;
  if (!allowed.tasks)
    put_plain_first(choice, kBandGain,
                    [](const Configuration& c) { return c.mapping.any_device() && c.tasks > 1; });
  if (allowed.mapping) return choice;
  put_plain_first(choice, kSplitGain, [](const Configuration& c) { return c.mapping.any_split(); });
  put_plain_first(choice, kSplitGain,
                  [](const Configuration& c) { return c.mapping.any_further_letter(); });
  return choice;
}

}  // namespace

bool was_measured(const Measurements& measurements, const Configuration& configuration,
                  std::span<const Trial> trials) {
  return had_experiment(measurements, configuration) || find_trial(trials, configuration);
}

bool needs_energy(const Objective& objective) {
  if (objective.target_fps > 0 || objective.power_budget_w > 0) return true;
  return objective.target_latency_s == 0 && objective.metric != Metric::throughput &&
         objective.metric != Metric::latency;
}

bool has_conditions(const Objective& objective) {
  return objective.target_fps > 0 || objective.power_budget_w > 0 || objective.target_latency_s > 0;
}

bool needs_latency(const Objective& objective) {
  return objective.target_latency_s > 0 || objective.metric == Metric::latency;
}

bool least_latency(const Objective& objective) {
  return objective.metric == Metric::latency && objective.target_fps == 0 &&
         objective.power_budget_w == 0 && objective.target_latency_s == 0;
}

Choice choose(const Measurements& measurements, const Objective& objective,
              const Constraints& allowed, std::span<const Trial> trials, Which which) {
  const Model model(measurements, allowed.lanes.value_or(0));
  Choice choice = rank(model, measurements, objective, allowed, trials, which);
  if (choice.count == 0 && needs_energy(objective)) {
    const Objective without{.target_latency_s = objective.target_latency_s,
                            .source_fps = objective.source_fps};
    choice = rank(model, measurements, without, allowed, trials, which);
    choice.energy_unknown = true;
  }
  if (choice.count == 0) return choice;
  const Prediction& best = choice.best().prediction;
  choice.target_missed = best.throughput_fps < objective.target_fps;
  choice.latency_missed =
      objective.target_latency_s > 0 && best.latency_s > objective.target_latency_s;
  choice.budget_exceeded = objective.power_budget_w > 0 && best.power_w > objective.power_budget_w;
  return choice;
}

bool worth_switching(const Prediction& current, const Prediction& best, const Objective& objective,
                     double noise) {
  Objective lenient = objective;
  lenient.target_fps *= 1 - noise;
  lenient.power_budget_w *= 1 + noise;
  const Score now = score(current, lenient);
  const Score then = score(best, objective);
  if (now.tier != then.tier) return then.tier > now.tier;
  return then.value - now.value > noise * std::abs(now.value);
}

}  // namespace tandem
