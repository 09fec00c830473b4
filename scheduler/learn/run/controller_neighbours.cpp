// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller's part for the other bins of the process.
#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/learn/run/controller.h"

namespace tandem {

Constraints Controller::allowed() const {
  Constraints allowed = rules_.allowed;
  allowed.device_only = chain_.device_only;
  if (cores_ < chain_.cores) allowed.most_cores = cores_;
  if (at_work_ > 1) allowed.most_lanes = std::max(1, kMaxLanes / at_work_);
  return allowed;
}

// True when this bin's part of the machine is another one.
bool Controller::take_share() {
  if (!neighbours_.seat) return false;
  const Machine::Share share = neighbours_.seat->share();
  const int cores =
      std::clamp(static_cast<int>(std::lround(share.cores * chain_.cores)), 1, chain_.cores);
  const bool changed = cores != cores_ || share.at_work != at_work_;
  cores_ = cores;
  at_work_ = share.at_work;
  // Knowledge of slow frames was derived from measurements with another number of cores.
  if (conditions_ && std::exchange(conditions_->cores, cores_) != cores_) end_slowness();
  return changed;
}

// The training measured another part of the machine. It was in vain, but not by this bin's fault.
void Controller::abandon_for_neighbours() {
  if (training()) budget_.take_back();
  abandon_training();
}

// Takes over knowledge of such frames that others gained since this bin did. If nobody has any with
// so many cores, takes that for more of them.
void Controller::ask_neighbours() {
  if (!neighbours_.shared) return;
  const Learnt* own = find();
  if (auto theirs = neighbours_.shared->knowledge.newer(*conditions_, own ? own->version : 0)) {
    if (device_lost_) forget_device(*theirs);
    if (slower_) {  // this bin's knowledge does not hold; the other bin's may be the same
      keep_former();
      theirs->verified = false;
    }
    (*knowledge_)[*conditions_] = *theirs;
    return;
  }
  if (own) return;
  Conditions known_as = *conditions_;
  while (++known_as.cores <= chain_.cores) {
    Learnt larger;
    if (const auto mine = knowledge_->find(known_as); mine != knowledge_->end()) {
      larger = mine->second;
    } else if (auto theirs = neighbours_.shared->knowledge.newer(known_as, 0)) {
      larger = *theirs;
    } else {
      continue;
    }
    larger.version = 0;
    larger.chosen = {};
    if (device_lost_) forget_device(larger);
    (*knowledge_)[*conditions_] = larger;
    return;
  }
}

// For every frame: other bins change the best configuration here, and the times of frames.
std::optional<Step> Controller::look_at_neighbours() {
  const uint64_t epoch = neighbours_.seat->epoch();
  if (epoch == seen_epoch_) return std::nullopt;
  seen_epoch_ = epoch;
  another_trains_ = neighbours_.seat->another_trains();
  watch_.begin_anew();
  if (Look* look = this->look()) {  // from now on it is another part
    const Plan plan = look->experiment.plan();
    look->experiment = look_at(plan.configuration, plan.slow_fps);
  }
  if (!conditions_ || rules_.allowed.fixed()) return std::nullopt;
  if (take_share()) {
    abandon_for_neighbours();
    ask_neighbours();
    return decide(Reason::neighbours);
  }
  if (training() || !wanted_ || *wanted_ == Reason::asked) return std::nullopt;
  // Another bin may have gained the knowledge that this one waits for.
  const auto version = [this] {
    const auto at = knowledge_->find(*conditions_);
    return at == knowledge_->end() ? 0 : at->second.version;
  };
  const uint64_t before = version();
  ask_neighbours();
  if (version() == before) return std::nullopt;
  slower_.reset();
  wanted_.reset();
  return decide(Reason::remembered);
}

bool Controller::take_turn() {
  return !neighbours_.seat || neighbours_.seat->take_turn(budget_.last_ns());
}

void Controller::end_turn() {
  if (neighbours_.seat) neighbours_.seat->end_turn();
}

}  // namespace tandem
