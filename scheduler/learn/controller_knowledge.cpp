// SPDX-License-Identifier: LGPL-2.1-or-later
// What the controller does with knowledge that this stream did not gain.
#include <algorithm>
#include <utility>

#include "scheduler/learn/controller.h"
#include "scheduler/learn/derive.h"
#include "scheduler/learn/verify.h"

namespace tandem {
namespace {

bool operator==(const Domains& a, const Domains& b) {
  return a.c == b.c && a.g == b.g && a.u == b.u;
}

// A rate of what was chosen that is no noise.
constexpr double kFaster = 1.5;
bool is_faster_than(const Learnt& learnt, const Observation& seen) {
  return seen.configuration == learnt.chosen.configuration &&
         1 > kFaster * learnt.chosen.prediction.throughput_fps * seen.frame_s;
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
    Learnt learnt = learnt_of(one, *predictor_);
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

// Of frames that nobody learnt, from what was learnt of others.
void Controller::derive_unknown() {
  if (find()) return;
  Chain chain = chain_;
  chain.cores = cores_;
  if (auto derived = derive(*conditions_, *knowledge_, chain, *predictor_))
    (*knowledge_)[*conditions_] = std::move(*derived);
}

void Controller::begin_check() {
  const Learnt* learnt = find();
  if (!learnt || learnt->verified || !rules_.any() || allowed().fixed()) return;
  check_.emplace();
  look(verify(*learnt, {}, objective_, allowed(), *predictor_).look_at);
}

// By its rate: no look here waits for an energy counter. Of long frames the first ones make memory
// for all that are under way.
void Controller::look(const Configuration& configuration, double slow_fps) {
  Chain chain = chain_;
  chain.cores = cores_;
  const Learnt* learnt = find();
  const double frame_s = learnt ? latency_s(learnt->findings.measurements, configuration) : 0;
  const double fill_s = frame_s > kCheap_s ? frame_s : 0;
  const Plan plan =
      as_in_service({configuration, Observation::Kind::look, fill_s, slow_fps}, chain, objective_);
  check_->experiment.emplace(plan, chain, 0, read_probe_);
  running_ = plan.step();
}

void Controller::end_check() {
  if (!check_) return;
  check_.reset();
  if (slower_) slower_->returning.at_s = 0;
  if (former_) former_->returning.at_s = 0;
  const bool another = !(running_.configuration == settled_on_);
  running_ = {settled_on_};
  if (!another) return;
  watch_.begin_anew();
  steady_.begin_anew();
  if (following_) following_ = Following{budget_.last_ns() + kUnfollowed_ns};
}

// With what the look that is over saw. Returns what to run from now on, if it is something else.
std::optional<Step> Controller::go_on_checking() {
  const Step before = running_;
  const auto changed = [&] { return running_ == before ? std::nullopt : std::optional(running_); };
  Learnt* learnt = find();
  Observation seen = check_->experiment->observation();
  if (looked) looked(seen);
  // A source that does not keep the threads busy tells nothing about rates, unless it brings more
  // frames than are thought to be possible; Watch says when it does.
  const bool starved = 2 * seen.starved_frames > seen.frames;
  if (!learnt || (starved && !is_faster_than(*learnt, seen)) || !known(seen.frame_s)) {
    end_check();
    return changed();
  }
  if (check_->beats_fps > 0) return go_on_returning(seen);
  if (check_->best_of_slow) return go_on_with_earlier(seen);
  check_->looks.push_back(std::move(seen));
  const Verdict verdict = verify(*learnt, check_->looks, objective_, allowed(), *predictor_);
  if (verdict.is == Verdict::Is::open) {
    double best_fps = 0;
    for (const Observation& one : check_->looks) best_fps = std::max(best_fps, 1 / one.frame_s);
    look(verdict.look_at, kTooSlow * best_fps);
    return changed();
  }
  end_check();
  const bool other_size = learnt->origin == Learnt::Origin::other_sizes;
  if (verdict.is == Verdict::Is::holds) {
    learnt->verified = true;
    if (slower_ && wanted_ == Reason::drift) wanted_.reset();
    if (verdict.best.configuration == settled_on_) return changed();
    learnt->chosen = verdict.best;
    settle(other_size ? Reason::derived : Reason::drift, verdict.best, {});
    return changed();
  }
  if (slower_ && slower_->instead && run_slower(*slower_->instead, std::nullopt)) return running_;
  if (slower_ && look_at_earlier(!slower_->again, verdict.best)) return running_;
  train_instead(other_size ? Reason::caps : Reason::drift, verdict.best);
  return training() ? std::optional(running_) : changed();
}

// The knowledge of these frames does not hold: trains. Until a training is allowed the best
// configuration of slow frames runs, or else the present one goes on.
Step Controller::train_instead(Reason reason, const Candidate& best_of_slow) {
  if (!slower_) knowledge_->erase(*conditions_);
  if (budget_.allows_training(rules_.max_overhead) && take_turn())
    return start_training(reason, best_of_slow);
  if (slower_) {
    make_do_with(best_of_slow);
    slower_->waits = true;
  }
  wanted_ = reason;
  return running_;
}

}  // namespace tandem
