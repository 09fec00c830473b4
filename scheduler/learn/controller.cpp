// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/controller.h"

#include <algorithm>
#include <utility>

#include "model/median.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// More noise than this says too little to keep a worse configuration for its sake.
constexpr double kMostNoise = 0.1;
// The first frames after a decision do not count: they pay for memory that a configuration touches
// for the first time.
constexpr int kSettlingFrames = 8;
// Of the watch: the median of what passes in so long is one sample, and so many samples tell what
// is usual. A device may compute hundreds of frames while it is held up once.
constexpr uint64_t kSampleNs = 50'000'000;
constexpr std::size_t kReferenceSamples = 16;
// The smallest lasting change of service times that is worth a training.
constexpr double kDrift = 0.25;
// Frames in a row with others behind them after which the source does keep the threads busy.
constexpr int kBusyFrames = 64;

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
    case Reason::rules:
      return "rules";
    case Reason::device_failed:
      return "device-failed";
    case Reason::not_allowed:
      return "not-allowed";
    case Reason::too_short:
      return "too-short";
    case Reason::waits:
      return "waits";
    case Reason::neighbours:
      return "neighbours";
  }
  return "";
}

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

// --- What may be done --------------------------------------------------------------------------

bool Controller::may_train() const {
  if (totals_.trainings == 0 && rules_.max_overhead > 0) return true;
  // The next training is expected to cost what the last one did.
  return training_allowed(totals().stream_s - totals_.penalty_s,
                          totals_.penalty_s + last_penalty_s_, rules_.max_overhead);
}

bool Controller::lacks_energy(const Learnt& learnt) const {
  const Domains& d = chain_.domains;
  const bool metered = d.c != Domain::absent || d.g != Domain::absent || d.u != Domain::absent;
  return metered && needs_energy(objective_) &&
         choose(learnt.measurements, objective_, allowed(), learnt.trials).energy_unknown;
}

Learnt* Controller::find() {
  const auto found = knowledge_->find(key_);
  return found == knowledge_->end() ? nullptr : &found->second;
}

const Learnt* Controller::learnt() const {
  const auto found = knowledge_->find(key_);
  return found == knowledge_->end() ? nullptr : &found->second;
}

// --- What happened -----------------------------------------------------------------------------

Trainer::Step Controller::frames_changed(const std::string& key, int window) {
  abandon_training();  // what it learnt of the old frames is of no use for these
  frames_ = key;
  window_ = window;
  busy_frames_ = 0;
  take_share();
  name_knowledge();
  ask_neighbours();
  return decide(find() ? Reason::remembered : Reason::caps);
}

Trainer::Step Controller::set_rules(const AdaptRules& rules) {
  rules_ = rules;
  take_share();
  return decide(Reason::rules);
}

Trainer::Step Controller::set_objective(const Objective& objective) {
  objective_ = objective;
  return decide(Reason::objective);
}

Trainer::Step Controller::retrain() {
  abandon_training();
  if (frames_.empty() || rules_.allowed.fixed()) return running_;
  if (take_turn()) return start_training(Reason::asked);
  wanted_ = Reason::asked;
  return running_;
}

Trainer::Step Controller::device_failed() {
  abandon_training();
  chain_.device_capable = 0;
  device_lost_ = true;
  if (rules_.allowed.mapping) rules_.allowed.mapping->sides = 0;
  for (auto& [key, learnt] : *knowledge_) forget_device(learnt);
  return decide(Reason::device_failed);
}

void Controller::forget_device(Learnt& learnt) {
  for (StageMeasurements& stage : learnt.measurements.stages) stage.has_device = false;
  learnt.trials.clear();
  learnt.chosen = {};
}

void Controller::stream_ended() {
  const Training cost = spent();
  if (!training() || cost.frames <= told_too_short_) return;
  told_too_short_ = cost.frames;
  Decision decision;
  decision.reason = Reason::too_short;
  decision.before = decision.after = settled_on_;
  decision.measured = measured_before_;
  decision.training_s = cost.seconds;
  decision.training_frames = cost.frames;
  ++totals_.decisions;
  if (decided) decided(decision);
}

std::optional<Trainer::Step> Controller::frame_done(const FrameTimes& times,
                                                    uint32_t device_stages) {
  if (first_ns_ == 0) first_ns_ = times.begin_ns;
  if (neighbours_.seat) {
    neighbours_.seat->frame_done(times.end_ns, times.starved);
    if (const auto step = look_at_neighbours()) return step;
  }
  if (training()) {
    if (training_frames_++ == 0) training_since_ns_ = std::max(times.begin_ns, last_ns_);
    training_held_ns_ += times.held_ns;
  }
  last_ns_ = std::max(last_ns_, times.end_ns);
  if (trainer_) {
    if (!trainer_->observe(times, device_stages)) return std::nullopt;
    if (const auto next = trainer_->step()) return running_ = *next;
    return finish_experiments();
  }
  if (trial_) {
    if (!trial_->observe(times)) return std::nullopt;
    return finish_trial();
  }
  if (times.configuration == running_.configuration) watch(times, device_stages);
  if (!wanted_ || !may_train() || !take_turn()) return std::nullopt;
  return start_training(*wanted_);
}

// --- Decisions ---------------------------------------------------------------------------------

// With what is known now: run what is best, or find out, or go on.
Trainer::Step Controller::decide(Reason reason) {
  const Allowed allowed = this->allowed();
  if (allowed.fixed() || frames_.empty() || !rules_.any()) {
    abandon_training();
    wanted_.reset();
    if (allowed.fixed() || frames_.empty() || !allowed(running_.configuration) ||
        (running_.configuration.mapping.any_device() && chain_.device_capable == 0))
      run(settled_on_ = allowed.fallback(chain_.stages, chain_.cores));
    running_.time_stages = false;
    return running_;
  }
  Learnt* learnt = find();
  if (training() && reason == Reason::rules) return running_;
  if (learnt && !lacks_energy(*learnt)) {
    abandon_training();
    const Choice choice = choose(learnt->measurements, objective_, allowed, learnt->trials);
    if (choice.count > 0) {
      const bool as_before = (reason == Reason::remembered || reason == Reason::neighbours) &&
                             learnt->objective == objective_ && learnt->allowed == allowed;
      // What promises more has not been tried, or was not worth it.
      if (!as_before || learnt->chosen.configuration.mapping.stages == 0)
        remember(*learnt, choice.best());
      settle(reason, learnt->chosen, choice);
      return running_;
    }
  }
  // With `drift` alone, other frames are a reason to train when they take another time.
  const bool due = rules_.on_caps || knowledge_->empty() || reason != Reason::caps;
  if (training()) return running_;
  if (due) {
    if (may_train() && take_turn()) return start_training(reason);
    wanted_ = reason;
  }
  Configuration keeps = running_.configuration;
  keeps.mapping = keeps.mapping.within(chain_.device_capable);
  if (!allowed(keeps)) keeps = allowed.fallback(chain_.stages, chain_.cores);
  const auto paths = std::exchange(paths_, {});
  settle(!due ? reason : may_train() ? Reason::waits : Reason::not_allowed, {keeps, {}}, {});
  if (!due) paths_ = paths;
  return running_;
}

void Controller::remember(Learnt& learnt, const Candidate& chosen) const {
  learnt.chosen = chosen;
  learnt.objective = objective_;
  learnt.allowed = allowed();
}

// Keeps what was chosen before unless another is better by more than the noise.
const Candidate& Controller::pick(Learnt& learnt, const Choice& choice) const {
  Candidate& chosen = learnt.chosen;
  if (chosen.configuration.mapping.stages == 0 || !allowed()(chosen.configuration))
    return choice.best();
  chosen.prediction = corrected(learnt.trials, chosen.configuration,
                                predict(learnt.measurements, chosen.configuration));
  const double noise = std::clamp(learnt.relative_error, kLeastNoise, kMostNoise);
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
  if (neighbours_.seat) neighbours_.seat->chose();
  ++totals_.decisions;
  if (decided) decided(decision);
}

void Controller::run(const Configuration& configuration) {
  running_ = {configuration, false};
  predicted_ = {};
  paths_.clear();
  settled_frames_ = 0;
}

// --- Watching ----------------------------------------------------------------------------------

void Controller::watch(const FrameTimes& times, uint32_t device_stages) {
  if (++settled_frames_ == kSettlingFrames) {
    settled_ = read_probe_();
    settled_ns_ = times.begin_ns;
  }
  last_begin_ns_ = times.begin_ns;
  // A source that does not keep the threads busy makes frames faster: that is no drift.
  if (times.starved) {
    busy_frames_ = 0;
    return;
  }
  if (another_trains_) return;  // what it tries makes these frames slow now and then
  const Learnt* known = learnt();
  if (++busy_frames_ == kBusyFrames && known && known->starved && rules_.on_drift)
    wanted_ = Reason::drift;

  Path& path = paths_[device_stages];
  const std::optional<double> service_s = path.sample(times);
  if (!service_s) return;
  if (path.drift) {
    if (path.drift->observe(*service_s) && rules_.on_drift) wanted_ = Reason::drift;
    return;
  }
  path.first_samples.push_back(*service_s);
  if (path.first_samples.size() < kReferenceSamples) return;
  const Estimate usual = estimate(path.first_samples);
  path.drift.emplace(usual.value, kDrift, usual.relative_spread);
}

std::optional<double> Controller::Path::sample(const FrameTimes& times) {
  if (seen < kSettlingFrames) {
    ++seen;
    sample_began_ns = times.begin_ns;
    return {};
  }
  services_s.push_back(seconds(times.service_ns()));
  if (times.begin_ns - sample_began_ns < kSampleNs) return {};
  sample_began_ns = times.begin_ns;
  const double service_s = median(services_s);
  services_s.clear();  // its memory is kept: a steady stream allocates nothing
  return service_s;
}

Measured Controller::measured() const {
  const int frames = settled_frames_ - kSettlingFrames;
  if (frames <= 0 || last_begin_ns_ <= settled_ns_) return {};
  const double elapsed_s = seconds(last_begin_ns_ - settled_ns_);
  return measured_between(settled_, read_probe_(), chain_.domains, frames / elapsed_s);
}

Controller::Totals Controller::totals() const {
  Totals totals = totals_;
  totals.stream_s = seconds(last_ns_ - first_ns_);
  return totals;
}

}  // namespace tandem
