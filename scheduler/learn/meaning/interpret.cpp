// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/interpret.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "model/correction.h"
#include "scheduler/learn/meaning/interpret_cores.h"
#include "scheduler/learn/meaning/letters.h"
#include "scheduler/learn/meaning/splits.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// Less crowding than this, and a frame more or fewer, is noise.
constexpr double kCrowded = 0.05;
// Fewer frames of an experiment may have waited for the source while it made memory.
constexpr int kTellOfTheSource = 5;
constexpr int kTellEnough = 2;  // experiments, with fewer of which trials tell of it as well

// Whether it ran a configuration as it would run if it were chosen: trials, and whole frames on the
// device.
bool shows_a_configuration(const Observation& seen) {
  if (is_trial(seen.kind)) return true;
  return seen.kind != Kind::stages && seen.configuration.mapping.any_device() && !seen.in_vain &&
         known(seen.frame_s);
}

// Whether it holds without a device too.
bool tells_of_cores(const Observation& seen) {
  return seen.kind == Kind::beside || !seen.configuration.mapping.any_device();
}

/// Takes one observation after the other: those of whole frames on the device build on those of the
/// cores and of its stages, and those of its lanes on these.
class Interpreter {
 public:
  Interpreter(const Chain& chain) : chain_(chain) {
    Measurements& m = found_.measurements;
    m.cores = chain.cores;
    m.devices = chain.devices;
    m.domains = chain.domains;
    m.tdp_w = chain.tdp_w;
    m.window = chain.window;
    m.stages.resize(chain.stages);
    m.cg.resize(chain.cores + 1);
    m.cg_spread.resize(chain.cores + 1, kUnknown);
    for (int k = 0; k < chain.stages; ++k) {
      m.stages[k].has_device = (chain.device_capable >> k & 1) != 0;
      m.stages[k].has_cpu = (chain.device_only >> k & 1) == 0;
      if (!m.stages[k].has_cpu) m.stages[k].cg = m.stages[k].mg = kNoCost;
      m.stages[k].can_split = (splittable(chain) >> k & 1) != 0;
      m.stages[k].serial = (chain.serial_stages >> k & 1) != 0;
    }
  }

  void take_experiment(const Observation& seen) {
    const Configuration& configuration = seen.configuration;
    if (configuration.mapping.any_further_letter())
      return take_letter(seen, chain_, found_.measurements);
    if (seen.frames >= kTellOfTheSource) experiments_.take(seen);
    found_.relative_error = std::max(found_.relative_error, seen.relative_error);
    Measurements& m = found_.measurements;
    if (configuration.mapping.any_split()) {
      if (is_whole_split(seen, chain_)) splits_.push_back(seen);
    } else if (configuration.granularity == Granularity::medium) {
      medium_watts_ = seen.watts;
      medium_cpu_s_ = seen.cpu_s;
      double frame_s = 0;
      for (std::size_t k = 0; k < seen.stages.size(); ++k) {
        if (!configuration.mapping.on_device(k))
          m.stages[k].mg = cost(seen.stages[k].seconds, seen.watts);
        frame_s += seen.stages[k].seconds;
      }
      m.mg_spread = seen.latency_s / frame_s;
    } else if (seen.kind == Kind::beside) {
      take_beside(seen);
    } else if (configuration.lanes > 1) {
      if (!seen.in_vain) lanes_.push_back(seen);
    } else if (seen.in_vain) {  // it takes no frame: a program that does not build, say
      for (StageMeasurements& stage : m.stages) stage.has_device = false;
    } else if (seen.kind == Kind::stages) {
      take_device_stages(seen);
    } else if (configuration.mapping.any_device()) {
      take_device_whole(seen);
    } else {
      take_cores(seen);
    }
  }

  void end_experiments() {
    end_lanes();
    Measurements& m = found_.measurements;
    const bool adds_up = chain_.device_only != 0;
    if (adds_up) add_up_cores(medium_watts_, m);
    cores_estimated_ =
        adds_up || (one_lane_.frame_s == 0 && estimate_cores(chain_, apart_, medium_watts_, m)) ||
        (!cores_tried_ && medium_cpu_s_ > kHoldsUp_s &&
         estimate_cores_of_medium(medium_cpu_s_, medium_watts_, m));
    interpolate();
    crowd();
    if (!splits_.empty())
      found_.measurements.split =
          split_of(splits_, chain_, found_.measurements, {medium_watts_, device_watts_});
    // The cores alone never did that.
    for (const Beside& at : beside_) found_.measurements.cg_interpolated[at.cores - 1] = true;
  }

  /// Takes the observation of any configuration that ran as it would if it were chosen.
  void take_trial(const Observation& seen) {
    if (is_trial(seen.kind)) trials_.take(seen);
    const Configuration& configuration = seen.configuration;
    const bool look = tells_at_length(seen);
    Trial trial{configuration, predict(found_.measurements, configuration), {}};
    trial.measured = trial.predicted;
    trial.measured.throughput_fps = 1 / seen.frame_s;
    if (known(seen.latency_s)) trial.measured.latency_s = seen.latency_s;
    trial.measured.energy_j = watts_of(seen.watts, chain_.domains) * seen.frame_s;
    const Trial* before = find_trial(found_.trials, configuration);
    const bool few = seen.kind == Kind::glance && seen.frames < kTellingFrames;
    if (!look && before && (few || !before->looks.empty())) return;  // it tells less
    if (look) {
      if (before) trial.looks = before->looks;
      trial.looks.push_back(trial.measured);
      trial.measured = mean_of_looks(trial.looks);
    }
    // A glance is too short for the counter. Powers err less than rates do.
    if (!known(trial.measured.energy_j))
      trial.measured.energy_j = trial.predicted.power_w * seen.frame_s;
    trial.measured.power_w = trial.measured.energy_j * trial.measured.throughput_fps;
    std::erase_if(found_.trials,
                  [&](const Trial& other) { return other.configuration == configuration; });
    found_.trials.push_back(std::move(trial));
  }

  Findings findings() {
    Sourced of = experiments_;
    if (of.all < kTellEnough) of.take(trials_);
    found_.starved = of.most_starved();
    return std::move(found_);
  }

 private:
  // Between measured numbers of threads the time that a thread takes for a frame grows evenly, as
  // each slows down the others, and so does the power. More threads than measured do as those, but
  // more cores than were measured beside the device are thought to add to them: trials show it.
  void interpolate() {
    std::vector<Cost>& cg = found_.measurements.cg;
    found_.measurements.cg_interpolated.assign(cg.size(), cores_estimated_);
    if (!known(cg[0].seconds)) return;
    for (std::size_t below = 0, n = 1; n < cg.size(); ++n) {
      if (known(cg[n].seconds)) {
        below = n;
        continue;
      }
      std::size_t above = n;
      while (above < cg.size() && !known(cg[above].seconds)) ++above;
      if (above == cg.size()) above = below;
      for (; n < cg.size() && (n < above || above == below); ++n) {
        const double way = above == below ? 0 : static_cast<double>(n - below) / (above - below);
        const auto between = [&](double a, double b) { return a + way * (b - a); };
        const Cost &a = cg[below], &b = cg[above];
        const auto thread_s = [&](std::size_t i) { return (i + 1) * cg[i].seconds; };
        double frame_s = between(thread_s(below), thread_s(above)) / (n + 1);
        if (above == below) {
          const int threads = std::min<int>(n + 1, chain_.cores);
          const bool adds = cores_estimated_ || is_beside(below + 1);
          frame_s = adds ? thread_s(below) / threads : a.seconds;
        }
        const auto watts = [&](double Energy::*domain) {
          return between(a.joules.*domain / a.seconds, b.joules.*domain / b.seconds);
        };
        cg[n] = cost(frame_s, {watts(&Energy::c), watts(&Energy::g), watts(&Energy::u)});
        found_.measurements.cg_interpolated[n] = true;
      }
      --n;
    }
  }

  bool is_beside(int n) const {
    return std::ranges::find(beside_, n, &Beside::cores) != beside_.end();
  }

  // The factor by which the device's frames take longer beside n cores than if these left it alone.
  // Between measured numbers it grows evenly, above them it stays.
  void crowd() {
    std::map<int, double> measured{{0, 1}};
    for (const Beside& at : beside_) {
      const Prediction alone = predict(found_.measurements, at.configuration);
      const double longer = alone.throughput_fps * alone.p_device * at.device_frame_s;
      const double noise = kCrowded + 1 / at.device_frames;
      if (std::isfinite(longer)) measured[at.cores] = longer > 1 + noise ? longer : 1;
    }
    std::vector<double>& crowding = found_.measurements.crowding;
    for (auto low = measured.begin(), high = std::next(low); high != measured.end(); low = high++) {
      const double each = (high->second - low->second) / (high->first - low->first);
      for (int n = low->first; n <= high->first; ++n)
        if (n == std::ssize(crowding)) crowding.push_back(low->second + (n - low->first) * each);
    }
  }

  void take_cores(const Observation& seen) {
    Measurements& m = found_.measurements;
    cores_tried_ = true;
    const int n = seen.configuration.threads;
    // The device is as idle as it is under medium grain.
    Energy watts = seen.watts;
    if (!known(watts.g)) watts.g = medium_watts_.g;
    m.cg[n - 1] = cost(seen.frame_s, watts);
    m.cg_spread[n - 1] = seen.latency_s / (n * seen.frame_s);
    if (n > 1) return;
    for (int k = 0; k < chain_.stages; ++k) m.stages[k].cg = cost(seen.stages[k].seconds, watts);
    other_cpu_s_ = std::max(0.0, seen.cpu_s - seen.service_s);
  }

  // A driver of the cores alone would wait for no device: the sum of what each core does.
  void take_beside(const Observation& seen) {
    Measurements& m = found_.measurements;
    const int n = cores_beside(seen.configuration, chain_.devices);
    cores_tried_ = true;
    if (seen.in_vain || n < 1) return;
    const Energy watts{seen.watts.c, medium_watts_.g, seen.watts.u};
    m.cg[n - 1] = cost(seen.service_s / n, watts);
    if (n == 1)
      for (int k = 0; k < chain_.stages; ++k) m.stages[k].cg = cost(seen.stages[k].seconds, watts);
    lanes_.push_back(seen);
    beside_.push_back({n, seen.configuration, seen.device_frame_s,
                       seen.frames * seen.frame_s / seen.device_frame_s});
  }

  // Times of a run of device stages, stage by stage, and of what comes before and after it.
  void take_device_stages(const Observation& seen) {
    std::vector<StageMeasurements>& stages = found_.measurements.stages;
    const Mapping& mapping = seen.configuration.mapping;
    // With fewer of them on it: what the cores take of the others.
    const bool all = mapping.device_stages() == chain_.device_capable;
    if (all) apart_ = seen;
    for (int k = 0; k < chain_.stages; ++k) {
      if (!mapping.on_device(k)) {
        if ((all && !cores_tried_) || !known(stages[k].cg.seconds))
          stages[k].cg.seconds = seen.stages[k].seconds;
        continue;
      }
      if (!all) continue;
      stages[k].device.seconds = seen.stages[k].seconds;
      stages[k].download.seconds = seen.stages[k].download_s;
      if (k + 1 < chain_.stages) stages[k + 1].upload.seconds = seen.stages[k].upload_s;
    }
  }

  // The stages of a frame, enqueued together, take less than the sum of their times, each of which
  // has a wait in it. Each stage's time shrinks by the same factor as the frame's.
  void take_device_whole(const Observation& seen) {
    Measurements& m = found_.measurements;
    device_watts_ = seen.watts;
    one_lane_ = {seen.frame_s, seen.watts.sum() * seen.frame_s};
    const double device_s = seen.frame_s - seen.cores_s;
    double stages_s = 1 / predict(m, seen.configuration).throughput_fps;
    for (const StageMeasurements& stage : m.stages)
      if (!stage.has_device) stages_s -= stage.cg.seconds;
    const double left = device_s > 0 && stages_s > 0
                            ? std::clamp(device_s / stages_s, 0.5 / chain_.devices, 1.5)
                            : 1;
    for (StageMeasurements& stage : m.stages) {
      if (stage.has_device) {
        stage.device = cost(left * stage.device.seconds, seen.watts);
        stage.download = cost(left * stage.download.seconds, seen.watts);
      }
      if (stage.upload.seconds > 0) stage.upload = cost(left * stage.upload.seconds, seen.watts);
    }
    // The processor time of a frame, less what its other stages and the rest of the pipeline take.
    // A driver that spins keeps a core busy, a device made of the CPU keeps many.
    const double cpu_s = seen.cpu_s - other_cpu_s_ - seen.cores_s;
    if (device_s > 0) m.device_cores = std::clamp<double>(cpu_s / device_s, 0, chain_.cores);
  }

  // X(1) / X(S), of the device alone and, for numbers of lanes that were not measured so, of the
  // device beside cores, which may be in its way.
  void end_lanes() {
    if (one_lane_.frame_s == 0 && tells_whole_frames(apart_)) take_device_whole(apart_);
    if (!(one_lane_.frame_s > 0)) return;
    for (const bool beside : {false, true}) {
      for (const Observation& seen : lanes_) {
        if ((seen.kind == Kind::beside) != beside) continue;
        LaneFactor& factor = found_.measurements.lane_factors[seen.configuration.lanes - 1];
        const double frame_s = beside ? seen.device_frame_s : seen.frame_s;
        if ((beside && known(factor.seconds)) || !std::isfinite(frame_s)) continue;
        factor.seconds = frame_s / one_lane_.frame_s;
        const double joules = beside ? kUnknown : seen.watts.sum() * frame_s / one_lane_.joules;
        factor.joules = known(joules) ? joules : 1;
      }
    }
  }

  const Chain& chain_;
  Findings found_;
  // A source that is nearly as fast as the fastest of them starves that one alone.
  struct Sourced {
    int all = 0, starved = 0;
    void take(const Observation& seen) {
      ++all;
      starved += 2 * seen.starved_frames > seen.frames ? 1 : 0;
    }
    void take(const Sourced& more) {
      all += more.all;
      starved += more.starved;
    }
    bool most_starved() const { return 2 * starved > all; }
  };
  Sourced experiments_, trials_;
  Energy medium_watts_, device_watts_;
  Observation apart_;  // of the device's stages one by one
  struct {
    double frame_s = 0, joules = kUnknown;
  } one_lane_;                       // a frame with the device alone; 0: it was not measured
  std::vector<Observation> lanes_;   // of the device with several, or beside cores
  std::vector<Observation> splits_;  // of all stages that can be split, in the training's order
  double medium_cpu_s_ = 0;          // processor time of a frame under medium grain
  bool cores_tried_ = false;         // with frames of their own
  bool cores_estimated_ = false;
  struct Beside {
    int cores;
    Configuration configuration;
    double device_frame_s, device_frames;
  };
  std::vector<Beside> beside_;  // cores that were measured beside the device, and what it did
  double other_cpu_s_ = 0;      // processor time a frame beside the stages: decoding, drawing, ...
};

}  // namespace

Findings interpret(std::span<const Observation> observations, const Chain& chain) {
  Interpreter interpreter(chain);
  const auto possible = [&](const Observation& seen) {
    return chain.device_capable != 0 || !seen.configuration.mapping.any_device();
  };
  // Observations of the cores come first: they tell which part of a frame is not the device's.
  for (const bool cores : {true, false})
    for (const Observation& seen : observations)
      if (!is_trial(seen.kind) && (tells_of_cores(seen) ? cores : !cores && possible(seen)))
        interpreter.take_experiment(seen);
  interpreter.end_experiments();
  for (const Observation& seen : observations)
    if (possible(seen) && shows_a_configuration(seen)) interpreter.take_trial(seen);
  return interpreter.findings();
}

double latency_s(const Measurements& m, const Configuration& configuration) {
  const bool medium = configuration.granularity == Granularity::medium;
  double on_cores_s = 0, beside_device_s = 0;
  for (int k = 0; k < static_cast<int>(m.stages.size()); ++k) {
    const StageMeasurements& stage = m.stages[k];
    const double cpu_s = medium ? stage.mg.seconds : stage.cg.seconds;
    on_cores_s += 2 * configuration.frames_at_once * stage.mg.seconds;  // two threads take turns
    const int letter = static_cast<int>(configuration.mapping.side(k)) - static_cast<int>(Side::g);
    const double device_s =
        letter > 0 && letter <= std::ssize(m.further)
            ? m.further[letter - 1].devices * m.further[letter - 1].stages[k].seconds
            : stage.device.seconds;
    beside_device_s += configuration.mapping.on_device(k) ? configuration.lanes * device_s : cpu_s;
  }
  if (!medium) on_cores_s = configuration.threads * m.cg[configuration.threads - 1].seconds;
  return std::max(on_cores_s, beside_device_s);
}

}  // namespace tandem
