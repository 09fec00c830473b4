// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>

#include "model/predict/predict.h"

namespace tandem {

/// Vilches, section IV, to the letter, for mappings with one run of device stages and no transfers:
/// Tables III and IV, equations 3-10. Its runtime has one coupled thread; ours lets any thread take
/// the device, so coupled mappings differ.
inline Prediction paper_model(const Measurements& m, const Configuration& c) {
  struct Queue {
    double rate_fps = 0;  // mu
    Energy joules{0, 0, 0};
  };
  const auto sum = [&](bool on_device, Cost StageMeasurements::*cost) {
    double seconds = 0;
    Energy joules{0, 0, 0};
    for (int k = 0; k < c.mapping.stages; ++k) {
      if (c.mapping.on_device(k) != on_device) continue;
      const Cost& add = m.stages[k].*cost;
      seconds += add.seconds;
      joules = {joules.c + add.joules.c, joules.g + add.joules.g, joules.u + add.joules.u};
    }
    return Queue{1 / seconds, joules};
  };
  const auto cg = [&](int n) {
    return n == 0 ? Queue{} : Queue{1 / m.cg[n - 1].seconds, m.cg[n - 1].joules};
  };
  const bool medium = c.granularity == Granularity::medium;
  const auto grain = medium ? &StageMeasurements::mg : &StageMeasurements::cg;

  Queue gpu, cpua, cpub;  // Q_CPU is cpub of the decoupled
  double gpu_path_fps = 0;
  if (!c.mapping.any_device()) {
    cpub = medium ? sum(false, grain) : cg(c.threads);
  } else if (c.mapping.decoupled()) {
    gpu = sum(true, &StageMeasurements::device);
    gpu_path_fps = gpu.rate_fps;
    if (medium) {
      Configuration none = c;
      none.mapping.sides = 0;
      const Prediction cpu = paper_model(m, none);
      for (const StageMeasurements& stage : m.stages) {
        cpub.joules.c += stage.mg.joules.c;
        cpub.joules.g += stage.mg.joules.g;
        cpub.joules.u += stage.mg.joules.u;
      }
      cpub.rate_fps = cpu.throughput_fps;
    } else {
      cpub = cg(c.threads - 1);
    }
  } else {
    gpu = sum(true, &StageMeasurements::device);
    cpua = sum(false, grain);
    gpu_path_fps = std::min(gpu.rate_fps, cpua.rate_fps);
    if (!medium) cpub = {cg(c.threads).rate_fps - cg(1).rate_fps, cg(c.threads - 1).joules};
  }

  const double lambda = gpu_path_fps + cpub.rate_fps;   // equation 3
  const double p = gpu_path_fps / lambda;               // equation 5
  const auto effective = [&](double Energy::*domain) {  // equations 7, 9, 10
    return std::max(p * gpu.joules.*domain,
                    p * cpua.joules.*domain + (1 - p) * cpub.joules.*domain);
  };
  double joules = effective(&Energy::c) + effective(&Energy::g) + effective(&Energy::u);
  if (m.tdp_w > 0) joules = std::min(m.tdp_w / lambda, joules);  // equation 8
  return {lambda, joules, p, joules * lambda};
}

}  // namespace tandem
