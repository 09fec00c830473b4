// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/controller.h"

#include <algorithm>
#include <utility>

#include "scheduler/learn/belief/choice.h"
#include "scheduler/learn/meaning/splits.h"

namespace tandem {
namespace {

// The part of the cores on which frames pass while a device's programs are built on the others.
constexpr double kCoresMeanwhile = 0.75;

// A training by another objective did not split frames where that promised no gain.
bool lacks_splits(const Learnt& learnt, const Objective& objective, const Constraints& allowed) {
  return learnt.objective != objective && !learnt.derived() && !learnt.facts.observations.empty() &&
         next_split(learnt.facts, learnt.findings, objective, allowed).has_value();
}

// A training by another objective measured frames behind others, and of long ones no single lane
// as a whole.
bool lacks_latency(const Learnt& learnt, const Objective& objective) {
  const Facts& facts = learnt.facts;
  if (!needs_latency(objective) || learnt.derived() || facts.observations.empty()) return false;
  bool one_lane = false, several = false, spaced = false;
  for (const Observation& seen : facts.observations) {
    const bool on_device =
        seen.kind != Observation::Kind::stages && seen.configuration.mapping.any_device();
    one_lane |= on_device && seen.configuration.lanes == 1;
    several |= on_device && seen.configuration.lanes > 1;
    spaced |= seen.spaced;
  }
  const bool device_alone = facts.chain.device_only == (1u << facts.chain.stages) - 1;
  const bool one_at_a_time = facts.chain.devices == 1 || !device_alone;
  return (several && !one_lane) || (least_latency(objective) && one_at_a_time && !spaced);
}

}  // namespace

Controller::Controller(const Chain& chain, std::shared_ptr<Knowledge> knowledge,
                       ReadProbe read_probe, Neighbours neighbours)
    : chain_(chain),
      knowledge_(std::move(knowledge)),
      read_probe_(std::move(read_probe)),
      neighbours_(std::move(neighbours)),
      cores_(chain.cores) {
  take_share();
  running_.configuration = settled_on_ = allowed().fallback(chain_.stages, chain_.cores);
}

// --- Choices and knowledge ---------------------------------------------------------------------

Choice Controller::choose(const Learnt& learnt) const {
  if (learnt.derived()) return choose_derived(learnt, objective_, allowed());
  return tandem::choose(learnt.findings.measurements, objective_, allowed(),
                        learnt.findings.trials);
}

bool Controller::lacks_energy(const Learnt& learnt) const {
  const Domains& d = chain_.domains;
  const bool metered = d.c != Domain::absent || d.g != Domain::absent || d.u != Domain::absent;
  if (!metered || !needs_energy(objective_)) return false;
  // A training by throughput does not wait for the meter: a core's joules may be unknown.
  const Configuration core{{chain_.device_only, chain_.stages}, Granularity::coarse, 1};
  const Prediction alone = tandem::predict(learnt.findings.measurements, core);
  return !known(alone.energy_j) || choose(learnt).energy_unknown;
}

Learnt* Controller::find() {
  if (!conditions_) return nullptr;
  if (slower_) return &slower_->learnt;
  const auto found = knowledge_->find(*conditions_);
  return found == knowledge_->end() ? nullptr : &found->second;
}

const Learnt* Controller::learnt() const { return const_cast<Controller*>(this)->find(); }

// --- Events ------------------------------------------------------------------------------------

Step Controller::frames_changed(const Conditions& conditions, int window, int period) {
  abandon_training();  // its knowledge of the old frames is of no use for these
  slower_.reset();
  conditions_ = conditions;
  chain_.window = window;
  chain_.period = period;
  watch_.frames_changed();
  if (wanted_ != Reason::asked) wanted_.reset();  // the reason was that of the old frames
  take_share();
  if (std::holds_alternative<Awaiting>(state_))
    state_ = awaits_device() ? State(Awaiting{}) : State(Settled{});
  return decide_for_frames();
}

// Decides by the knowledge of the frames that come.
Step Controller::decide_for_frames() {
  if (awaits_device()) return await_device();
  ask_neighbours();
  derive_unknown();
  const Learnt* known = find();
  if (!known) return decide(Reason::caps);
  const bool derived = known->origin == Learnt::Origin::other_sizes;
  return decide(derived ? Reason::derived : Reason::remembered);
}

// The cores compute. The first frame runs on all of them, as the device's programs are built with
// what it had at the stages. Later frames run side by side and leave cores to the build.
Step Controller::await_device() {
  wanted_.reset();
  const Constraints allowed = this->allowed();
  Configuration meanwhile = allowed.fallback(chain_.stages, chain_.cores);
  if (!allowed.granularity && !allowed.threads) {
    if (std::get<Awaiting>(state_).first_frame_left) {
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
  const auto* awaiting = std::get_if<Awaiting>(&state_);
  if (!awaiting || !awaiting->joined) return decide(Reason::rules);
  state_ = Settled{};
  return conditions_ ? decide_for_frames() : decide(Reason::rules);
}

Step Controller::set_objective(const Objective& objective) {
  const double source_fps = std::exchange(objective_, objective).source_fps;
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
  chain_.further.clear();
  if (device.letters.size() > 1)
    chain_.further.assign(device.letters.begin() + 1, device.letters.end());
  end_look();  // which may be of slow frames
  slower_.reset();
  auto* const awaiting = std::get_if<Awaiting>(&state_);
  if (awaiting && !device.coming) awaiting->joined = true;
  if (!awaiting && device.coming) {
    abandon_training();
    state_ = Awaiting{};
  }
  if (!conditions_ || conditions_->device == device.name) return;
  abandon_training();  // it would be of another machine
  conditions_->device = device.name;
  ask_neighbours();
}

Step Controller::retrain() {
  abandon_training();
  if (!conditions_ || rules_.allowed.fixed() || awaits_device()) return running_;
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
  end_look();
  state_ = Settled{};
  slower_.reset();
  former_.reset();
  chain_.device_capable = 0;
  chain_.further.clear();
  device_lost_ = true;
  if (rules_.allowed.mapping) rules_.allowed.mapping->sides = 0;
  for (auto& [key, learnt] : *knowledge_) forget_device(learnt);
  if (chain_.device_only != 0) return running_;  // nothing is left to decide: frames fail
  return decide(Reason::device_failed);
}

void Controller::stream_ended() {
  const auto* training = std::get_if<Training>(&state_);
  if (!training && !std::holds_alternative<Awaiting>(state_)) return;
  if (std::exchange(told_ns_, budget_.last_ns()) == budget_.last_ns()) return;  // no frame since
  Decision decision;
  decision.reason = Reason::too_short;
  decision.before = decision.after = settled_on_;
  if (training) {
    decision.measured = measured_before_;
    const Facts& facts = training->facts;
    const Findings so_far = interpret(facts.observations, facts.chain);
    decision.choice =
        tandem::choose(so_far.measurements, objective_, allowed(), so_far.trials, Which::measured);
    const auto cost = budget_.spent();
    decision.training_s = cost.seconds;
    decision.training_frames = cost.frames;
    decision.tried = training->tried;
  }
  ++decisions_;
  if (decided) decided(decision);
}

std::optional<Step> Controller::frame_done(const FrameTimes& times, uint32_t device_stages) {
  if (neighbours_.seat) neighbours_.seat->frame_done(times.end_ns, times.starved);
  budget_.frame_done(times, training());
  if (auto* awaiting = std::get_if<Awaiting>(&state_)) {
    const bool first = !awaiting->joined && !std::exchange(awaiting->first_frame_left, true);
    return first ? std::optional(await_device()) : std::nullopt;
  }
  if (neighbours_.seat)
    if (const auto step = look_at_neighbours()) return step;
  if (auto* training = std::get_if<Training>(&state_)) {
    if (needs_energy(objective_)) training->energy.take(times, device_stages, read_probe_);
    if (!training->experiment.take(times, device_stages)) return std::nullopt;
    return go_on_training(*training);
  }
  const Step before = running_;
  const bool settled = !look() || before == Step{settled_on_};
  if (settled && times.configuration == before.configuration && !times.spaced) {
    watch(times, device_stages);
  } else {
    steady_.other_frame_done(times);
  }
  if (!(running_ == before)) return running_;
  if (Look* look = this->look()) {
    if (another_trains_ || !look->experiment.take(times, device_stages)) return std::nullopt;
    return look_over(*look);
  }
  if (!wanted_ || !budget_.allows_training(rules_.max_overhead)) return std::nullopt;
  if (*wanted_ == Reason::drift && slower_ && !another_trains_ &&
      std::exchange(slower_->waits, false) && look_at_earlier(false, slower_->learnt.chosen))
    return running_;
  if (!take_turn()) return std::nullopt;
  return start_training(*wanted_);
}

// --- Decisions ---------------------------------------------------------------------------------

// By present knowledge: runs the best configuration, or trains, or goes on.
Step Controller::decide(Reason reason) {
  end_look();
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
  if (awaits_device()) return await_device();
  Learnt* learnt = find();
  if (training() && reason == Reason::rules) return running_;
  const bool lacks_some =
      learnt && (lacks_splits(*learnt, objective_, allowed) || lacks_latency(*learnt, objective_));
  const bool may_train = budget_.allows_training(rules_.max_overhead);
  if (learnt && !lacks_energy(*learnt) && !(lacks_some && may_train)) {
    abandon_training();
    const Choice choice = choose(*learnt);
    if (choice.count > 0) {
      const bool may_stay =
          reason == Reason::remembered || reason == Reason::neighbours || reason == Reason::rules;
      const bool as_before =
          may_stay && learnt->objective == objective_ && learnt->allowed == allowed;
      // A configuration that promises more has not been tried, or was not worth it.
      if (!as_before || learnt->chosen.configuration.mapping.stages == 0)
        remember(*learnt, choice.best());
      settle(reason, learnt->chosen, choice);
      if (lacks_some) wanted_ = reason;  // once it is allowed
      begin_verifying();
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
  if (!due) watch_ = watch;  // its times show if the frames have changed
  return running_;
}

void Controller::remember(Learnt& learnt, const Candidate& chosen) const {
  learnt.chosen = chosen;
  learnt.objective = objective_;
  learnt.allowed = allowed();
}

// Keeps the earlier choice unless another is better by more than the noise. A choice that the
// training has not measured may be the one that has become slow.
const Candidate& Controller::pick(Learnt& learnt, const Choice& choice) const {
  Candidate& chosen = learnt.chosen;
  if (chosen.configuration.mapping.stages == 0 || !allowed()(chosen.configuration))
    return choice.best();
  const Findings& findings = learnt.findings;
  const bool measures = !learnt.derived() && !findings.starved;
  if (measures && !was_measured(findings.measurements, chosen.configuration, findings.trials))
    return choice.best();
  chosen.prediction = corrected(findings.trials, chosen.configuration,
                                tandem::predict(findings.measurements, chosen.configuration));
  const double noise = std::max(findings.relative_error, kLeastNoise);
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
  state_ = Settled{};
  run(chosen.configuration);
  predicted_ = chosen.prediction;
  expected_loss_ = choice.expected_loss;
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
  expected_loss_ = kUnknown;
  watch_.begin_anew();
  steady_.begin_anew();
  begin_balance();
}

void Controller::watch(const FrameTimes& times, uint32_t device_stages) {
  steady_.frame_done(times, read_probe_);
  follow(times);
  if (another_trains_ && !times.starved) return;  // its trials make these frames slow
  if (keep_balance(times)) return;
  const Watch::News news = watch_.frame_done(times, device_stages);
  if (news == Watch::News::busy && !look()) {
    if (slower_) slower_->again = true;  // frames may have changed since
    begin_verifying();
  }
  if (!rules_.on_drift || rules_.allowed.fixed()) return;
  look_at_what_ran_before();
  if (news == Watch::News::none || look()) return;
  const Learnt* known = learnt();
  const bool starved = known && known->findings.starved;
  const bool waits = wanted_ && !slower_;
  if (news == Watch::News::drift && known && !starved && !waits && derive_from_drift()) return;
  if (news == Watch::News::drift || starved) wanted_ = Reason::drift;
}

}  // namespace tandem
