// SPDX-License-Identifier: LGPL-2.1-or-later
// Medium grain beside a device: the cores are one device as well.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/predict/predict.h"

namespace tandem {
namespace {

// Frames of one size still differ in time: relative, to both sides of the mean. Where it depends on
// an arrival just before or just after another, both may happen.
constexpr double kJitter = 0.08;

// The integral of ceil(x) from 0 to `until`, nothing below 0.
double integral_of_ceil(double until) {
  if (!(until > 0)) return 0;
  const double last = std::ceil(until);
  return last * until - last * (last - 1) / 2;
}

}  // namespace

// Two threads. The cores work all the time: for the thread that has found the device busy, or for
// the one that is back from it.
Model::Cycle Model::medium(Mapping mapping, const MappingCosts& costs) const {
  Cycle cycle{mg_, mg_};
  cycle.medium_factor = 1;
  cycle.cpu_latency_s = mg_.latency_s;
  cycle.device_latency_s = on_device(costs) * costs.device.seconds + costs.mg_s;
  if (!(costs.device.seconds + mg_s_ < kInfinity)) {  // an unknown time
    cycle.frames = kUnknown;
  } else if (costs.lanes > 1) {
    many_lanes(costs, cycle);
  } else if (costs.runs == 1) {
    one_run(costs, cycle);
  } else {
    many_runs(mapping, cycle);
    // A few turns may end with more begun than finished, or less: up to 3% above the possible rate.
    cycle.idle_s = std::max(cycle.idle_s, cycle.frames / most_medium_fps(costs) - cycle.device_s);
  }
  // The other thread gives the cores when it gets the device, a cycle after this one did.
  if (costs.mg_s > 0)
    cycle.waits_s = on_device(costs) * (cycle.device_s + cycle.idle_s - costs.device.seconds);
  return cycle;
}

// The thread with the cores keeps them until it gets the device. It computes the 'c' stages of its
// last frame, then whole frames as long as it finds the device busy at their run.
void Model::one_run(const MappingCosts& costs, Cycle& cycle) const {
  const double device_s = costs.device.seconds;
  double cpu_frames = device_s / mg_s_;  // DP: the other thread never stops
  if (costs.mg_s > 0) {
    const double misses = (device_s - costs.mg_s) / mg_s_, jitter = kJitter * device_s / mg_s_;
    cpu_frames =
        (integral_of_ceil(misses + jitter) - integral_of_ceil(misses - jitter)) / (2 * jitter);
    cycle.idle_s = std::max(0.0, costs.mg_s + cpu_frames * mg_s_ - device_s);
  }
  cycle.frames = 1 + cpu_frames;
  cycle.device_s = device_s;
}

// One thread collects, the other has the cores: for the 'c' stages of frames that come back, and
// for whole frames when the lanes are full.
void Model::many_lanes(const MappingCosts& costs, Cycle& cycle) const {
  cycle.device_s = costs.device.seconds;
  cycle.idle_s = std::max(0.0, costs.mg_s - cycle.device_s);
  cycle.frames = 1 + std::max(0.0, cycle.device_s - costs.mg_s) / mg_s_;
}

// The same, played through for a while: which run a thread finds the device busy at depends on the
// run that the other is in.
void Model::many_runs(Mapping mapping, Cycle& cycle) const {
  struct Run {
    double device_s, mg_s;
    double after_s;  // 'c' stages until the next run, in this frame or the next
  };
  std::array<Run, (kMaxStages + 1) / 2> runs;
  int count = 0;
  double before_s = 0;  // 'c' stages before the first run
  for (int k = 0; k < stages(); ++k) {
    const StageMeasurements& stage = m_.stages[k];
    if (!mapping.on_device(k)) {
      (count == 0 ? before_s : runs[count - 1].after_s) += stage.mg.seconds;
      continue;
    }
    if (k == 0 || !mapping.on_device(k - 1)) runs[count++] = {stage.upload.seconds, 0, 0};
    Run& run = runs[count - 1];
    run.device_s += stage.device.seconds;
    run.mg_s += stage.mg.seconds;
    if (k + 1 == stages() || !mapping.on_device(k + 1)) run.device_s += stage.download.seconds;
  }
  runs[count - 1].after_s += before_s;

  constexpr std::array kJitters{0.5, -1.0, 0.1, 1.0, -0.5, -0.1, -0.8, 0.8};
  const auto next = [&](int run) { return run + 1 == count ? 0 : run + 1; };
  double passed = 0, on_device = 0, cores_s = 0, device_s = 0;  // passed: runs, on either side
  int user = 0, other = 0;  // the run that is on the device; that after which the other thread is
  for (const double jitter : kJitters) {
    double busy_s = runs[user].device_s;
    ++on_device;
    if (runs[user].after_s == 0) {  // the frame ends and the next begins with a run: it goes on
      user = next(user);
      busy_s += runs[user].device_s;
      ++on_device;
      ++passed;
    }
    device_s += busy_s;
    busy_s *= 1 + kJitter * jitter;
    double asks_s = runs[other].after_s;
    const double laps = std::floor(std::max(0.0, (busy_s - asks_s) / mg_s_));
    asks_s += laps * mg_s_;
    passed += laps * count + 1;
    for (other = next(other); asks_s < busy_s; other = next(other)) {
      asks_s += runs[other].mg_s + runs[other].after_s;
      ++passed;
    }
    cores_s += asks_s;
    std::swap(user, other);
  }
  const double uses = on_device / count;
  cycle.device_s = device_s / uses;
  cycle.idle_s = std::max(0.0, cores_s - device_s) / uses;
  cycle.frames = passed / on_device;
}

}  // namespace tandem
