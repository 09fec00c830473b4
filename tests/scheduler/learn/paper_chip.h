// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "model/predict/predict.h"
#include "scheduler/learn/run/controller.h"

namespace tandem {

/// A chip on paper: gives every frame the times that its description says, with noise, and a clock
/// of its own. Nothing waits.
class PaperChip {
 public:
  PaperChip(int stages, int cores, unsigned seed) : random_(seed) {
    truth_.cores = cores;
    truth_.stages.resize(stages);
    truth_.cg.resize(cores + 1);
    std::uniform_real_distribution<double> log_ms(-1, 2);  // 0.1 to 100 ms
    std::uniform_real_distribution<double> speedup(0.3, 8), scaling(0.6, 1);
    double sum_s = 0;
    for (StageMeasurements& stage : truth_.stages) {
      const double s = 1e-3 * std::pow(10.0, log_ms(random_));
      stage.cg.seconds = s;
      stage.mg.seconds = s / (1 + (cores - 1) * scaling(random_));
      stage.device.seconds = s / speedup(random_);
      stage.has_device = true;
      stage.upload.seconds = stage.download.seconds = 1e-5;
      sum_s += s;
    }
    truth_.stages.front().upload.seconds = 0;  // part of the first stage's time
    truth_.stages.back().download.seconds = 1e-5;
    const double efficiency = scaling(random_);
    for (int n = 1; n <= cores + 1; ++n) {
      const int busy = std::min(n, cores);
      truth_.cg[n - 1].seconds = sum_s / (1 + (busy - 1) * efficiency);
    }
  }

  const Measurements& truth() const { return truth_; }
  Probe probe() const { return {now_ns_, 0, {}}; }
  void wait_until(uint64_t now_ns) { now_ns_ = std::max(now_ns_, now_ns); }
  void slow_down(double factor) { slowdown_ = factor; }
  /// Somebody else computes on a part of the cores.
  void burn(double part) { left_ = 1 - part; }
  /// What waiting for a stage of the device adds to it, when stages are timed one by one.
  void wait_for_stages(double seconds) { wait_s_ = seconds; }

  /// Coupled mappings of so many threads or more reach a share of what is predicted.
  void crowd(int threads, double share) { crowded_ = {threads, share}; }
  double crowding(const Configuration& configuration) const {
    const bool crowded = configuration.mapping.any_device() &&
                         configuration.granularity == Granularity::coarse &&
                         configuration.threads >= crowded_.threads;
    return crowded ? crowded_.share : 1;
  }
  /// Nothing happens for so long after every so many frames.
  void stall(int every, double seconds) { stalls_ = {every, seconds}; }

  /// The times of the next frame under a step; the clock goes on by the time per frame.
  FrameTimes frame(const Step& step) {
    const double factor = slowdown_ * (1 + 0.02 * noise_(random_));
    FrameTimes times;
    times.configuration = step.configuration;
    times.stages_apart = step.time_stages;
    times.spaced = step.spaced;
    if (step.configuration.mapping.any_split()) return split_frame(std::move(times), factor);
    double service_s = 0, interval_s = 0, latency_s = 0;
    for (std::size_t k = 0; k < truth_.stages.size(); ++k) {
      const StageMeasurements& stage = truth_.stages[k];
      double s = stage.cg.seconds;
      if (step.configuration.granularity == Granularity::medium) s = stage.mg.seconds;
      if (step.time_stages) s = stage.device.seconds + wait_s_;
      times.stage_ns[k] = ns(s * factor);
      times.download_ns[k] = ns(stage.download.seconds * factor);
      times.upload_ns[k] = ns(1e-5 * factor);
      service_s += s;
    }
    interval_s = service_s;
    if (step.configuration.granularity == Granularity::coarse && !step.time_stages) {
      interval_s = truth_.cg[step.configuration.threads - 1].seconds;
      service_s = step.configuration.threads * interval_s;
    }
    const int n = cores_beside(step.configuration, 1);
    ++frames_;
    device_stages_ = step.configuration.mapping.device_stages();
    if (step.configuration.mapping.any_device() && !step.time_stages) {
      const Prediction prediction = predict(truth_, step.configuration);
      interval_s = 1 / prediction.throughput_fps;
      interval_s /= crowding(step.configuration);
      service_s = interval_s;
      latency_s = prediction.latency_s;
      on_device_ += n > 0 ? prediction.p_device : 1;
    }
    if (on_device_ >= 1) {
      on_device_ -= 1;
    } else if (n > 0) {
      device_stages_ = 0;
      service_s = n * truth_.cg[n - 1].seconds;
    }
    if (frames_ % stalls_.every == 0) now_ns_ += ns(stalls_.seconds);
    now_ns_ += ns(interval_s * factor);
    times.end_ns = now_ns_;
    times.begin_ns = now_ns_ - ns(service_s * factor);
    if (n > 0) {  // side by side with others
      times.begin_ns = now_ns_ - ns(interval_s * factor);
      times.end_ns = times.begin_ns + ns(service_s * factor);
    }
    times.ready_ns = std::max(times.end_ns, times.begin_ns + ns(latency_s * factor));
    return times;
  }
  /// Of the latest frame: those that the device computed. Where cores compute whole frames beside
  /// it, the model tells how many are theirs.
  uint32_t device_stages() const { return device_stages_; }

 private:
  // All stages on both sides, 0.2 ms for each beside its rows.
  FrameTimes split_frame(FrameTimes times, double factor) {
    const double share = times.configuration.cpu_share / 100.0;
    double cores_s = 2e-4, device_s = 2e-4;
    for (const StageMeasurements& stage : truth_.stages) {
      cores_s += share * stage.mg.seconds / left_;
      device_s += (1 - share) * stage.device.seconds;
    }
    times.split_cores_ns = ns(cores_s * factor);
    times.split_device_ns = ns(device_s * factor * (1 + 0.02 * noise_(random_)));
    const uint64_t frame_ns = std::max(times.split_cores_ns, times.split_device_ns);
    for (std::size_t k = 0; k < truth_.stages.size(); ++k)
      times.stage_ns[k] = frame_ns / truth_.stages.size();
    times.begin_ns = now_ns_;
    times.end_ns = times.ready_ns = now_ns_ += frame_ns;
    device_stages_ = times.configuration.mapping.split_stages();
    return times;
  }

  static uint64_t ns(double seconds) { return static_cast<uint64_t>(seconds * 1e9); }

  Measurements truth_;
  std::mt19937 random_;
  std::normal_distribution<double> noise_;
  double slowdown_ = 1, wait_s_ = 0, left_ = 1;
  struct {
    int threads;
    double share;
  } crowded_{1 << 20, 1};
  struct {
    int every;
    double seconds;
  } stalls_{1 << 20, 0};
  int frames_ = 0;
  double on_device_ = 0;  // frames that are due there
  uint32_t device_stages_ = 0;
  uint64_t now_ns_ = 1'000'000'000'000;
};

/// Of three stages.
inline Chain chain_of(int cores, uint32_t device_capable) {
  Chain chain;
  chain.stages = 3;
  chain.cores = cores;
  chain.device_capable = device_capable;
  return chain;
}

/// Has a controller take the next frame; returns what runs from then on, if it is something else.
inline std::optional<Step> next_frame(Controller& controller, PaperChip& chip, const Step& step) {
  const FrameTimes times = chip.frame(step);
  return controller.frame_done(times, chip.device_stages());
}

}  // namespace tandem
