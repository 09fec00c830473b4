// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <functional>

#include "scheduler/learn/belief/next_experiment.h"

namespace tandem {

/// Two stages on two cores, and a device that can compute both.
inline Chain two_stages(uint32_t device_capable = 3) {
  Chain chain;
  chain.stages = 2;
  chain.cores = 2;
  chain.device_capable = device_capable;
  return chain;
}

inline Configuration on_cores(int threads) { return {{0, 2}, Granularity::coarse, threads}; }
inline Configuration on_device(int threads, int lanes = 1) {
  return {{3, 2}, Granularity::coarse, threads, lanes};
}

/// As if a plan had been carried out: a frame takes 10 ms on a core and 4 ms on the device, a
/// stage half of that.
inline Observation carried_out(const Plan& plan) {
  Observation made;
  made.configuration = plan.configuration;
  made.kind = plan.kind;
  made.frames = 100;
  const bool device = plan.configuration.mapping.any_device();
  const double frame_s = device ? 4e-3 : 10e-3 / std::min(plan.configuration.threads, 2);
  made.frame_s = frame_s;
  made.lasted_s = 100 * frame_s;
  made.service_s = 10e-3;
  made.cores_s = 0;
  made.cpu_s = device ? 0 : 10e-3;
  const bool beside = plan.kind == Observation::Kind::beside;
  if (beside) made.device_frame_s = 4e-3;
  if (beside) made.frame_s = 1 / (1 / 4e-3 + cores_beside(plan.configuration, 1) / 10e-3);
  const double stage_s = (device && !beside ? 4e-3 : 10e-3) / 2;
  made.stages.assign(2, {stage_s, 0, 0});
  return made;
}

/// The experiments that the model is made of.
inline Facts measured(const Chain& chain) {
  Facts facts{chain, {}};
  for (;;) {
    const Findings findings = interpret(facts.observations, chain);
    const Next next = next_experiment(facts, findings, {}, {});
    if (!next.plan || is_trial(next.plan->kind)) return facts;
    facts.observations.push_back(carried_out(*next.plan));
  }
}

/// What ran, the fastest first.
inline Choice ranked(std::vector<Trial> trials) {
  std::ranges::sort(trials, std::greater{},
                    [](const Trial& trial) { return trial.measured.throughput_fps; });
  Choice choice;
  choice.count =
      std::min<int>(static_cast<int>(trials.size()), static_cast<int>(choice.ranked.size()));
  for (int i = 0; i < choice.count; ++i) {
    const Trial& trial = trials[static_cast<std::size_t>(i)];
    choice.ranked[static_cast<std::size_t>(i)] = {trial.configuration, trial.measured};
  }
  return choice;
}

}  // namespace tandem
