// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller's trainings.
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/correction.h"
#include "scheduler/learn/belief/next_trial.h"
#include "scheduler/learn/meaning/regime.h"
#include "scheduler/learn/run/controller.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// The rate of frames for this time after a training, behind the first ones, is kept with it if it
// differs. An unusual rate is not kept, because something else is at work then.
constexpr uint64_t kFollowed_ns = 2'000'000'000;
constexpr uint64_t kPause_ns = 100'000'000;  // of a source, after which it begins anew

// Trials, or else experiments; one of two halves is one.
int count_made(const Facts& facts, bool trials) {
  return static_cast<int>(std::ranges::count_if(facts.observations, [&](const Observation& seen) {
    return is_trial(seen.kind) == trials && seen.kind != Observation::Kind::stages;
  }));
}

}  // namespace

Step Controller::start_training(Reason reason, Candidate otherwise) {
  end_look();
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
  const Findings none = interpret({}, facts.chain);
  const Plan first = *next_experiment(facts, none, objective_, open).plan;
  state_ = Training{reason, facts, experiment_of(first, facts.chain), EnergyTrack(facts.chain),
                    otherwise};
  run(first.configuration);
  return running_ = first.step();
}

Experiment Controller::experiment_of(const Plan& plan, const Chain& chain) const {
  return {plan, chain, counter_seconds(chain, objective_), read_probe_};
}

int Controller::under_way(bool trials) const {
  const auto* training = std::get_if<Training>(&state_);
  const bool any = training && is_trial(training->experiment.plan().kind) == trials;
  return any ? count_made(training->facts, trials) + 1 : 0;
}

// An abandoned training counts in full. The previous configuration resumes.
void Controller::abandon_training() {
  if (!training()) return;
  budget_.end_training(kUnknown);
  state_ = Settled{};
  running_ = {settled_on_, false};
  end_turn();
}

// Takes the results of the experiment that has ended, and begins the next one.
Step Controller::go_on_training(Training& training) {
  Facts& facts = training.facts;
  facts.observations.push_back(training.experiment.observation());
  Facts known = facts;
  if (regresses_energy(facts.chain, objective_))
    known.observations = with_watts(facts.observations, training.energy.fits());
  const Findings findings = interpret(known.observations, facts.chain);
  const Observation& seen = facts.observations.back();
  if (observed && !is_trial(seen.kind)) observed(seen);
  if (is_trial(seen.kind)) {
    training.tried.push_back(
        {seen.configuration, 1 / seen.frame_s, explain(training.experiment.plan())});
    if (tried) tried(*find_trial(findings.trials, seen.configuration));
  }
  Next next = next_experiment(known, findings, objective_, allowed());
  if (!next.plan) next.plan = look_at_otherwise(training, next.choice, findings);
  if (!next.plan || is_trial(next.plan->kind)) {
    Learnt& learnt = (*knowledge_)[*conditions_];
    learnt.facts = known;
    learnt.findings = findings;
    learnt.origin = Learnt::Origin::training;
    learnt.verified = true;
  }
  if (!next.plan) return finish_training(training, next.choice);
  if (tries && is_trial(next.plan->kind)) tries(explain(*next.plan));
  training.experiment = experiment_of(*next.plan, facts.chain);
  return running_ = next.plan->step();
}

// A training ends with no slower configuration than would run without it, also if it missed that.
std::optional<Plan> Controller::look_at_otherwise(Training& training, const Choice& choice,
                                                  const Findings& findings) const {
  const Configuration configuration = training.otherwise.configuration;
  const double otherwise_fps =
      std::exchange(training.otherwise.prediction.throughput_fps, kUnknown);
  const double fps = choice.best().prediction.throughput_fps;
  if (choice.count == 0 || !is_of_rate_alone(objective_) || !(otherwise_fps > kBetter * fps) ||
      !allowed()(configuration) || find_trial(findings.trials, configuration))
    return std::nullopt;
  const double fill_s = latency_s(findings.measurements, configuration);
  return as_in_service({.configuration = configuration,
                        .kind = Observation::Kind::look,
                        .fill_s = fill_s,
                        .slow_fps = kTooSlow * fps,
                        .why = "it ran before, and was faster"},
                       training.facts.chain, objective_);
}

Step Controller::finish_training(const Training& training, const Choice& choice) {
  Learnt& learnt = (*knowledge_)[*conditions_];
  if (choice.count > 0) remember(learnt, pick(learnt, choice));
  Decision decision;
  decision.experiments =
      std::max(1, count_made(training.facts, false));  // the first half may be all of it
  decision.trials = count_made(training.facts, true);
  decision.tried = training.tried;
  const auto cost = budget_.spent();
  decision.training_s = cost.seconds;
  decision.training_frames = cost.frames;
  decision.spent = spent_on(training.facts.observations, cost);
  spent_.add(decision.spent);
  decision.penalty_s =
      budget_.end_training(choice.count > 0 ? learnt.chosen.prediction.throughput_fps : kUnknown);
  experiments_ += decision.experiments;
  const Candidate fallback{allowed().fallback(chain_.stages, chain_.cores), {}};
  const bool kept = tell_others(learnt, choice.count > 0);
  settle(training.reason, choice.count > 0 ? learnt.chosen : fallback, choice, decision);
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

// Frames of trials pay for memory, and the device may be waking up. Later streams compare with the
// lasting rate. The first frames begin together, as many as may be under way.
void Controller::follow(const FrameTimes& times) {
  if (another_trains_) following_.reset();  // its trials make these frames slow
  if (!following_ || times.begin_ns < following_->since_ns) return;
  const uint64_t before_ns = std::exchange(following_->last_ns, times.begin_ns);
  if (times.starved && before_ns > 0 && times.begin_ns - before_ns > kPause_ns) {
    following_ = {times.begin_ns + kUnfollowed_ns};  // all threads begin at once, as at first
    return;
  }
  if (following_->frames++ == 0) following_->since_ns = times.begin_ns;
  following_->starved += times.starved;
  const uint64_t lasted_ns = times.begin_ns - following_->since_ns;
  if (lasted_ns < kFollowed_ns || following_->frames <= kUsualFrames) return;
  const double fps = (following_->frames - 1) / seconds(lasted_ns);
  const bool busy = 2 * following_->starved <= following_->frames;
  following_.reset();
  Learnt* learnt = find();
  if (!busy || slower_ || !learnt || learnt->chosen.configuration != settled_on_) return;
  const double ratio = fps / learnt->chosen.prediction.throughput_fps;
  const double off = std::abs(std::log(ratio));
  if (!(off > std::log(kBetter) && off < std::log(kUnusual))) return;
  learnt->chosen.prediction = at_ratio(learnt->chosen.prediction, ratio);
  tell_others(*learnt, true);
}

}  // namespace tandem
