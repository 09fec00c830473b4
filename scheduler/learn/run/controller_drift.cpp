// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller's part for frames that take another time than they used to. The best configuration
// is derived from earlier knowledge, and looks verify it. A training comes only where that does not
// hold (Marrow, section 3.3, moves shares by what it sees before it profiles again).
#include <algorithm>
#include <cmath>

#include "scheduler/learn/belief/choice.h"
#include "scheduler/learn/run/controller.h"

namespace tandem {
namespace {

// Pauses between looks at the earlier configuration grow by a quarter each time, up to a limit. So
// each is a quarter of the time for which it did not hold. Looks take a part of them at most.
constexpr double kFartherApart = 1.25, kLastReturn_s = 32, kMostLooking = 0.1;

bool is_one(double ratio) { return std::abs(std::log(ratio)) < std::log1p(kHolds); }
bool is_none(const Slowdown& by) { return is_one(by.cores) && is_one(by.device); }

}  // namespace

// False when nothing is known that could be derived from.
bool Controller::derive_from_drift() {
  const Slowdown before = slower_ ? slower_->by : Slowdown{};
  const Slowdown change = watch_.change();
  if (drifted) drifted(change);
  const Slowdown both{before.cores * change.cores, before.device * change.device};
  // A device waits for slower cores too, and seems slower itself.
  const bool unclear = change.cores != 1 && change.device != 1;
  const Slowdown first = unclear ? Slowdown{both.cores, before.device} : both;
  if (slower_ && (is_none(both) || is_none(first))) {
    go_back();
    return true;
  }
  if (is_none(both)) return false;
  if (former_) former_->returning = {};  // it may be its time
  const bool again = slower_.has_value();
  if (!run_slower(first, unclear ? std::optional(both) : std::nullopt)) return false;
  slower_->again = again;
  return true;
}

// Runs the best configuration for the slowdown `by` and verifies it, later perhaps for `instead`.
bool Controller::run_slower(const Slowdown& by, const std::optional<Slowdown>& instead) {
  const auto original = knowledge_->find(*conditions_);
  if (original == knowledge_->end() || original->second.derived()) return false;
  Learnt learnt = derive(original->second, by);
  const Return returning = slower_ ? Return{slower_->returning.pause_s} : Return{};
  learnt.chosen.configuration = settled_on_;
  const Choice choice = choose(learnt);
  if (choice.count == 0) return false;
  remember(learnt, pick(learnt, choice));
  const bool again = slower_ && slower_->again;
  slower_ = {std::move(learnt), by, instead, returning, again};
  settle(Reason::drift, slower_->learnt.chosen, choice);
  begin_verifying();
  return true;
}

// Until a training is allowed; knowledge from before frames took another time may hold again.
void Controller::make_do_with(const Candidate& best) {
  slower_->learnt.verified = true;
  slower_->learnt.chosen = best;
  if (best.configuration != settled_on_) settle(Reason::drift, best, {});
}

// Frames take the time again that they took when they were learnt.
void Controller::end_slowness() {
  slower_.reset();
  if (wanted_ == Reason::drift) wanted_.reset();
}

// Back to the earlier knowledge, verified by a look.
void Controller::go_back() {
  end_slowness();
  Learnt* learnt = find();
  if (!learnt) return;
  learnt->verified = false;
  settle(Reason::drift, learnt->chosen, {});
  begin_verifying();
}

// Frames that one side alone computes do not tell when the other side is as it was.
void Controller::look_at_what_ran_before() {
  if (look() || (slower_ && !slower_->learnt.verified)) return;
  const double now_s = 1e-9 * static_cast<double>(budget_.last_ns());
  const auto is_due = [now_s](const auto& one) { return one && now_s >= one->returning.at_s; };
  if (!is_due(slower_) && !is_due(former_)) return;
  const auto ran_before = [this](bool former) {
    const Learnt* learnt = earlier(former);
    return learnt && learnt->chosen.configuration != settled_on_ ? learnt : nullptr;
  };
  const bool former = !slower_ || !ran_before(false);
  const Learnt* before = ran_before(former);
  if (!before) return;
  Return& returning = former ? former_->returning : slower_->returning;
  if (returning.at_s == 0) returning.at_s = now_s + returning.pause_s;
  if (now_s < returning.at_s) return;
  const double fps = steady_.measured(chain_.domains, read_probe_).throughput_fps;
  if (!known(fps)) return;
  // A former training is worth a look only if its frames were faster.
  if (former && before->chosen.prediction.throughput_fps < kBetter * fps) {
    returning.at_s = 0;  // another pause, in which nothing is measured
    return;
  }
  state_ =
      Returning{{look_at(before->chosen.configuration, kTooSlow * fps)}, kBetter * fps, former};
}

// The earlier configuration may be better than the running one without its former rate.
void Controller::go_on_returning(Returning at, const Observation& seen) {
  const double fps = 1 / seen.frame_s;
  const Learnt* before = earlier(at.former);
  if (before && fps > at.beats_fps) {
    const double ratio = fps / before->chosen.prediction.throughput_fps;
    if (ratio > 1 || is_one(ratio)) return adopt(at.former);
    if (!at.former)
      return make_do_with(
          {before->chosen.configuration, at_ratio(before->chosen.prediction, ratio)});
  }
  end_look();
  if (!before) return;
  Return& returning = at.former ? former_->returning : slower_->returning;
  returning.pause_s = std::max(std::min(kLastReturn_s, kFartherApart * returning.pause_s),
                               seen.lasted_s / kMostLooking);
}

// Knowledge of slow frames is about to replace the earlier knowledge.
void Controller::keep_former() {
  const auto known = knowledge_->find(*conditions_);
  if (known != knowledge_->end() && !known->second.derived())
    former_ = {*conditions_, known->second};
}

// The knowledge of these frames from before they became slow; `former`: the knowledge that the
// latest training for slow frames replaced. Null when there is none, or when it was chosen by
// another objective or among other configurations.
Learnt* Controller::earlier(bool former) {
  Learnt* learnt = nullptr;
  if (former) {
    if (former_ && former_->conditions == *conditions_) learnt = &former_->learnt;
  } else if (const auto at = knowledge_->find(*conditions_); at != knowledge_->end()) {
    learnt = &at->second;
  }
  const bool same = learnt && learnt->objective == objective_ && learnt->allowed == allowed();
  return same ? learnt : nullptr;
}

// Before a training: knowledge that holds again costs only a look. False if there is none.
bool Controller::look_at_earlier(bool former, const Candidate& best_of_slow) {
  const Learnt* learnt = earlier(former);
  if (!learnt) return !former && look_at_earlier(true, best_of_slow);
  const double slow_fps = kTooSlow * best_of_slow.prediction.throughput_fps;
  state_ = Earlier{{look_at(learnt->chosen.configuration, slow_fps)}, best_of_slow, former};
  return true;
}

// A configuration with its former rate holds again, unless a better one was seen: it may just not
// need the side that is slow.
void Controller::go_on_with_earlier(Earlier at, const Observation& seen) {
  const Learnt* learnt = earlier(at.former);
  end_look();
  const Prediction expected = learnt ? learnt->chosen.prediction : Prediction{};
  const double ratio = 1 / seen.frame_s / expected.throughput_fps;
  if (is_one(ratio) && !worth_switching(at_ratio(expected, ratio), at.best_of_slow.prediction,
                                        objective_, kBetter - 1))
    return adopt(at.former);
  if (!at.former && look_at_earlier(true, at.best_of_slow)) return;
  train_instead(Reason::drift, at.best_of_slow);
}

// earlier() holds again. The knowledge that it replaces becomes the former knowledge: its time may
// come, too.
void Controller::adopt(bool former) {
  Learnt* learnt = earlier(former);
  if (former) {
    Learnt& current = (*knowledge_)[*conditions_];
    std::swap(*learnt, current);
    former_->returning = {};
    learnt = &current;
    tell_others(*learnt, true);
  }
  learnt->verified = true;
  end_slowness();
  settle(Reason::drift, learnt->chosen, {});
}

// Where one side of split frames takes longer the share moves first (Marrow, section 3.3).
void Controller::begin_balance() {
  const Configuration& running = running_.configuration;
  balance_ = {};
  if (!running.mapping.any_split() || rules_.allowed.cpu_share) return;
  const Learnt* known = learnt();
  balance_ = Balance::of(running.cpu_share, known ? known->findings.measurements.split : Split{});
}

// True when another share runs from now on.
bool Controller::keep_balance(const FrameTimes& times) {
  if (look() || times.split_cores_ns == 0 || times.split_device_ns == 0) return false;
  const double cores_s = 1e-9 * static_cast<double>(times.split_cores_ns);
  const double device_s = 1e-9 * static_cast<double>(times.split_device_ns);
  switch (balance_.frame_done(cores_s, device_s)) {
    case Balance::Act::none:
      return false;
    case Balance::Act::measure:
      if (rules_.on_drift && !rules_.allowed.fixed()) wanted_ = Reason::drift;
      balance_ = {};
      return false;
    case Balance::Act::move:
      break;
  }
  const Balance balance = balance_;
  Candidate chosen{running_.configuration, {}};
  chosen.configuration.cpu_share = balance.cpu_share();
  settle(Reason::balanced, chosen, {});
  balance_ = balance;  // it knows how often it has moved
  return true;
}

}  // namespace tandem
