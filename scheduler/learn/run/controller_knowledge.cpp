// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller's part for knowledge that this stream did not gain.
#include <algorithm>
#include <utility>

#include "scheduler/learn/belief/choice.h"
#include "scheduler/learn/keep/derived.h"
#include "scheduler/learn/run/controller.h"

namespace tandem {
namespace {

bool operator==(const Domains& a, const Domains& b) {
  return a.c == b.c && a.g == b.g && a.u == b.u;
}

// Whether the chosen configuration is faster than expected by more than noise.
bool is_faster_than(const Learnt& learnt, const Observation& seen) {
  return seen.configuration == learnt.chosen.configuration &&
         1 > kUnusual * learnt.chosen.prediction.throughput_fps * seen.frame_s;
}

// Joules of another meter mean something else.
void forget_energy(Known& known) {
  for (Observation& seen : known.facts.observations) seen.watts = {};
  if (!known.chosen) return;
  known.chosen->prediction.energy_j = known.chosen->prediction.power_w = kUnknown;
}

}  // namespace

void Controller::know(std::vector<Known> known) {
  for (Known& one : known) {
    if (!same_work(one.facts.chain, chain_) || knowledge_->contains(one.conditions)) continue;
    if (!(one.facts.chain.domains == chain_.domains)) {
      forget_energy(one);
      one.facts.chain.domains = chain_.domains;
    }
    one.facts.chain.window = chain_.window;
    Learnt learnt = learnt_of(one);
    if (device_lost_) forget_device(learnt);
    (*knowledge_)[one.conditions] = std::move(learnt);
  }
}

bool Controller::knows_work(const Conditions& conditions, bool any_device) const {
  return std::ranges::any_of(*knowledge_, [&](const auto& known) {
    Conditions as = known.first;
    as.width = conditions.width;
    as.height = conditions.height;
    as.cores = conditions.cores;
    if (any_device) as.device = conditions.device;
    return as == conditions;
  });
}

// Measurements without the device still hold.
void Controller::forget_device(Learnt& learnt) const {
  Chain without = learnt.facts.chain;
  without.device_capable = 0;
  without.further.clear();
  learnt.findings = interpret(learnt.facts.observations, without);
  learnt.chosen = {};
}

// Derives knowledge of frames that nobody learnt from that of others.
void Controller::derive_unknown() {
  if (find()) return;
  Chain chain = chain_;
  chain.cores = cores_;
  if (auto derived = derive(*conditions_, *knowledge_, chain))
    (*knowledge_)[*conditions_] = std::move(*derived);
}

void Controller::begin_verifying() {
  const Learnt* learnt = find();
  if (!learnt || learnt->verified || !rules_.any() || allowed().fixed()) return;
  state_ = Verifying{{look_at(verify(*learnt, {}, objective_, allowed()).look_at)}};
}

// Judges by the rate: no look here waits for an energy counter. If frames are long, the first ones
// make memory for all that are under way.
Experiment Controller::look_at(const Configuration& configuration, double slow_fps) {
  Chain chain = chain_;
  chain.cores = cores_;
  const Learnt* learnt = find();
  const double frame_s = learnt ? latency_s(learnt->findings.measurements, configuration) : 0;
  const double fill_s = frame_s > kCheap_s ? frame_s : 0;
  const Plan plan =
      as_in_service({configuration, Observation::Kind::look, fill_s, slow_fps}, chain, objective_);
  running_ = plan.step();
  return {plan, chain, 0, read_probe_};
}

Controller::Look* Controller::look() {
  if (auto* verifying = std::get_if<Verifying>(&state_)) return verifying;
  if (auto* returning = std::get_if<Returning>(&state_)) return returning;
  return std::get_if<Earlier>(&state_);
}

void Controller::end_look() {
  if (!look()) return;
  state_ = Settled{};
  if (slower_) slower_->returning.at_s = 0;
  if (former_) former_->returning.at_s = 0;
  const bool another = !(running_.configuration == settled_on_);
  running_ = {settled_on_};
  if (!another) return;
  watch_.begin_anew();
  steady_.begin_anew();
  if (following_) following_ = Following{budget_.last_ns() + kUnfollowed_ns};
}

// Takes the result of a look that is over. Returns the step to run from now on, if it is another.
std::optional<Step> Controller::look_over(Look& look) {
  const Step before = running_;
  const Learnt* learnt = find();
  const Observation seen = look.experiment.observation();
  if (looked) looked(seen);
  // A source that does not keep the threads busy tells nothing about rates, unless it brings more
  // frames than are thought to be possible; Watch says when it does.
  const bool starved = 2 * seen.starved_frames > seen.frames;
  if (!learnt || (starved && !is_faster_than(*learnt, seen)) || !known(seen.frame_s)) {
    end_look();
  } else if (const auto* returning = std::get_if<Returning>(&state_)) {
    go_on_returning(*returning, seen);
  } else if (const auto* earlier = std::get_if<Earlier>(&state_)) {
    go_on_with_earlier(*earlier, seen);
  } else {
    go_on_verifying(std::get<Verifying>(state_), seen);
  }
  return training() || !(running_ == before) ? std::optional(running_) : std::nullopt;
}

void Controller::go_on_verifying(Verifying& at, const Observation& seen) {
  Learnt& learnt = *find();
  at.looks.push_back(seen);
  const Verdict verdict = verify(learnt, at.looks, objective_, allowed());
  if (verdict.is == Verdict::Is::open) {
    double best_fps = 0;
    for (const Observation& one : at.looks) best_fps = std::max(best_fps, 1 / one.frame_s);
    at.experiment = look_at(verdict.look_at, kTooSlow * best_fps);
    return;
  }
  end_look();
  const bool other_size = learnt.origin == Learnt::Origin::other_sizes;
  if (verdict.is == Verdict::Is::holds) {
    learnt.verified = true;
    if (slower_ && wanted_ == Reason::drift) wanted_.reset();
    if (verdict.best.configuration == settled_on_) return;
    learnt.chosen = verdict.best;
    return settle(other_size ? Reason::derived : Reason::drift, verdict.best, {});
  }
  if (slower_ && slower_->instead && run_slower(*slower_->instead, std::nullopt)) return;
  if (slower_ && look_at_earlier(!slower_->again, verdict.best)) return;
  train_instead(other_size ? Reason::caps : Reason::drift, verdict.best);
}

// The knowledge of these frames does not hold: trains. Until a training is allowed the best
// configuration of slow frames runs, or else the present one goes on.
void Controller::train_instead(Reason reason, const Candidate& best_of_slow) {
  if (!slower_) knowledge_->erase(*conditions_);
  if (budget_.allows_training(rules_.max_overhead) && take_turn()) {
    start_training(reason, best_of_slow);
    return;
  }
  if (slower_) {
    make_do_with(best_of_slow);
    slower_->waits = true;
  }
  wanted_ = reason;
}

}  // namespace tandem
