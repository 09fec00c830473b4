// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/controller.h"

#include <algorithm>
#include <numeric>

namespace tandem {
namespace {

constexpr double kNanosecond = 1e-9;
// Below this a prediction is not better but lucky, however quiet the samples were.
constexpr double kLeastNoise = 0.02;
// Service times after a decision that tell what is usual, and the first that do not count: they pay
// for memory that a configuration touches for the first time.
constexpr int kSettlingFrames = 8, kReferenceFrames = 24;
// The smallest lasting change of service times that is worth a training.
constexpr double kDrift = 0.25;

}  // namespace

const char* to_string(Reason reason) {
  switch (reason) {
    case Reason::caps:
      return "caps";
    case Reason::remembered:
      return "remembered";
    case Reason::drift:
      return "drift";
    case Reason::asked:
      return "asked";
    case Reason::objective:
      return "objective";
    case Reason::not_allowed:
      return "not-allowed";
  }
  return "";
}

Controller::Controller(int stages, int cores, uint32_t device_capable, AdaptRules rules,
                       Objective objective, int device_cores)
    : stages_(stages),
      cores_(cores),
      device_cores_(device_cores),
      device_capable_(device_capable),
      rules_(rules),
      objective_(objective) {
  running_.configuration = {{0, stages}, Granularity::coarse, cores};
}

bool Controller::may_train() const {
  const double lasted_s = kNanosecond * static_cast<double>(last_ns_ - first_ns_);
  // The next training is expected to cost what the last one did.
  return training_allowed(lasted_s - penalty_s_, penalty_s_ + last_penalty_s_, rules_.max_overhead);
}

Trainer::Step Controller::frames_changed(const std::string& key, int window) {
  key_ = key;
  window_ = window;
  trainer_.reset();  // what it learnt of the old frames is of no use for these
  const auto found = known_.find(key);
  if (found != known_.end()) {
    const Choice choice = choose(found->second.measurements, objective_);
    found->second.chosen = choice.best();
    return settle(Reason::remembered, choice.best(), choice);
  }
  if (rules_.on_caps && (known_.empty() || may_train())) return start_training(Reason::caps);
  return settle(Reason::not_allowed, {running_.configuration, {}}, {});
}

std::optional<Trainer::Step> Controller::retrain() { return start_training(Reason::asked); }

std::optional<Trainer::Step> Controller::set_objective(const Objective& objective) {
  objective_ = objective;
  const auto found = known_.find(key_);
  if (trainer_ || found == known_.end()) return std::nullopt;
  const Choice choice = choose(found->second.measurements, objective_);
  found->second.chosen = choice.best();
  return settle(Reason::objective, choice.best(), choice);
}

Trainer::Step Controller::start_training(Reason reason) {
  training_for_ = reason;
  trainer_.emplace(stages_, cores_, device_capable_);
  return *trainer_->step();
}

std::optional<Trainer::Step> Controller::frame_done(const Item::Times& times,
                                                    uint32_t device_stages) {
  if (first_ns_ == 0) first_ns_ = times.begin_ns;
  last_ns_ = std::max(last_ns_, times.end_ns);
  if (trainer_) {
    if (!trainer_->observe(times, device_stages)) return std::nullopt;
    if (const auto next = trainer_->step()) return next;
    return finish_training();
  }
  if (times.configuration == running_.configuration) watch(times, device_stages);
  if (!drifted_ || !rules_.on_drift || !may_train()) return std::nullopt;
  return start_training(Reason::drift);
}

Trainer::Step Controller::finish_training() {
  Known& known = known_[key_];
  const bool retrained = known.chosen.prediction.throughput_fps > 0;
  known.measurements = trainer_->measurements();
  known.measurements.window = window_;
  known.measurements.device_cores = device_cores_;
  known.relative_error = trainer_->relative_error();
  const Choice choice = choose(known.measurements, objective_);

  Candidate chosen = choice.best();
  if (retrained) {
    // No flapping between configurations that differ by less than the noise.
    const Candidate current{known.chosen.configuration,
                            predict(known.measurements, known.chosen.configuration)};
    const double noise = std::max(kLeastNoise, known.relative_error);
    if (!worth_switching(current.prediction, chosen.prediction, choice.objective, noise))
      chosen = current;
  }
  known.chosen = chosen;
  last_penalty_s_ = training_penalty_s(trainer_->costs(), chosen.prediction.throughput_fps);
  penalty_s_ += last_penalty_s_;
  return settle(training_for_, chosen, choice);
}

Trainer::Step Controller::settle(Reason reason, const Candidate& chosen, const Choice& choice) {
  Decision decision;
  decision.reason = reason;
  decision.before = running_.configuration;
  decision.after = chosen.configuration;
  decision.predicted = chosen.prediction;
  decision.choice = choice;
  if (trainer_) {
    decision.experiments = trainer_->experiments();
    for (const Experiment& experiment : trainer_->costs()) {
      decision.training_frames += experiment.frames;
      decision.training_s += experiment.seconds;
    }
    trainer_.reset();
  }
  running_ = {chosen.configuration, false};
  paths_.clear();
  drifted_ = false;
  if (decided) decided(decision);
  return running_;
}

void Controller::watch(const Item::Times& times, uint32_t device_stages) {
  Path& path = paths_[device_stages];
  const double service_s = kNanosecond * static_cast<double>(times.end_ns - times.begin_ns);
  if (path.drift) {
    drifted_ |= path.drift->observe(service_s);
    return;
  }
  path.first_samples.push_back(service_s);
  if (path.first_samples.size() < kSettlingFrames + kReferenceFrames) return;
  path.first_samples.erase(path.first_samples.begin(),
                           path.first_samples.begin() + kSettlingFrames);
  const Estimate usual = estimate(path.first_samples);
  path.drift.emplace(usual.value, kDrift, usual.relative_spread);
}

}  // namespace tandem
