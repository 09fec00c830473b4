// SPDX-License-Identifier: LGPL-2.1-or-later
// What the controller does when one side of split frames takes longer than the other (Marrow,
// section 3.3): the share moves first, and only where that does not help it trains again.
#include <algorithm>

#include "scheduler/learn/controller.h"
#include "scheduler/learn/next_split.h"

namespace tandem {
namespace {

// What the cores took of the device's time with the share that was the best.
double usual_of(const Split& split) {
  const double share = split.cpu_share / 100.0;
  const double cores_s = split.cores.fixed_s + share * split.cores.rows_s;
  const double device_s = split.device.fixed_s + (1 - share) * split.device.rows_s;
  const double usual = cores_s / device_s;
  return known(usual) && usual > 0 ? usual : 1;
}

}  // namespace

// A training by another objective did not split frames where that promised nothing for it.
bool Controller::lacks_splits(const Learnt& learnt) const {
  return learnt.objective != objective_ && !learnt.derived() &&
         !learnt.facts.observations.empty() &&
         next_split(learnt.facts, learnt.findings, objective_, allowed(), *predictor_).has_value();
}

// A training by another objective measured frames behind others, and with a prior no single lane.
bool Controller::lacks_latency(const Learnt& learnt) const {
  const Facts& facts = learnt.facts;
  if (!needs_latency(objective_) || learnt.derived() || facts.observations.empty()) return false;
  const auto any = [&](auto&& is_one) { return std::ranges::any_of(facts.observations, is_one); };
  const auto on_device = [](const Observation& seen) {
    return seen.kind != Observation::Kind::stages && seen.configuration.mapping.any_device();
  };
  const bool lanes_alone = any([&](const Observation& seen) {
                             return on_device(seen) && seen.configuration.lanes > 1;
                           }) &&
                           !any([&](const Observation& seen) {
                             return on_device(seen) && seen.configuration.lanes == 1;
                           });
  const bool device_alone = facts.chain.device_only == (1u << facts.chain.stages) - 1;
  const bool one_at_a_time = facts.chain.devices == 1 || !device_alone;
  return lanes_alone || (least_latency(objective_) && one_at_a_time &&
                         !any([](const Observation& seen) { return seen.spaced; }));
}

void Controller::begin_balance() {
  const Configuration& running = running_.configuration;
  balance_ = {};
  if (!running.mapping.any_split() || rules_.allowed.cpu_share) return;
  double cores_fixed_s = 0, device_fixed_s = 0, usual = 1;
  if (const Learnt* known = learnt()) {
    const Split& split = known->findings.measurements.split;
    if (tandem::known(split.cores.fixed_s)) cores_fixed_s = split.cores.fixed_s;
    if (tandem::known(split.device.fixed_s)) device_fixed_s = split.device.fixed_s;
    if (split.cpu_share == running.cpu_share) usual = usual_of(split);
  }
  balance_ = Balance(running.cpu_share, cores_fixed_s, device_fixed_s, usual);
}

// True when another share runs from now on.
bool Controller::keep_balance(const FrameTimes& times) {
  if (check_ || times.split_cores_ns == 0 || times.split_device_ns == 0) return false;
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
