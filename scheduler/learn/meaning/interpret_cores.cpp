// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/interpret_cores.h"

#include <algorithm>

#include "scheduler/learn/meaning/regime.h"

namespace tandem {
namespace {

Energy watts_of_one(const Energy& medium_watts, int cores) {
  return {medium_watts.c / cores, medium_watts.g, medium_watts.u};
}

// The device worked for a part of the time beside all cores; under medium grain it rested, and the
// cores worked as they did.
Energy watts_of_device(const std::vector<StageMeasurements>& stages, const Observation& apart,
                       const Energy& medium_watts) {
  double device_s = 0;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    if (!stages[k].has_device) continue;
    const bool goes_on = k + 1 < stages.size() && stages[k + 1].has_device;
    device_s += stages[k].device.seconds + (goes_on ? 0 : stages[k].download.seconds);
  }
  const double busy = std::min(1.0, device_s / apart.frame_s);
  const auto working = [&](double Energy::*domain) {
    const double idle_w = medium_watts.*domain;
    return idle_w + std::max(0.0, apart.watts.*domain - idle_w) / busy;
  };
  return {0, working(&Energy::g), working(&Energy::u)};
}

// `frame_s`: what a frame takes on one core.
void set_cores(double frame_s, const Energy& medium_watts, Measurements& m) {
  const Energy one = watts_of_one(medium_watts, m.cores);
  m.cg[0] = frame_s == 0 ? kNoCost : cost(frame_s, one);
  m.cg[m.cores - 1] = frame_s == 0 ? kNoCost : cost(frame_s / m.cores, medium_watts);
}

}  // namespace

Cost cost(double seconds, const Energy& watts) {
  return {seconds, {watts.c * seconds, watts.g * seconds, watts.u * seconds}};
}

bool estimate_cores(const Chain& chain, const Observation& apart, const Energy& medium_watts,
                    Measurements& m) {
  double one_s = 0, all_s = 0;
  for (const StageMeasurements& stage : m.stages) {
    one_s += stage.has_device ? 0 : stage.cg.seconds;
    all_s += stage.has_device ? 0 : stage.mg.seconds;
  }
  const bool seen = known(all_s);
  const bool beside_all = cores_beside(apart.configuration, chain.devices) >= chain.cores;
  if (known(m.cg[0].seconds) || !(one_s > 0) || !(seen || beside_all)) return false;
  const auto on_a_core_s = [&](const StageMeasurements& stage) {
    if (!stage.has_device) return stage.cg.seconds;
    if (seen) return stage.mg.seconds * one_s / all_s;
    return chain.cores * std::max(stage.device.seconds, stage.download.seconds);
  };
  for (const int lanes : chain.lanes) m.lane_factors[lanes - 1] = {1, 1};
  const Energy device = watts_of_device(m.stages, apart, medium_watts);
  double frame_s = 0;
  for (StageMeasurements& stage : m.stages) {
    stage.cg = cost(on_a_core_s(stage), watts_of_one(medium_watts, chain.cores));
    frame_s += stage.cg.seconds;
    if (stage.has_device) {
      stage.device = cost(stage.device.seconds, device);
      stage.download = cost(stage.download.seconds, device);
    }
    if (stage.upload.seconds > 0) stage.upload = cost(stage.upload.seconds, device);
  }
  set_cores(frame_s, medium_watts, m);
  return true;
}

void add_up_cores(const Energy& medium_watts, Measurements& m) {
  double frame_s = 0;
  for (StageMeasurements& stage : m.stages) {
    if (!stage.has_cpu) continue;
    stage.cg = cost(stage.cg.seconds, watts_of_one(medium_watts, m.cores));
    frame_s += stage.cg.seconds;
  }
  set_cores(frame_s, medium_watts, m);
}

bool estimate_cores_of_medium(double cpu_s, const Energy& medium_watts, Measurements& m) {
  const double frame_s = medium_s(m);
  if (known(m.cg[0].seconds) || !(frame_s > 0)) return false;
  const double cores = std::min<double>(m.cores, cpu_s / frame_s);
  for (StageMeasurements& stage : m.stages)
    if (!known(stage.cg.seconds)) stage.cg.seconds = cores * stage.mg.seconds;
  add_up_cores(medium_watts, m);
  return true;
}

}  // namespace tandem
