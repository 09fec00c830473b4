// SPDX-License-Identifier: LGPL-2.1-or-later
// What the controller does when frames take another time than they used to: what was learnt tells
// what is best then, and looks verify it. It trains anew only where that does not hold (paper 3,
// section 3.3, moves shares by what it sees before it profiles again).
#include <algorithm>
#include <cmath>

#include "scheduler/learn/controller.h"

namespace tandem {
namespace {

// Times that are as they were.
constexpr double kAsBefore = 0.15;
// What ran before is looked at again after so long, and after twice as long each time that it is
// still slower.
constexpr double kFirstReturn_s = 2, kLastReturn_s = 32;
// What it has to reach, by the present rate.
constexpr double kBetter = 1.05;

bool is_one(double ratio) { return std::abs(std::log(ratio)) < std::log1p(kAsBefore); }
bool is_none(const Slowdown& by) { return is_one(by.cores) && is_one(by.device); }

}  // namespace

// False when nothing is known that could be derived from.
bool Controller::derive_from_drift() {
  const Slowdown before = slower_ ? slower_->by : Slowdown{};
  const Watch::Change change = watch_.change();
  const Slowdown both{before.cores * change.cores, before.device * change.device};
  // A device waits for slower cores too, and seems slower itself.
  const bool unclear = change.cores != 1 && change.device != 1;
  const Slowdown first = unclear ? Slowdown{both.cores, before.device} : both;
  if (slower_ && (is_none(both) || is_none(first))) {
    go_back();
    return true;
  }
  if (is_none(both)) return false;
  const bool again = slower_.has_value();
  if (!run_slower(first, unclear ? std::optional(both) : std::nullopt)) return false;
  slower_->again = again;
  return true;
}

// Runs what is best by that, and verifies it; where it does not hold, `instead` may.
bool Controller::run_slower(const Slowdown& by, const std::optional<Slowdown>& instead) {
  const auto original = knowledge_->find(*conditions_);
  if (original == knowledge_->end() || original->second.derived()) return false;
  Learnt learnt = derive(original->second, by, *predictor_);
  const double pause_s = slower_ ? slower_->pause_s : kFirstReturn_s;
  learnt.chosen.configuration = settled_on_;
  const Choice choice = choose(learnt);
  if (choice.count == 0) return false;
  remember(learnt, pick(learnt, choice));
  const bool again = slower_ && slower_->again;
  slower_ = {std::move(learnt), by, instead, pause_s, 0, again};
  settle(Reason::drift, slower_->learnt.chosen, choice);
  begin_check();
  return true;
}

// Until a training is allowed; what was learnt before frames took another time may hold again.
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

// To what was learnt, verified by a look.
void Controller::go_back() {
  end_slowness();
  Learnt* learnt = find();
  if (!learnt) return;
  learnt->verified = false;
  settle(Reason::drift, learnt->chosen, {});
  begin_check();
}

// Frames that one side alone computes do not tell when the other side is as it was.
void Controller::look_at_what_ran_before() {
  if (!slower_ || check_ || !slower_->learnt.verified) return;
  const Learnt& original = knowledge_->at(*conditions_);
  if (original.chosen.configuration == settled_on_) return;
  const double now_s = 1e-9 * static_cast<double>(budget_.last_ns());
  if (slower_->return_s == 0) slower_->return_s = now_s + slower_->pause_s;
  if (now_s < slower_->return_s) return;
  const double fps = steady_.measured(chain_.domains, read_probe_).throughput_fps;
  if (!known(fps)) return;
  check_.emplace();
  check_->beats_fps = kBetter * fps;
  look(original.chosen.configuration, kTooSlow * fps);
}

// What ran before may be better than what runs without being what it was.
std::optional<Step> Controller::go_on_returning(const Observation& seen) {
  const double fps = 1 / seen.frame_s;
  if (fps > check_->beats_fps) {
    check_.reset();
    const Candidate learnt = knowledge_->at(*conditions_).chosen;
    const double ratio = fps / learnt.prediction.throughput_fps;
    if (ratio > 1 || is_one(ratio)) {
      end_slowness();
      settle(Reason::drift, learnt, {});
    } else {
      make_do_with({learnt.configuration, at_ratio(learnt.prediction, ratio)});
    }
    return running_;
  }
  end_check();
  slower_->pause_s = std::min(kLastReturn_s, 2 * slower_->pause_s);
  return running_;
}

// Before a training takes its place.
void Controller::keep_former() {
  const auto known = knowledge_->find(*conditions_);
  if (known != knowledge_->end() && !known->second.derived())
    former_ = {*conditions_, known->second};
}

// What was learnt of these frames before they became slow; `former`: what the training that learnt
// it took the place of. Null when there is none, or when it answers another question.
Learnt* Controller::earlier(bool former) {
  Learnt* learnt = &knowledge_->at(*conditions_);
  if (former) {
    if (!former_ || former_->conditions != *conditions_) return nullptr;
    learnt = &former_->learnt;
  }
  const bool same = learnt->objective == objective_ && learnt->allowed == allowed();
  return same ? learnt : nullptr;
}

// Before a training: what holds again costs a look. False when there is nothing to look at.
bool Controller::look_at_earlier(bool former, const Candidate& else_best) {
  const Learnt* learnt = earlier(former);
  if (!learnt) return !former && look_at_earlier(true, else_best);
  check_.emplace();
  check_->else_best = else_best;
  check_->at_former = former;
  look(learnt->chosen.configuration, kTooSlow * else_best.prediction.throughput_fps);
  return true;
}

// Where the configuration does what it did, what was learnt of it holds again. The other training
// becomes the former one: its time may come, too.
Step Controller::go_on_with_earlier(const Observation& seen) {
  const Candidate else_best = *check_->else_best;
  const bool former = check_->at_former;
  Learnt* learnt = earlier(former);
  end_check();
  if (!learnt || !is_one(1 / seen.frame_s / learnt->chosen.prediction.throughput_fps)) {
    if (!former && look_at_earlier(true, else_best)) return running_;
    return train_instead(Reason::drift, else_best);
  }
  if (former) {
    std::swap(*learnt, knowledge_->at(*conditions_));
    learnt = &knowledge_->at(*conditions_);
    tell_others(*learnt, true);
  }
  end_slowness();
  settle(Reason::drift, learnt->chosen, {});
  return running_;
}

}  // namespace tandem
