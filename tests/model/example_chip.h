// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "model/measurements.h"

namespace tandem {

/// Four cores, three stages, round numbers:
///
///             stage 1   stage 2   stage 3   all
/// T^CG  ms       20        10        20      50
/// T^MG  ms        6         4        10      20
/// T^G   ms        4        16        20      40
///
///              n = 1     2      3      4      5
/// T^CG(n) ms      50    25     20     16     12.5
/// frames/s        20    40     50     62.5   80
inline Measurements example_chip() {
  Measurements m;
  m.cores = 4;
  m.domains = {Domain::dominant, Domain::dominant, Domain::dominant};
  m.stages = {{.cg = {0.020, {0.20, 0, 0.10}},
               .mg = {0.006, {0.15, 0, 0.03}},
               .device = {0.004, {0.01, 0.04, 0.02}},
               .has_device = true},
              {.cg = {0.010, {0.10, 0, 0.05}},
               .mg = {0.004, {0.05, 0, 0.02}},
               .device = {0.016, {0.02, 0.16, 0.08}},
               .has_device = true},
              {.cg = {0.020, {0.20, 0, 0.05}},
               .mg = {0.010, {0.20, 0, 0.05}},
               .device = {0.020, {0.03, 0.20, 0.10}},
               .has_device = true}};
  m.cg = {{0.0500, {0.50, 0, 0.20}},
          {0.0250, {0.40, 0, 0.15}},
          {0.0200, {0.35, 0, 0.12}},
          {0.0160, {0.40, 0, 0.10}},
          {0.0125, {0.50, 0, 0.10}}};
  return m;
}

/// Any chip: stages 1-6, cores 1-8, threads that scale more or less well, a device from a tenth to
/// ten times as fast as a core.
inline Measurements random_chip(std::mt19937& random) {
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto whole = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Measurements m;
  m.cores = whole(1, 8);
  m.domains = {Domain::dominant, Domain::dominant, Domain::dominant};
  Cost all = kNoCost;
  for (int k = whole(1, 6); k > 0; --k) {
    StageMeasurements stage;
    const double t = between(1e-3, 50e-3);
    stage.cg = {t, {t * between(5, 20), t * between(0, 1), t * between(1, 5)}};
    const double mg = t / m.cores * between(1, 2);
    stage.mg = {mg, {mg * between(10, 60), mg * between(0, 1), mg * between(1, 8)}};
    const double g = t * std::pow(10, between(-1, 1));
    stage.device = {g, {g * between(1, 5), g * between(5, 30), g * between(1, 8)}};
    stage.has_device = whole(0, 4) > 0;
    all.seconds += t;
    all.joules = {all.joules.c + stage.cg.joules.c, all.joules.g + stage.cg.joules.g,
                  all.joules.u + stage.cg.joules.u};
    m.stages.push_back(stage);
  }
  m.cg.push_back(all);
  for (int n = 2; n <= m.cores + 1; ++n) {
    const double scaling = 1 + (std::min(n, m.cores) - 1) * between(0.5, 1);
    const double power = between(0.8, 2);
    m.cg.push_back({all.seconds / scaling,
                    {all.joules.c * power, all.joules.g * power, all.joules.u * power}});
  }
  return m;
}

}  // namespace tandem
