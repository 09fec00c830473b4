// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/trainer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/estimator.h"
#include "model/predict.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// Parts of an experiment, and how much longer frames take in most of them than in a typical round
// when something takes the cores away again and again.
constexpr std::size_t kParts = 5;
constexpr double kRecurring = 0.05;
// The share of the processors' time that counts as all of it.
constexpr double kAllBusy = 0.9;

// Whose begins belong to one round.
int frames_at_a_time(const Configuration& configuration, int devices) {
  if (configuration.granularity == Granularity::medium) return 1;
  const bool on_device = configuration.mapping.any_device();
  return configuration.threads + (on_device ? devices * configuration.lanes - 1 : 0);
}

// What is covered, all together; unknown when nothing is.
double watts_of(const Energy& power) {
  double sum = 0;
  bool any = false;
  for (const double watts : {power.c, power.g, power.u}) {
    any = any || known(watts);
    sum += known(watts) ? watts : 0;
  }
  return any ? sum : kUnknown;
}

double service_s(const FrameTimes& times) { return seconds(times.service_ns()); }

// Power is taken as the same in all stages of an experiment: no counter is fast enough to tell the
// stages of a frame apart.
Cost cost(double seconds, const Energy& watts) {
  return {seconds, {watts.c * seconds, watts.g * seconds, watts.u * seconds}};
}

}  // namespace

Trainer::Trainer(int stages, int cores, uint32_t device_capable, std::span<const int> lanes,
                 double least_seconds, ReadProbe read_probe, int devices)
    : stages_(stages),
      cores_(cores),
      devices_(devices),
      least_seconds_(std::max(kLeastSeconds, least_seconds)),
      read_probe_(std::move(read_probe)) {
  const Mapping cpu{0, stages};
  for (int n = 1; n <= cores + 1; ++n) steps_.push_back({{cpu, Granularity::coarse, n}, false});
  if (device_capable != 0) {
    Configuration device{
        {device_capable, stages}, Granularity::coarse, std::min(devices, cores + 1)};
    steps_.push_back({device, true});
    steps_.push_back({device, false});
    for (const int s : lanes) {
      device.lanes = s;
      steps_.push_back({device, false});
    }
  }
  steps_.push_back({{cpu, Granularity::medium, cores + 1}, false});

  measured_.cores = cores;
  measured_.devices = devices;
  measured_.stages.resize(stages);
  measured_.cg.resize(cores + 1);
  for (int k = 0; k < stages; ++k) measured_.stages[k].has_device = (device_capable >> k & 1) != 0;
}

std::optional<Trainer::Step> Trainer::step() const {
  if (current_ == steps_.size()) return std::nullopt;
  return steps_[current_];
}

bool Trainer::observe(const FrameTimes& times, uint32_t device_stages) {
  if (current_ == steps_.size()) return false;
  const Step& step = steps_[current_];
  if (!(times.configuration == step.configuration) || times.stages_apart != step.time_stages)
    return false;
  const int threads = frames_at_a_time(step.configuration, devices_);
  if (++seen_ <= threads) {
    if (seen_ == threads) begin_ = read_probe_();
    return false;
  }
  ++counted_;
  ++counted_in_all_;
  starved_here_ += times.starved ? 1 : 0;
  if (begin_.energy && !counts_joules_)
    counts_joules_ = count_from_new_value(begin_, read_probe_());
  // A frame that the device left to the CPU says nothing of the device.
  if (device_stages == step.configuration.mapping.device_stages()) samples_.push_back(times);

  // No energy is taken from the stages one by one.
  double least_seconds = step.time_stages ? kLeastSeconds : least_seconds_;
  if (step.configuration.mapping.any_device())
    least_seconds = std::max(least_seconds, kDeviceSeconds);
  const double lasted = times.end_ns > begin_.now_ns ? seconds(times.end_ns - begin_.now_ns) : 0.0;
  const bool enough = std::ssize(samples_) >= std::max(kLeastSamples, kLeastRounds * threads) &&
                      lasted >= least_seconds;
  const bool too_long = lasted >= least_seconds + kMostSeconds;
  if (!enough && !(too_long && (!samples_.empty() || counted_ >= kMostVain))) return false;
  finish_step();
  return true;
}

// The robust mean of samples; remembers the worst error.
double Trainer::take(std::vector<double> samples) {
  const Estimate found = estimate(std::move(samples));
  const double error = found.relative_error();
  if (known(error)) relative_error_ = std::max(relative_error_, error);
  return found.value;
}

Energy Trainer::watts(const Probe& end) const {
  if (!counts_joules_ || !end.energy) return {};
  const EnergyDomains power = power_between_w(*begin_.energy, *end.energy);
  return {power.c.value_or(kUnknown), power.g.value_or(kUnknown), power.u.value_or(kUnknown)};
}

template <class Value>
double Trainer::mean_of(Value&& value) {
  std::vector<double> values;
  for (const FrameTimes& times : samples_) values.push_back(value(times));
  return take(std::move(values));
}

double Trainer::stage_s(int k) {
  return mean_of([k](const FrameTimes& t) { return seconds(t.stage_ns[k]); });
}

double Trainer::cpu_s_a_frame(const Probe& end) const {
  const double others_s = end.others_cpu_s - begin_.others_cpu_s;
  return (end.cpu_s - begin_.cpu_s - others_s) / counted_;
}

// Of n threads that compute a frame each. By when frames were begun: from the begin of one to that
// of the n-th after it also passes what the rest of the pipeline takes from the threads. Where the
// source is what they wait for, what a frame takes, shared by as many as can compute.
double Trainer::seconds_a_frame(int n) {
  const std::size_t threads = static_cast<std::size_t>(n);
  const auto starved = std::count_if(samples_.begin(), samples_.end(),
                                     [](const FrameTimes& times) { return times.starved; });
  std::vector<double> values;
  if (2 * starved > std::ssize(samples_) || samples_.size() <= threads) {
    for (const FrameTimes& times : samples_)
      values.push_back(service_s(times) / std::min(n, cores_));
    return take(std::move(values));
  }
  const auto over = [this](std::size_t i, std::size_t frames) {
    return seconds(samples_[i].begin_ns - samples_[i - frames].begin_ns) /
           static_cast<double>(frames);
  };
  for (std::size_t i = threads; i < samples_.size(); ++i) values.push_back(over(i, threads));
  const double typical = take(std::move(values));
  // A thread that loses its core loses it for longer than many rounds of short frames, so a round
  // seldom tells. What happens in most parts of the experiment belongs to the rate, once does not.
  const std::size_t part = samples_.size() / kParts;
  if (part < 2 * threads) return typical;
  std::array<double, kParts> parts;
  const std::size_t rounds = (part - 1) / threads * threads;  // whole ones: they come in bursts
  for (std::size_t i = 0; i < kParts; ++i) parts[i] = over(i * part + rounds, rounds);
  std::ranges::nth_element(parts, parts.begin() + kParts / 2);
  const double lasting = parts[kParts / 2];
  return lasting > (1 + kRecurring) * typical ? lasting : typical;
}

void Trainer::finish_step() {
  const Step& step = steps_[current_];
  const Probe end = read_probe_();
  const Energy power = watts(end);
  // A source that gets no core is no slow source: this process has taken them all.
  if (end.cpu_s - begin_.cpu_s >= kAllBusy * end.processors * seconds(end.now_ns - begin_.now_ns)) {
    starved_here_ = 0;
    for (FrameTimes& times : samples_) times.starved = false;
  }
  starved_ += starved_here_;

  if (step.configuration.granularity == Granularity::medium) {
    for (int k = 0; k < stages_; ++k) measured_.stages[k].mg = cost(stage_s(k), power);
  } else if (step.configuration.lanes > 1) {
    take_lanes(end);
  } else if (samples_.empty()) {  // it takes no frame: a program that does not build, say
    for (StageMeasurements& stage : measured_.stages) stage.has_device = false;
  } else if (step.time_stages) {
    take_device_stages();
  } else if (step.configuration.mapping.any_device()) {
    take_device_whole(end, power);
  } else {
    const int n = step.configuration.threads;
    measured_.cg[n - 1] = cost(seconds_a_frame(n), power);
    if (n == 1) {
      for (int k = 0; k < stages_; ++k) measured_.stages[k].cg = cost(stage_s(k), power);
      other_cpu_s_ = std::max(0.0, cpu_s_a_frame(end) - mean_of(service_s));
    }
  }

  ++current_;
  seen_ = counted_ = starved_here_ = 0;
  counts_joules_ = false;
  samples_.clear();
}

// What a run of device stages takes, stage by stage, and what comes before and after it.
void Trainer::take_device_stages() {
  for (int k = 0; k < stages_; ++k) {
    StageMeasurements& stage = measured_.stages[k];
    if (!stage.has_device) continue;
    stage.device.seconds = stage_s(k);
    stage.download.seconds =
        mean_of([k](const FrameTimes& t) { return seconds(t.download_ns[k]); });
    // What a run that begins with the next stage has to upload.
    if (k + 1 == stages_) continue;
    measured_.stages[k + 1].upload.seconds =
        mean_of([k](const FrameTimes& t) { return seconds(t.upload_ns[k]); });
  }
}

// The stages of a frame, enqueued together, take less than the sum of their times, each of which
// has a wait in it: what that leaves of a frame is what is left of each stage.
void Trainer::take_device_whole(const Probe& end, const Energy& power) {
  const double cores_s = mean_of([this](const FrameTimes& t) {
    double sum_s = 0;
    for (int k = 0; k < stages_; ++k)
      if (!measured_.stages[k].has_device) sum_s += seconds(t.stage_ns[k]);
    return sum_s;
  });
  one_lane_s_ = seconds_a_frame(devices_);
  one_lane_j_ = watts_of(power) * one_lane_s_;
  const double device_s = one_lane_s_ - cores_s;
  double stages_s = 1 / predict(measured_, steps_[current_].configuration).throughput_fps;
  for (const StageMeasurements& stage : measured_.stages)
    if (!stage.has_device) stages_s -= stage.cg.seconds;
  const double left =
      device_s > 0 && stages_s > 0 ? std::clamp(device_s / stages_s, 0.5 / devices_, 1.5) : 1;
  for (StageMeasurements& stage : measured_.stages) {
    if (stage.has_device) {
      stage.device = cost(left * stage.device.seconds, power);
      stage.download = cost(left * stage.download.seconds, power);
    }
    if (stage.upload.seconds > 0) stage.upload = cost(left * stage.upload.seconds, power);
  }
  take_device_cores(cpu_s_a_frame(end) - other_cpu_s_ - cores_s, device_s);
}

// X(S) by X(1). Doubling goes on as long as it gains.
void Trainer::take_lanes(const Probe& end) {
  const int lanes = steps_[current_].configuration.lanes;
  const auto leave_the_rest = [this] {
    std::erase_if(steps_, [&](const Step& step) {
      return &step > &steps_[current_] && step.configuration.lanes > 1;
    });
  };
  if (samples_.empty() || !(one_lane_s_ > 0)) return leave_the_rest();
  const double frame_s = seconds_a_frame(lanes * devices_);
  LaneFactor& factor = measured_.lane_factors[lanes - 1];
  factor.seconds = frame_s / one_lane_s_;
  const double joules = watts_of(watts(end)) * frame_s / one_lane_j_;
  factor.joules = known(joules) ? joules : 1;
  if (factor.seconds * (1 + kLaneGain) > lanes_before_s_) return leave_the_rest();
  lanes_before_s_ = factor.seconds;
}

// The processor time of a frame in the experiment with the device alone, less what its other stages
// and the rest of the pipeline take: a driver that spins keeps a core busy, a device made of the
// CPU keeps many.
void Trainer::take_device_cores(double cpu_s, double device_s) {
  if (device_s > 0) measured_.device_cores = std::clamp<double>(cpu_s / device_s, 0, cores_);
}

}  // namespace tandem
