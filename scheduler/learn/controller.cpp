// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/controller.h"

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

// More noise than this says too little to keep a worse configuration for its sake.
constexpr double kMostNoise = 0.1;
// The part of the cores on which frames pass while a device's programs are built on the others.
constexpr double kCoresMeanwhile = 0.75;

}  // namespace

Controller::Controller(const Chain& chain, std::shared_ptr<Knowledge> knowledge,
                       ReadProbe read_probe, Neighbours neighbours,
                       std::shared_ptr<const Predictor> predictor)
    : chain_(chain),
      knowledge_(std::move(knowledge)),
      read_probe_(std::move(read_probe)),
      predictor_(std::move(predictor)),
      neighbours_(std::move(neighbours)),
      cores_(chain.cores) {
  take_share();
  running_.configuration = settled_on_ = allowed().fallback(chain_.stages, chain_.cores);
}

// --- What may be done --------------------------------------------------------------------------

Choice Controller::choose(const Learnt& learnt) const {
  if (learnt.derived()) return choose_derived(learnt, objective_, allowed(), *predictor_);
  return predictor_->choose(learnt.findings.measurements, objective_, allowed(),
                            learnt.findings.trials);
}

bool Controller::lacks_energy(const Learnt& learnt) const {
  const Domains& d = chain_.domains;
  const bool metered = d.c != Domain::absent || d.g != Domain::absent || d.u != Domain::absent;
  if (!metered || !needs_energy(objective_)) return false;
  // A training by throughput does not wait for the meter: a core's joules may be unknown.
  const Configuration core{{chain_.device_only, chain_.stages}, Granularity::coarse, 1};
  const Prediction alone = predictor_->predict(learnt.findings.measurements, core);
  return !known(alone.energy_j) || choose(learnt).energy_unknown;
}

Learnt* Controller::find() {
  if (!conditions_) return nullptr;
  if (slower_) return &slower_->learnt;
  const auto found = knowledge_->find(*conditions_);
  return found == knowledge_->end() ? nullptr : &found->second;
}

const Learnt* Controller::learnt() const { return const_cast<Controller*>(this)->find(); }

// --- What happened -----------------------------------------------------------------------------

Step Controller::frames_changed(const Conditions& conditions, int window, int period) {
  abandon_training();  // what it learnt of the old frames is of no use for these
  slower_.reset();
  conditions_ = conditions;
  chain_.window = window;
  chain_.period = period;
  watch_.frames_changed();
  if (wanted_ != Reason::asked) wanted_.reset();  // what the old frames were to be trained for
  take_share();
  device_joined_ = first_frame_left_ = false;
  return decide_for_frames();
}

// With what is known of the frames that come.
Step Controller::decide_for_frames() {
  if (device_coming_) return await_device();
  ask_neighbours();
  derive_unknown();
  const Learnt* known = find();
  if (!known) return decide(Reason::caps);
  const bool derived = known->origin == Learnt::Origin::other_sizes;
  return decide(derived ? Reason::derived : Reason::remembered);
}

// The cores compute: the first frame on all of them, as the device's programs are built with what
// it had at the stages, then frames side by side, which leave cores to those who build.
Step Controller::await_device() {
  wanted_.reset();
  const Constraints allowed = this->allowed();
  Configuration meanwhile = allowed.fallback(chain_.stages, chain_.cores);
  if (!allowed.granularity && !allowed.threads) {
    if (first_frame_left_) {
      meanwhile.threads = std::max(1, static_cast<int>(kCoresMeanwhile * chain_.cores));
    } else {
      meanwhile.granularity = Granularity::medium;
    }
  }
  run(settled_on_ = meanwhile);
  leaves_cores_ = true;
  return running_;
}

Step Controller::set_rules(const AdaptRules& rules) {
  rules_ = rules;
  if (take_share()) abandon_for_neighbours();
  if (std::exchange(device_joined_, false) && conditions_) return decide_for_frames();
  return decide(Reason::rules);
}

Step Controller::set_objective(const Objective& objective) {
  const double source_fps = objective_.source_fps;
  objective_ = objective;
  objective_.source_fps = source_fps;
  return decide(Reason::objective);
}

void Controller::set_source(double live_fps) { objective_.source_fps = live_fps; }

void Controller::set_energy(const Domains& domains, double resolution_s) {
  chain_.domains = domains;
  chain_.energy_resolution_s = resolution_s;
}

void Controller::set_device(const DeviceSide& device) {
  const DeviceLetter first = device.letters.empty() ? DeviceLetter{} : device.letters.front();
  chain_.device_capable = first.capable;
  chain_.devices = first.devices;
  chain_.lanes = first.lanes;
  stream_model_ = device.model;
  chain_.further.clear();
  if (device.letters.size() > 1)
    chain_.further.assign(device.letters.begin() + 1, device.letters.end());
  device_joined_ = std::exchange(device_coming_, device.coming) && !device.coming;
  end_check();  // which may be of slow frames
  slower_.reset();
  if (!conditions_ || conditions_->device == device.name) return;
  abandon_training();  // it would be of another machine
  conditions_->device = device.name;
  ask_neighbours();
}

Step Controller::retrain() {
  abandon_training();
  if (!conditions_ || rules_.allowed.fixed() || device_coming_) return running_;
  if (take_turn()) return start_training(Reason::asked);
  wanted_ = Reason::asked;
  return running_;
}

Step Controller::device_left_out(const DeviceSide& left) {
  const bool knew = training() || learnt();
  abandon_training();
  set_device(left);
  return knew ? retrain() : running_;
}

Step Controller::device_failed() {
  abandon_training();
  end_check();
  slower_.reset();
  former_.reset();
  chain_.device_capable = 0;
  chain_.further.clear();
  device_lost_ = true;
  device_coming_ = false;
  if (rules_.allowed.mapping) rules_.allowed.mapping->sides = 0;
  for (auto& [key, learnt] : *knowledge_) forget_device(learnt);
  if (chain_.device_only != 0) return running_;  // nothing is left to decide: frames fail
  return decide(Reason::device_failed);
}

// What was measured without the device holds.
void Controller::forget_device(Learnt& learnt) const {
  Chain without = learnt.facts.chain;
  without.device_capable = 0;
  without.further.clear();
  learnt.findings = interpret(learnt.facts.observations, without, *predictor_, learnt.facts.prior);
  learnt.chosen = {};
}

void Controller::stream_ended() {
  if (budget_.last_ns() == 0) return;  // it had no frames
  Decision decision;
  decision.reason = Reason::too_short;
  decision.before = decision.after = settled_on_;
  const bool waits = device_coming_ || device_joined_;  // for the device, or for rules with it
  if (waits && std::exchange(told_device_ns_, budget_.last_ns()) != budget_.last_ns()) {
    ++decisions_;
    if (decided) decided(decision);
  }
  const Training cost = budget_.spent();
  if (!training_ || cost.frames <= training_->told_too_short) return;
  training_->told_too_short = cost.frames;
  decision.measured = measured_before_;
  const Facts& facts = training_->facts;
  const Findings so_far = interpret(facts.observations, facts.chain, *predictor_, prior());
  decision.choice = predictor_->choose(so_far.measurements, objective_, allowed(), so_far.trials,
                                       Which::measured);
  decision.training_s = cost.seconds;
  decision.training_frames = cost.frames;
  ++decisions_;
  if (decided) decided(decision);
}

std::optional<Step> Controller::frame_done(const FrameTimes& times, uint32_t device_stages) {
  if (neighbours_.seat) neighbours_.seat->frame_done(times.end_ns, times.starved);
  budget_.frame_done(times, training());
  if (device_coming_)
    return std::exchange(first_frame_left_, true) ? std::nullopt : std::optional(await_device());
  if (neighbours_.seat)
    if (const auto step = look_at_neighbours()) return step;
  if (training_) {
    if (needs_energy(objective_)) training_->energy.take(times, device_stages, read_probe_);
    if (!training_->experiment.take(times, device_stages)) return std::nullopt;
    return go_on_training();
  }
  const Step before = running_;
  const bool settled = !check_ || before == Step{settled_on_};
  if (settled && times.configuration == before.configuration && !times.spaced) {
    watch(times, device_stages);
  } else {
    steady_.other_frame_done(times);
  }
  if (!(running_ == before)) return running_;
  if (check_) {
    if (another_trains_ || !check_->experiment->take(times, device_stages)) return std::nullopt;
    return go_on_checking();
  }
  if (!wanted_ || !budget_.allows_training(rules_.max_overhead)) return std::nullopt;
  if (*wanted_ == Reason::drift && slower_ && !another_trains_ &&
      std::exchange(slower_->waits, false) && look_at_earlier(false, slower_->learnt.chosen))
    return running_;
  if (!take_turn()) return std::nullopt;
  return start_training(*wanted_);
}

// --- Decisions ---------------------------------------------------------------------------------

// With what is known now: run what is best, or find out, or go on.
Step Controller::decide(Reason reason) {
  end_check();
  const Constraints allowed = this->allowed();
  if (allowed.fixed() || !conditions_ || !rules_.any()) {
    abandon_training();
    wanted_.reset();
    if (allowed.fixed() || !conditions_ || !allowed(running_.configuration) ||
        (running_.configuration.mapping.any_device() && chain_.device_capable == 0))
      run(settled_on_ = allowed.fallback(chain_.stages, chain_.cores));
    leaves_cores_ = false;
    running_.time_stages = false;
    return running_;
  }
  if (device_coming_) return await_device();
  Learnt* learnt = find();
  if (training() && reason == Reason::rules) return running_;
  const bool lacks_some = learnt && (lacks_splits(*learnt) || lacks_latency(*learnt));
  const bool may_train = budget_.allows_training(rules_.max_overhead);
  if (learnt && !lacks_energy(*learnt) && !(lacks_some && may_train)) {
    abandon_training();
    const Choice choice = choose(*learnt);
    if (choice.count > 0) {
      const bool may_stay =
          reason == Reason::remembered || reason == Reason::neighbours || reason == Reason::rules;
      const bool as_before =
          may_stay && learnt->objective == objective_ && learnt->allowed == allowed;
      // What promises more has not been tried, or was not worth it.
      if (!as_before || learnt->chosen.configuration.mapping.stages == 0)
        remember(*learnt, choice.best());
      settle(reason, learnt->chosen, choice);
      if (lacks_some) wanted_ = reason;  // once it is allowed
      begin_check();
      return running_;
    }
  }
  // With `drift` alone, other frames are a reason to train when they take another time.
  const bool due = rules_.on_caps || knowledge_->empty() || reason != Reason::caps;
  if (training()) return running_;
  if (due) {
    if (may_train && take_turn()) return start_training(reason);
    wanted_ = reason;
  }
  Configuration keeps = running_.configuration;
  keeps.mapping = keeps.mapping.within(chain_.device_capable).with(chain_.device_only);
  if (leaves_cores_ || !allowed(keeps)) keeps = allowed.fallback(chain_.stages, chain_.cores);
  const Watch watch = watch_;
  settle(!due ? reason : may_train ? Reason::waits : Reason::not_allowed, {keeps, {}}, {});
  if (!due) watch_ = watch;  // what it knows of their times is what tells that they have changed
  return running_;
}

void Controller::remember(Learnt& learnt, const Candidate& chosen) const {
  learnt.chosen = chosen;
  learnt.objective = objective_;
  learnt.allowed = allowed();
}

// Keeps what was chosen before unless another is better by more than the noise. What a training has
// not measured may be what has become slow.
const Candidate& Controller::pick(Learnt& learnt, const Choice& choice) const {
  Candidate& chosen = learnt.chosen;
  if (chosen.configuration.mapping.stages == 0 || !allowed()(chosen.configuration))
    return choice.best();
  const Findings& findings = learnt.findings;
  const bool measures = !learnt.derived() && !findings.starved;
  if (measures && !was_measured(findings.measurements, chosen.configuration, findings.trials))
    return choice.best();
  chosen.prediction = corrected(findings.trials, chosen.configuration,
                                predictor_->predict(findings.measurements, chosen.configuration));
  const double noise = std::clamp(findings.relative_error, kLeastNoise, kMostNoise);
  const bool worth =
      worth_switching(chosen.prediction, choice.best().prediction, choice.objective, noise);
  return worth ? choice.best() : chosen;
}

void Controller::settle(Reason reason, const Candidate& chosen, const Choice& choice,
                        Decision decision) {
  decision.reason = reason;
  decision.before = settled_on_;
  decision.after = chosen.configuration;
  decision.predicted = chosen.prediction;
  decision.choice = choice;
  decision.measured = decision.experiments > 0 ? measured_before_ : measured();
  run(chosen.configuration);
  predicted_ = chosen.prediction;
  settled_on_ = chosen.configuration;
  leaves_cores_ = false;
  if (neighbours_.seat) neighbours_.seat->chose();
  ++decisions_;
  if (decided) decided(decision);
}

void Controller::run(const Configuration& configuration) {
  running_ = {configuration, false};
  following_.reset();
  predicted_ = {};
  watch_.begin_anew();
  steady_.begin_anew();
  begin_balance();
}

void Controller::watch(const FrameTimes& times, uint32_t device_stages) {
  steady_.frame_done(times, read_probe_);
  follow(times);
  if (another_trains_ && !times.starved) return;  // what it tries makes these frames slow
  if (keep_balance(times)) return;
  const Watch::News news = watch_.frame_done(times, device_stages);
  if (news == Watch::News::busy && !check_) {
    if (slower_) slower_->again = true;  // frames may have changed since
    begin_check();
  }
  if (!rules_.on_drift || rules_.allowed.fixed()) return;
  look_at_what_ran_before();
  if (news == Watch::News::none || check_) return;
  const Learnt* known = learnt();
  const bool starved = known && known->findings.starved;
  const bool waits = wanted_ && !slower_;
  if (news == Watch::News::drift && known && !starved && !waits && derive_from_drift()) return;
  if (news == Watch::News::drift || starved) wanted_ = Reason::drift;
}

}  // namespace tandem
