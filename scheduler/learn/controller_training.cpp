// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller's trainings.
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/correction.h"
#include "scheduler/learn/controller.h"
#include "scheduler/learn/next_lanes.h"
#include "scheduler/learn/worth.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// An experiment sees so many new values of an energy counter that is slower than kMostRegressed_s:
// a training is over before such a one has told enough for EnergyTrack.
constexpr double kCounterValues = 3;
constexpr double kMostRegressed_s = 0.15;
// What so many frames do after a training, in so long and behind the first ones, is kept with it,
// where that is another rate, and not one that something else is at work in.
constexpr uint64_t kFollowed_ns = 2'000'000'000;
constexpr int kFollowedFrames = 50;
constexpr uint64_t kPause_ns = 100'000'000;  // of a source, after which it begins anew
constexpr double kWorthKeeping = 1.05, kMostOff = 1.5;

}  // namespace

Step Controller::start_training(Reason reason, Candidate otherwise) {
  end_check();
  if (reason == Reason::drift && slower_) keep_former();
  slower_.reset();
  wanted_.reset();
  if ((chain_.device_only & ~chain_.device_capable) != 0) {  // frames fail: none can be measured
    end_turn();
    return running_;
  }
  measured_before_ = measured();
  const double fps = measured_before_.throughput_fps;
  const bool told = known(otherwise.prediction.throughput_fps);
  if (reason == Reason::drift && known(fps) && (!told || otherwise.configuration == settled_on_))
    otherwise = {settled_on_, {.throughput_fps = fps}};
  budget_.begin_training();
  Facts facts{chain_, {}};
  facts.chain.cores = cores_;
  const Constraints open = allowed();
  if (open.most_lanes > 0)
    std::erase_if(facts.chain.lanes, [&](int lanes) { return lanes > open.most_lanes; });
  if (rules_.allowed.lanes) {
    facts.chain.lanes.clear();
    if (*rules_.allowed.lanes > 1) facts.chain.lanes.push_back(*rules_.allowed.lanes);
  }
  if (open.mapping && open.mapping->any_split())
    facts.chain.can_split &= open.mapping->split_stages();
  const Findings none = interpret({}, facts.chain, *predictor_);
  const Plan first = *next_experiment(facts, none, objective_, open, *predictor_).plan;
  training_ = {reason, facts, Experiment(first, facts.chain, 0, read_probe_),
               EnergyTrack(facts.chain), otherwise};
  training_->experiment = experiment_of(first);
  run(first.configuration);
  return running_ = first.step();
}

// Of the training under way.
LanePrior Controller::prior() const {
  return stream_model_ ? lane_prior(*stream_model_, device_frame(training_->facts)) : LanePrior{};
}

// What the energy counter needs, when it matters.
double Controller::counter_s() const {
  return needs_energy(objective_) ? kCounterValues * chain_.energy_resolution_s : 0;
}

// Whether experiments, trials and looks are over before the counter has told of each.
bool Controller::regresses_energy() const {
  return needs_energy(objective_) && chain_.energy_resolution_s <= kMostRegressed_s;
}

Experiment Controller::experiment_of(const Plan& plan) const {
  return {plan, training_->facts.chain, regresses_energy() ? 0 : counter_s(), read_probe_};
}

// Of the training under way: trials, or else experiments; one of two halves is one.
int Controller::made(bool trials) const {
  return static_cast<int>(
      std::ranges::count_if(training_->facts.observations, [&](const Observation& seen) {
        return is_trial(seen.kind) == trials && seen.kind != Observation::Kind::stages;
      }));
}

int Controller::experiment() const {
  return training_ && !is_trial(training_->experiment.plan().kind) ? made(false) + 1 : 0;
}

int Controller::trial() const {
  return training_ && is_trial(training_->experiment.plan().kind) ? made(true) + 1 : 0;
}

// An abandoned training counts in full. The previous configuration resumes.
void Controller::abandon_training() {
  if (!training_) return;
  budget_.end_training(kUnknown);
  training_.reset();
  running_ = {settled_on_, false};
  end_turn();
}

// Takes up what the experiment that has ended found out, and begins the next one.
Step Controller::go_on_training() {
  Facts& facts = training_->facts;
  facts.observations.push_back(training_->experiment.observation());
  Facts known = facts;
  if (regresses_energy())
    known.observations = with_watts(facts.observations, training_->energy.fits());
  known.prior = prior();
  const Findings findings = interpret(known.observations, facts.chain, *predictor_, known.prior);
  const Observation& seen = facts.observations.back();
  if (observed && !is_trial(seen.kind)) observed(seen);
  if (tried && is_trial(seen.kind)) tried(*find_trial(findings.trials, seen.configuration));
  Next next = next_experiment(known, findings, objective_, allowed(), *predictor_);
  if (!next.plan) next.plan = look_at_otherwise(next.choice, findings);
  if (!next.plan || is_trial(next.plan->kind)) {
    Learnt& learnt = (*knowledge_)[*conditions_];
    learnt.facts = known;
    learnt.findings = findings;
    learnt.origin = Learnt::Origin::training;
    learnt.verified = true;
  }
  if (!next.plan) return finish_training(next.choice);
  training_->experiment = experiment_of(*next.plan);
  return running_ = next.plan->step();
}

// A training does not end in less than what would run without it, which it may have missed.
std::optional<Plan> Controller::look_at_otherwise(const Choice& choice, const Findings& findings) {
  const Configuration configuration = training_->otherwise.configuration;
  const double otherwise_fps =
      std::exchange(training_->otherwise.prediction.throughput_fps, kUnknown);
  const double fps = choice.best().prediction.throughput_fps;
  if (choice.count == 0 || !is_of_rate_alone(objective_) || !(otherwise_fps > kBetter * fps) ||
      !allowed()(configuration) || find_trial(findings.trials, configuration))
    return std::nullopt;
  const double fill_s = latency_s(findings.measurements, configuration);
  return as_in_service({configuration, Observation::Kind::look, fill_s, kTooSlow * fps},
                       training_->facts.chain, objective_);
}

Step Controller::finish_training(const Choice& choice) {
  Learnt& learnt = (*knowledge_)[*conditions_];
  if (choice.count > 0) remember(learnt, pick(learnt, choice));
  Decision decision;
  decision.experiments = std::max(1, made(false));  // the first half may be all of it
  decision.trials = made(true);
  const Training cost = budget_.spent();
  decision.training_s = cost.seconds;
  decision.training_frames = cost.frames;
  decision.spent = spent_on(training_->facts.observations, cost);
  spent_.add(decision.spent);
  decision.penalty_s =
      budget_.end_training(choice.count > 0 ? learnt.chosen.prediction.throughput_fps : kUnknown);
  experiments_ += decision.experiments;
  const Reason reason = training_->reason;
  training_.reset();
  const Candidate fallback{allowed().fallback(chain_.stages, chain_.cores), {}};
  const bool kept = tell_others(learnt, choice.count > 0);
  settle(reason, choice.count > 0 ? learnt.chosen : fallback, choice, decision);
  if (kept) following_ = {budget_.last_ns() + kUnfollowed_ns};
  end_turn();
  return running_;
}

// Publishes to the other bins unless lanes are fixed or the device is lost. Calls `trained` only
// where there is a choice too and the source kept the threads busy, and returns whether that is so.
bool Controller::tell_others(Learnt& learnt, bool has_choice) {
  if (rules_.allowed.lanes || device_lost_) return false;
  if (neighbours_.shared)
    learnt.version = neighbours_.shared->knowledge.publish(*conditions_, learnt);
  const bool kept = has_choice && !learnt.findings.starved;
  if (kept && trained) trained(*conditions_, learnt);
  return kept;
}

// Frames pay for memory while a training tries what runs, and the device may be waking up. Who
// remembers compares with what lasts. The first frames begin together, as many as may be under way.
void Controller::follow(const FrameTimes& times) {
  if (another_trains_) following_.reset();  // what it tries makes these frames slow
  if (!following_ || times.begin_ns < following_->since_ns) return;
  const uint64_t before_ns = std::exchange(following_->last_ns, times.begin_ns);
  if (times.starved && before_ns > 0 && times.begin_ns - before_ns > kPause_ns) {
    following_ = {times.begin_ns + kUnfollowed_ns};  // all threads begin at once, as at first
    return;
  }
  if (following_->frames++ == 0) following_->since_ns = times.begin_ns;
  following_->starved += times.starved;
  const uint64_t lasted_ns = times.begin_ns - following_->since_ns;
  if (lasted_ns < kFollowed_ns || following_->frames <= kFollowedFrames) return;
  const double fps = (following_->frames - 1) / seconds(lasted_ns);
  const bool busy = 2 * following_->starved <= following_->frames;
  following_.reset();
  Learnt* learnt = find();
  if (!busy || slower_ || !learnt || learnt->chosen.configuration != settled_on_) return;
  const double ratio = fps / learnt->chosen.prediction.throughput_fps;
  const double off = std::abs(std::log(ratio));
  if (!(off > std::log(kWorthKeeping) && off < std::log(kMostOff))) return;
  learnt->chosen.prediction = at_ratio(learnt->chosen.prediction, ratio);
  tell_others(*learnt, true);
}

}  // namespace tandem
