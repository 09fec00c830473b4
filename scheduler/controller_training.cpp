// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller's experiments and trials.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "scheduler/controller.h"

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
// Configurations that are tried at length, and how much less the second may be to be one of them.
constexpr int kMostLongLooks = 4;
constexpr double kNearEqual = 0.1;

int device_runs(const Configuration& configuration) {
  const uint32_t stages = configuration.mapping.device_stages;
  return std::popcount(stages & ~(stages << 1));
}

// Of those that are as good within the noise, the one whose frames change sides least often: many
// changes make a rhythm that may break.
void put_simplest_first(Choice& choice, double noise) {
  const auto simplest = std::min_element(
      choice.ranked.begin(), choice.ranked.begin() + choice.count,
      [&](const Candidate& a, const Candidate& b) {
        const auto good = [&](const Candidate& c) {
          return !worth_switching(c.prediction, choice.best().prediction, choice.objective, noise);
        };
        if (good(a) != good(b)) return good(a);
        return device_runs(a.configuration) < device_runs(b.configuration);
      });
  std::rotate(choice.ranked.begin(), simplest, simplest + 1);
}

// The best when a glance is all that it had, and near equals of it: short experiments do not tell
// which of them is better.
const Candidate* worth_a_long_look(const Choice& measured, std::span<const Trial> trials) {
  if (std::ranges::count(trials, true, &Trial::at_length) >= kMostLongLooks) return nullptr;
  const bool equals = measured.count > 1 &&
                      !worth_switching(measured.ranked[1].prediction, measured.best().prediction,
                                       measured.objective, kNearEqual);
  for (int i = 0; i < (equals ? 2 : 1); ++i) {
    const Trial* trial = find_trial(trials, measured.ranked[i].configuration);
    // What has nothing beside it needs no comparison.
    if (trial ? !trial->at_length : equals || !trials.empty()) return &measured.ranked[i];
  }
  return nullptr;
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
  Configuration between{coupled->configuration.mapping, Granularity::coarse, 0};
  const auto same = [&](const Trial& trial) {
    return trial.configuration.mapping == between.mapping &&
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

}  // namespace

Trainer::Step Controller::start_training(Reason reason) {
  wanted_.reset();
  measured_before_ = measured();
  training_for_ = reason;
  ++totals_.trainings;
  told_too_short_ = 0;
  trainer_.emplace(chain_.stages, chain_.cores, chain_.device_capable, counter_s(), read_probe_);
  run(trainer_->step()->configuration);
  return running_ = *trainer_->step();
}

// What the energy counter needs, when it matters.
double Controller::counter_s() const {
  return needs_energy(objective_) ? kCounterValues * chain_.energy_resolution_s : 0;
}

// By the training that is under way, in all.
Experiment Controller::spent() const {
  std::vector<Experiment> costs = trainer_ ? trainer_->costs() : costs_;
  if (trial_) costs.push_back(trial_->cost());
  Experiment sum;
  for (const Experiment& cost : costs) {
    sum.seconds += cost.seconds;
    sum.frames += cost.frames;
  }
  return sum;
}

// What was spent is spent: as no configuration came of it, all of it counts. What ran before runs
// on: an experiment is no choice.
void Controller::abandon_training() {
  if (!training()) return;
  const Experiment cost = spent();
  last_penalty_s_ = cost.seconds;
  totals_.training_s += cost.seconds;
  totals_.training_frames += cost.frames;
  totals_.penalty_s += last_penalty_s_;
  trainer_.reset();
  trial_.reset();
  running_ = {settled_on_, false};
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
  costs_ = trainer_->costs();
  experiments_ = trainer_->experiments();
  trainer_.reset();
  return try_or_settle();
}

Trainer::Step Controller::finish_trial() {
  Learnt& learnt = (*knowledge_)[key_];
  Trial trial{trial_->configuration(), predict(learnt.measurements, trial_->configuration()), {}};
  const Measured measured = trial_->measured(chain_.domains);
  trial.measured = trial.predicted;
  trial.measured.throughput_fps = measured.throughput_fps;
  if (known(measured.energy_j)) trial.measured.energy_j = measured.energy_j;
  trial.measured.power_w = trial.measured.energy_j * trial.measured.throughput_fps;
  trial.at_length = trial_->length() == TrialRun::Length::at_length;
  std::erase_if(learnt.trials,
                [&](const Trial& other) { return other.configuration == trial.configuration; });
  learnt.trials.push_back(trial);
  costs_.push_back(trial_->cost());
  trial_.reset();
  return try_or_settle();
}

Trainer::Step Controller::try_or_settle() {
  const Learnt& learnt = (*knowledge_)[key_];
  const auto best_of = [&](Which which) {
    return choose(learnt.measurements, objective_, rules_.allowed, learnt.trials, which);
  };
  // A source that does not keep the threads busy tells nothing about rates.
  if (learnt.starved) return finish_training(best_of(Which::all));
  Choice measured = best_of(Which::measured);
  const Choice others = best_of(Which::unmeasured);
  // Efficiency and the energy-delay product have the rate in them twice.
  const Metric metric = others.objective.metric;
  const double margin =
      metric == Metric::efficiency || metric == Metric::edp ? 2 * kModelError : kModelError;
  const bool enough =
      others.count == 0 || std::ssize(learnt.trials) >= kMostTrials ||
      (measured.count > 0 && !worth_switching(measured.best().prediction, others.best().prediction,
                                              others.objective, -margin));
  if (!enough) return start_trial(others.best().configuration, TrialRun::Length::glance);
  if (measured.count == 0) return finish_training(others);
  if (const auto between = between_the_tried(measured, learnt.trials, chain_.cores);
      between && rules_.allowed(*between) &&
      std::ssize(learnt.trials) < kMostTrials + kMostRefinements)
    return start_trial(*between, TrialRun::Length::glance);
  put_simplest_first(measured, kLeastNoise);
  if (const Candidate* candidate = worth_a_long_look(measured, learnt.trials))
    return start_trial(candidate->configuration, TrialRun::Length::at_length);
  return finish_training(measured);
}

Trainer::Step Controller::start_trial(const Configuration& configuration, TrialRun::Length length) {
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
    beside_device_s += configuration.mapping.on_device(k) ? stage.device.seconds : cpu_s;
  }
  if (!medium) on_cores_s = configuration.threads * m.cg[configuration.threads - 1].seconds;
  return std::max(on_cores_s, beside_device_s);
}

Trainer::Step Controller::finish_training(const Choice& choice) {
  Learnt& learnt = (*knowledge_)[key_];
  if (choice.count > 0) learnt.chosen = pick(learnt, choice);
  Decision decision;
  decision.experiments = experiments_;
  decision.trials = static_cast<int>(learnt.trials.size());
  const Experiment cost = spent();
  decision.training_s = cost.seconds;
  decision.training_frames = cost.frames;
  const double fps = learnt.chosen.prediction.throughput_fps;
  last_penalty_s_ = choice.count > 0 ? training_penalty_s(costs_, fps) : decision.training_s;
  decision.penalty_s = last_penalty_s_;
  totals_.penalty_s += last_penalty_s_;
  totals_.training_s += decision.training_s;
  totals_.training_frames += decision.training_frames;
  totals_.experiments += decision.experiments;
  const Candidate fallback{rules_.allowed.fallback(chain_.stages, chain_.cores), {}};
  settle(training_for_, choice.count > 0 ? learnt.chosen : fallback, choice, decision);
  return running_;
}

}  // namespace tandem
