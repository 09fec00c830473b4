// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep/derived.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "model/split.h"

namespace tandem {
namespace {

struct Exponents {
  double least, most;
};
constexpr Exponents kOnCpu{0.8, 1.2}, kOnDevice{0, 1.2};
double pixels(const Conditions& conditions) {
  return static_cast<double>(conditions.width) * conditions.height;
}

bool differ_in_size_alone(Conditions a, const Conditions& b) {
  a.width = b.width;
  a.height = b.height;
  return a == b;
}

/// Scales times at one size to another one.
class Scale {
 public:
  /// The sizes in pixels: the wanted one, the nearest, and the second nearest or 0.
  Scale(double wanted, double nearest, double second)
      : way_(std::log(wanted / nearest)), between_(second > 0 ? std::log(second / nearest) : 0) {}

  /// By how much the time at the nearest size, and at the second, is multiplied.
  double factor(double nearest_s, double second_s, Exponents bounds) const {
    double exponent = 1;
    if (between_ != 0 && nearest_s > 0 && second_s > 0)
      exponent = std::clamp(std::log(second_s / nearest_s) / between_, bounds.least, bounds.most);
    return std::exp(exponent * way_);
  }

  void apply(Cost& nearest, const Cost& second, Exponents bounds) const {
    const double by = factor(nearest.seconds, second.seconds, bounds);
    nearest.multiply(by);
  }

 private:
  double way_, between_;
};

void scale(Measurements& m, const Measurements& second, const Scale& by) {
  for (std::size_t k = 0; k < m.stages.size(); ++k) {
    StageMeasurements& stage = m.stages[k];
    const StageMeasurements& other = second.stages[k];
    by.apply(stage.cg, other.cg, kOnCpu);
    by.apply(stage.mg, other.mg, kOnCpu);
    by.apply(stage.device, other.device, kOnDevice);
    by.apply(stage.upload, other.upload, kOnDevice);
    by.apply(stage.download, other.download, kOnDevice);
  }
  Split& split = m.split;
  split.cores.rows_s *= by.factor(split.cores.rows_s, second.split.cores.rows_s, kOnCpu);
  split.device.rows_s *= by.factor(split.device.rows_s, second.split.device.rows_s, kOnDevice);
  split.joins_s *= by.factor(split.joins_s, second.split.joins_s, kOnDevice);
  split.cpu_share = share_to_run(split);
  // All numbers of threads alike, so that how they get in each other's way stays as it is.
  const double threads = by.factor(m.cg[0].seconds, second.cg[0].seconds, kOnCpu);
  for (Cost& cost : m.cg) cost.multiply(threads);
}

// Trials that err as those of which it was derived did.
std::vector<Trial> as_tried(const std::vector<Trial>& trials, const Measurements& measurements) {
  std::vector<Trial> derived;
  for (const Trial& trial : trials) {
    Trial one{trial.configuration, predict(measurements, trial.configuration), {}};
    one.measured = one.predicted;
    one.measured.throughput_fps *= trial.measured.throughput_fps / trial.predicted.throughput_fps;
    one.measured.latency_s *= trial.measured.latency_s / trial.predicted.latency_s;
    const double joules = trial.measured.energy_j / trial.predicted.energy_j;
    if (known(joules)) one.measured.energy_j *= joules;
    one.measured.power_w = one.measured.energy_j * one.measured.throughput_fps;
    if (known(one.measured.throughput_fps)) derived.push_back(one);
  }
  return derived;
}

}  // namespace

bool same_work(const Chain& learnt, const Chain& chain) {
  return learnt.stages == chain.stages && learnt.device_capable == chain.device_capable &&
         learnt.device_only == chain.device_only && learnt.serial_stages == chain.serial_stages &&
         (splittable(learnt) & ~splittable(chain)) == 0 && learnt.devices == chain.devices &&
         std::ranges::all_of(learnt.lanes, [&](int lanes) {
           return std::ranges::find(chain.lanes, lanes) != chain.lanes.end();
         });
}

std::optional<Learnt> derive(const Conditions& wanted, const Knowledge& knowledge,
                             const Chain& chain) {
  if (!(pixels(wanted) > 0)) return std::nullopt;
  const Knowledge::value_type *nearest = nullptr, *second = nullptr;
  const auto way = [&](const Knowledge::value_type& entry) {
    return std::abs(std::log(pixels(entry.first) / pixels(wanted)));
  };
  for (const Knowledge::value_type& entry : knowledge) {
    const Learnt& learnt = entry.second;
    if (!differ_in_size_alone(entry.first, wanted) || learnt.derived() || learnt.findings.starved ||
        learnt.findings.measurements.stages.empty() || !same_work(learnt.facts.chain, chain))
      continue;
    if (!nearest || way(entry) < way(*nearest)) {
      second = std::exchange(nearest, &entry);
    } else if (!second || way(entry) < way(*second)) {
      second = &entry;
    }
  }
  if (!nearest) return std::nullopt;
  // Two of as many pixels, such as 640x480 and 480x640, tell no exponent.
  const bool two = second && pixels(second->first) != pixels(nearest->first);
  Learnt learnt;
  learnt.origin = Learnt::Origin::other_sizes;
  learnt.verified = false;
  learnt.pixels_off = way(*nearest);
  learnt.facts.chain = chain;
  learnt.findings = nearest->second.findings;
  Measurements& m = learnt.findings.measurements;
  m.window = chain.window;
  const Scale by(pixels(wanted), pixels(nearest->first), two ? pixels(second->first) : 0);
  scale(m, two ? second->second.findings.measurements : Measurements(m), by);
  const auto of = [&](const Knowledge::value_type& other) {
    return as_tried(other.second.findings.trials, m);
  };
  std::vector<Trial>& trials = learnt.findings.trials;
  trials = of(*nearest);
  // A training tries little of what it expects to fall short: another one may have tried it.
  if (second)
    for (const Trial& trial : of(*second))
      if (!find_trial(trials, trial.configuration)) trials.push_back(trial);
  return learnt;
}

Learnt derive(const Learnt& learnt, const Slowdown& slowdown) {
  Learnt derived = learnt;
  derived.origin = Learnt::Origin::slower;
  derived.verified = false;
  Measurements& m = derived.findings.measurements;
  for (Cost& cost : m.cg) cost.multiply(slowdown.cores);
  for (StageMeasurements& stage : m.stages) {
    stage.cg.multiply(slowdown.cores);
    stage.mg.multiply(slowdown.cores);
    for (Cost* cost : {&stage.device, &stage.upload, &stage.download})
      cost->multiply(slowdown.device);
  }
  Split& split = m.split;
  split.cores = {slowdown.cores * split.cores.fixed_s, slowdown.cores * split.cores.rows_s};
  split.device = {slowdown.device * split.device.fixed_s, slowdown.device * split.device.rows_s};
  split.joins_s *= slowdown.cores;
  split.cpu_share = share_to_run(split);
  derived.findings.trials = as_tried(learnt.findings.trials, m);
  return derived;
}

}  // namespace tandem
