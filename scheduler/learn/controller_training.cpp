// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller's experiments and trials.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

#include "scheduler/learn/controller.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// An experiment sees so many new values of the energy counter.
constexpr double kCounterValues = 5;
// Configurations that are tried after the experiments, at most: on 200 of 200 random chips the best
// was among the first twelve (docs/decisions/0006-coupled-mappings.md). The model errs by 2% on
// average, and seldom by more than kModelError: what promises less than that below what was
// measured is not tried.
constexpr int kMostTrials = 12;
constexpr double kModelError = 0.1;
// After them, other numbers of threads of the best mapping: how many at most, how far a coupled
// mapping may be behind the best, and between which numbers there is none worth trying.
constexpr int kMostRefinements = 6;
constexpr double kWorthRefining = 0.25;
constexpr int kSmallGap = 2;
// Near equals are looked at in turn, so that a machine that slows down does so for all of them: the
// best and those whose rate, after one look each, is at most kNearEqual less. Looks make a mean,
// and the more there are the nearer a rival has to be. As the rates of near equals are nearly that
// of the choice, looking costs the stream little.
constexpr int kMostEquals = 4, kMostLooksEach = 4;
constexpr double kMostLooksSeconds = 6;  // no look begins after that
constexpr double kNearEqual = 0.1;
constexpr double kGlance = 0.25;  // the looks that a glance or an experiment is worth

int device_runs(const Configuration& configuration) {
  const uint32_t stages = configuration.mapping.device_stages();
  return std::popcount(stages & ~(stages << 1));
}

// Of those that are as good within the noise, the one whose frames change sides least often: many
// changes make a rhythm that may break. Then the one with the fewest frames on the device, which
// answers soonest.
void put_simplest_first(Choice& choice, double noise) {
  const auto simplest = std::min_element(
      choice.ranked.begin(), choice.ranked.begin() + choice.count,
      [&](const Candidate& a, const Candidate& b) {
        const auto good = [&](const Candidate& c) {
          return !worth_switching(c.prediction, choice.best().prediction, choice.objective, noise);
        };
        if (good(a) != good(b)) return good(a);
        const int runs_a = device_runs(a.configuration), runs_b = device_runs(b.configuration);
        return runs_a != runs_b ? runs_a < runs_b : a.configuration.lanes < b.configuration.lanes;
      });
  std::rotate(choice.ranked.begin(), simplest, simplest + 1);
}

// How far objectives are apart where rates are by `rate`: some have the rate in them twice.
double margin_of(const Objective& objective, double rate) {
  const bool twice = objective.metric == Metric::efficiency || objective.metric == Metric::edp;
  return twice ? 2 * rate : rate;
}

// Whose turn it is to be looked at: the best or a near equal; null when it is clear enough which of
// them is better. What was never tried, and has nothing beside it, needs no comparison.
const Candidate* worth_a_look(const Choice& measured, std::span<const Trial> trials) {
  const auto looks = [&](const Candidate& candidate) {
    const Trial* trial = find_trial(trials, candidate.configuration);
    return trial ? static_cast<int>(trial->looks.size()) : 0;
  };
  double all_s = 0;
  for (const Trial& trial : trials) all_s += trial.looks_s;
  const Candidate *best = &measured.best(), *next = best;
  int rivals = 0;
  for (int i = 1; i < measured.count && i < kMostEquals; ++i) {
    const Candidate& rival = measured.ranked[i];
    const double seen = std::max<double>(kGlance, std::min(looks(*best), looks(rival)));
    const double near = kNearEqual / std::sqrt(seen);
    if (worth_switching(rival.prediction, best->prediction, measured.objective,
                        margin_of(measured.objective, near)))
      continue;
    ++rivals;
    if (looks(rival) < looks(*next)) next = &rival;
  }
  const int enough = rivals > 0 ? kMostLooksEach : trials.empty() ? 0 : 1;
  return all_s < kMostLooksSeconds && looks(*next) < enough ? next : nullptr;
}

// Between which numbers of threads the best of a mapping may lie, as far as they were tried: in the
// middle of the wider gap beside the best of them.
std::optional<Configuration> between_the_tried(const Choice& measured,
                                               std::span<const Trial> trials, int cores) {
  const auto coupled = std::find_if(
      measured.ranked.begin(), measured.ranked.begin() + measured.count,
      [](const Candidate& candidate) { return candidate.configuration.mapping.any_device(); });
  if (coupled == measured.ranked.begin() + measured.count ||
      worth_switching(coupled->prediction, measured.best().prediction, measured.objective,
                      kWorthRefining))
    return std::nullopt;
  Configuration between{coupled->configuration.mapping, Granularity::coarse, 0,
                        coupled->configuration.lanes};
  const auto same = [&](const Trial& trial) {
    return trial.configuration.mapping == between.mapping &&
           trial.configuration.lanes == between.lanes &&
           trial.configuration.granularity == Granularity::coarse;
  };
  const Trial* best = nullptr;
  for (const Trial& trial : trials) {
    if (same(trial) &&
        (!best || worth_switching(best->measured, trial.measured, measured.objective, 0)))
      best = &trial;
  }
  if (!best) {  // under medium grain alone
    between.threads = std::max(1, 3 * cores / 4);
    return between;
  }
  const int at = best->configuration.threads;
  int below = 0, above = cores + 2;
  for (const Trial& trial : trials) {
    const int threads = trial.configuration.threads;
    if (!same(trial)) continue;
    if (threads < at) below = std::max(below, threads);
    if (threads > at) above = std::min(above, threads);
  }
  if (std::max(at - below, above - at) <= kSmallGap) return std::nullopt;
  between.threads = (at + (at - below > above - at ? below : above)) / 2;
  return between;
}

// Twice or half of the lanes of the best with the device, where nobody tried.
std::optional<Configuration> other_lanes(const Choice& measured, std::span<const Trial> trials,
                                         int most) {
  const Configuration& best = measured.best().configuration;
  if (!best.mapping.any_device()) return std::nullopt;
  for (const int lanes : {2 * best.lanes, best.lanes / 2}) {
    Configuration other = best;
    other.lanes = lanes;
    if (lanes >= 1 && lanes <= most && !find_trial(trials, other)) return other;
  }
  return std::nullopt;
}

}  // namespace

Trainer::Step Controller::start_training(Reason reason) {
  wanted_.reset();
  measured_before_ = measured();
  training_for_ = reason;
  ++totals_.trainings;
  told_too_short_ = 0;
  training_frames_ = 0;
  training_held_ns_ = 0;
  std::vector<int> lanes = chain_.lanes;
  const Allowed open = allowed();
  if (open.most_lanes > 0) std::erase_if(lanes, [&](int s) { return s > open.most_lanes; });
  if (rules_.allowed.lanes) {
    lanes.clear();
    if (*rules_.allowed.lanes > 1) lanes.push_back(*rules_.allowed.lanes);
  }
  trainer_.emplace(chain_.stages, cores_, chain_.device_capable, lanes, counter_s(), read_probe_,
                   chain_.devices);
  run(trainer_->step()->configuration);
  return running_ = *trainer_->step();
}

// What the energy counter needs, when it matters.
double Controller::counter_s() const {
  return needs_energy(objective_) ? kCounterValues * chain_.energy_resolution_s : 0;
}

// By the training that is under way.
Training Controller::spent() const {
  if (training_frames_ == 0) return {};
  const uint64_t lasted_ns = last_ns_ - training_since_ns_;
  return {seconds(lasted_ns - std::min(lasted_ns, training_held_ns_)), training_frames_};
}

// What was spent is spent: as no configuration came of it, all of it counts. What ran before runs
// on: an experiment is no choice.
void Controller::abandon_training() {
  if (!training()) return;
  const Training cost = spent();
  last_penalty_s_ = cost.seconds;
  totals_.training_s += cost.seconds;
  totals_.training_frames += cost.frames;
  totals_.penalty_s += last_penalty_s_;
  trainer_.reset();
  trial_.reset();
  running_ = {settled_on_, false};
  end_turn();
}

Trainer::Step Controller::finish_experiments() {
  Learnt& learnt = (*knowledge_)[key_];
  learnt.measurements = trainer_->measurements();
  learnt.measurements.window = window_;
  learnt.measurements.domains = chain_.domains;
  learnt.measurements.tdp_w = chain_.tdp_w;
  for (int k = 0; k < chain_.stages; ++k)
    learnt.measurements.stages[k].serial = (chain_.serial_stages >> k & 1) != 0;
  learnt.relative_error = trainer_->relative_error();
  learnt.starved = trainer_->starved();
  learnt.trials.clear();
  experiments_ = trainer_->experiments();
  trials_begun_ = 0;
  trainer_.reset();
  return try_or_settle();
}

Trainer::Step Controller::finish_trial() {
  Learnt& learnt = (*knowledge_)[key_];
  Trial trial{trial_->configuration(), predict(learnt.measurements, trial_->configuration()), {}};
  const Measured found = trial_->measured(chain_.domains);
  trial.measured = trial.predicted;
  trial.measured.throughput_fps = found.throughput_fps;
  trial.measured.energy_j = found.energy_j;
  if (trial_->length() == TrialRun::Length::look) {
    if (const Trial* before = find_trial(learnt.trials, trial.configuration)) {
      trial.looks = before->looks;
      trial.looks_s = before->looks_s;
    }
    trial.looks.push_back(trial.measured);
    trial.looks_s += trial_->lasted_s();
    trial.measured = mean_of_looks(trial.looks);
  }
  if (!known(trial.measured.energy_j)) trial.measured.energy_j = trial.predicted.energy_j;
  trial.measured.power_w = trial.measured.energy_j * trial.measured.throughput_fps;
  std::erase_if(learnt.trials,
                [&](const Trial& other) { return other.configuration == trial.configuration; });
  learnt.trials.push_back(trial);
  if (tried) tried(trial);
  trial_.reset();
  return try_or_settle();
}

Trainer::Step Controller::try_or_settle() {
  const Learnt& learnt = (*knowledge_)[key_];
  const auto best_of = [&](Which which) {
    return choose(learnt.measurements, objective_, allowed(), learnt.trials, which);
  };
  // A source that does not keep the threads busy tells nothing about rates.
  if (learnt.starved) return finish_training(best_of(Which::all));
  Choice measured = best_of(Which::measured);
  const Choice others = best_of(Which::unmeasured);
  const double margin = margin_of(others.objective, kModelError);
  const bool enough =
      others.count == 0 || std::ssize(learnt.trials) >= kMostTrials ||
      (measured.count > 0 && !worth_switching(measured.best().prediction, others.best().prediction,
                                              others.objective, -margin));
  if (!enough) return start_trial(others.best().configuration, TrialRun::Length::glance);
  if (measured.count == 0) return finish_training(others);
  if (const auto between = between_the_tried(measured, learnt.trials, cores_);
      between && allowed()(*between) && std::ssize(learnt.trials) < kMostTrials + kMostRefinements)
    return start_trial(*between, TrialRun::Length::glance);
  const int most_lanes = chain_.lanes.empty() ? 1 : chain_.lanes.back();
  if (const auto other = other_lanes(measured, learnt.trials, most_lanes);
      other && allowed()(*other) && std::ssize(learnt.trials) < kMostTrials + kMostRefinements)
    return start_trial(*other, TrialRun::Length::glance);
  put_simplest_first(measured, kLeastNoise);
  if (const Candidate* candidate = worth_a_look(measured, learnt.trials))
    return start_trial(candidate->configuration, TrialRun::Length::look);
  return finish_training(measured);
}

Trainer::Step Controller::start_trial(const Configuration& configuration, TrialRun::Length length) {
  ++trials_begun_;
  trial_.emplace(configuration, length, latency_s((*knowledge_)[key_], configuration), counter_s(),
                 read_probe_);
  return running_ = {configuration, false};
}

// Of the slowest path that frames may take.
double Controller::latency_s(const Learnt& learnt, const Configuration& configuration) const {
  const Measurements& m = learnt.measurements;
  const bool medium = configuration.granularity == Granularity::medium;
  double on_cores_s = 0, beside_device_s = 0;
  for (int k = 0; k < chain_.stages; ++k) {
    const StageMeasurements& stage = m.stages[k];
    const double cpu_s = medium ? stage.mg.seconds : stage.cg.seconds;
    on_cores_s += 2 * stage.mg.seconds;  // two threads take turns
    beside_device_s +=
        configuration.mapping.on_device(k) ? configuration.lanes * stage.device.seconds : cpu_s;
  }
  if (!medium) on_cores_s = configuration.threads * m.cg[configuration.threads - 1].seconds;
  return std::max(on_cores_s, beside_device_s);
}

Trainer::Step Controller::finish_training(const Choice& choice) {
  Learnt& learnt = (*knowledge_)[key_];
  if (choice.count > 0) remember(learnt, pick(learnt, choice));
  Decision decision;
  decision.experiments = experiments_;
  decision.trials = static_cast<int>(learnt.trials.size());
  const Training cost = spent();
  decision.training_s = cost.seconds;
  decision.training_frames = cost.frames;
  const double fps = learnt.chosen.prediction.throughput_fps;
  last_penalty_s_ = choice.count > 0 ? training_penalty_s(cost, fps) : decision.training_s;
  decision.penalty_s = last_penalty_s_;
  totals_.penalty_s += last_penalty_s_;
  totals_.training_s += decision.training_s;
  totals_.training_frames += decision.training_frames;
  totals_.experiments += decision.experiments;
  const Candidate fallback{allowed().fallback(chain_.stages, chain_.cores), {}};
  // For all who may have any lanes and the device.
  if (neighbours_.shared && !rules_.allowed.lanes && !device_lost_)
    learnt.version = neighbours_.shared->knowledge.publish(key_, learnt);
  settle(training_for_, choice.count > 0 ? learnt.chosen : fallback, choice, decision);
  end_turn();
  return running_;
}

}  // namespace tandem
