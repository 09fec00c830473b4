// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on both sides at a time, and several frames over a part of the cores each.
#include "model/split.h"

#include <algorithm>

#include "model/predict/predict.h"

namespace tandem {

// Over m of n cores a frame takes s + p / m, with s its serial part, times the slowdown by other
// frames if all cores are busy. They are under medium grain (m = n) and under coarse grain with n
// threads (m = 1), and both were measured. Values in between are linear in 1 / m, so in the number
// of frames at a time.
void Model::spread_frames() {
  const Cpu& apart = cg_[m_.cores];
  for (const int frames : kFramesAtOnce) {
    mg_at_once_[frames] = mg_;
    if (frames == 1 || frames > m_.cores) continue;
    const int each = m_.cores / frames, busy = frames * each;
    const double part = (static_cast<double>(m_.cores) / each - 1) / (m_.cores - 1);
    const auto between = [part](double a, double b) { return a + part * (b - a); };
    // Cores that are left over slow nobody down, and draw nothing.
    const double slower = cg_[busy].latency_s / apart.latency_s;
    const auto watts = [&](double Energy::*domain) {
      return between(mg_.watts.*domain, apart.watts.*domain) + cg_[busy].watts.*domain -
             apart.watts.*domain;
    };
    Cpu& cpu = mg_at_once_[frames];
    cpu.latency_s = slower * between(mg_.latency_s, apart.latency_s);
    cpu.p95_s = slower * between(mg_.p95_s, apart.p95_s);
    cpu.fps = frames / cpu.latency_s;
    cpu.busy_cores = busy;
    cpu.watts = {watts(&Energy::c), watts(&Energy::g), watts(&Energy::u)};
    cpu.total_w = cpu.watts.c + cpu.watts.g + cpu.watts.u;
  }
}

// As medium grain with a decoupled mapping: the device and the cores work all the time.
Model::Cycle Model::several_at_once(const MappingCosts& costs, int frames_at_once) const {
  const Cpu& cores = mg_at_once_[frames_at_once];
  Cycle cycle{cores, cores, costs.device.seconds};
  if (costs.mg_s > 0)
    cycle.frames = kUnknown;  // of coupled mappings nothing is known
  else
    cycle.frames = 1 + costs.device.seconds * cores.fps;
  cycle.cpu_latency_s = cores.latency_s;
  cycle.device_latency_s = on_device(costs) * costs.device.seconds;
  cycle.medium_factor = cores.latency_s / mg_.latency_s;
  return cycle;
}

// One frame after the other passes its stages; while it is on one side alone the other one rests.
// Several frames at a time share the device.
Prediction Model::on_both_sides(const Configuration& configuration) const {
  const Mapping& mapping = configuration.mapping;
  const int frames = configuration.frames_at_once;
  if (configuration.granularity != Granularity::medium || frames > m_.cores) return {};
  double split_cores_s = 0, all_cores_s = 0, split_device_s = 0, all_device_s = 0;
  double cores_s = 0, device_s = 0;
  for (int k = 0; k < stages(); ++k) {
    const StageMeasurements& stage = m_.stages[k];
    if ((split_stages_ >> k & 1) != 0) {
      all_cores_s += stage.mg.seconds;
      all_device_s += stage.device.seconds;
    }
    if (mapping.split(k)) {
      if ((split_stages_ >> k & 1) == 0) return {};
      split_cores_s += stage.mg.seconds;
      split_device_s += stage.device.seconds;
    } else if (mapping.on_device(k)) {
      if (!stage.has_device) return {};
      device_s += stage.device.seconds;
      if (k == 0 || !mapping.on_device(k - 1)) device_s += stage.upload.seconds;
      if (k + 1 == stages() || !mapping.on_device(k + 1)) device_s += stage.download.seconds;
    } else {
      if (!stage.has_cpu) return {};
      cores_s += stage.mg.seconds;
    }
  }
  const double share = configuration.cpu_share / 100.0;
  // Where fewer stages are split than were measured so, they take their part of the rows' time.
  Split split = m_.split;
  split.cores.rows_s *= split_cores_s / all_cores_s;
  split.device.rows_s *= split_device_s / all_device_s;
  const double slower = mg_at_once_[frames].latency_s / mg_.latency_s;
  const double cores_busy_s = split.cores.seconds(share) + cores_s;
  const double device_busy_s = split.device.seconds(1 - share) + device_s;
  split.cores = {slower * split.cores.fixed_s, slower * split.cores.rows_s};
  const double alone_s = seconds_of(split, share) + slower * cores_s + device_s;
  const double frame_s = std::max(alone_s / frames, device_busy_s);
  const double joules =
      split.static_w * frame_s + split.cores_w * cores_busy_s + split.device_w * device_busy_s;
  if (!(frame_s > 0 && frame_s < kInfinity)) return {};
  const double watts = joules / frame_s;
  const double drawn_w = watts > most_w_ ? most_w_ : watts;  // unknown stays unknown
  return {1 / frame_s, drawn_w * frame_s, 1, drawn_w, frames * frame_s * mg_.p95_s / mg_.latency_s};
}

}  // namespace tandem
