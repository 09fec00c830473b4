// SPDX-License-Identifier: LGPL-2.1-or-later
// The observation that an experiment makes when it is over.
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include "model/estimator.h"
#include "scheduler/learn/facts/energy_track.h"
#include "scheduler/learn/facts/experiment.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// Parts of an experiment, and how much longer frames take in most of them than in a typical round
// when something takes the cores away again and again.
constexpr std::size_t kParts = 5;
constexpr double kRecurring = 0.05;
constexpr double kLess = 0.9;  // the share of what the source brought before that counts as less

// The number of frames at a time that make the rate: threads that serve the device compute none.
int frames_side_by_side(const Configuration& configuration, int devices) {
  return configuration.mapping.any_device() ? devices * configuration.lanes : configuration.threads;
}

Energy watts_between(const EnergyReading& begin, const EnergyReading& end, double resolution_s) {
  const EnergyDomains power = power_between_w(begin, end);
  const auto watts = [&](const std::optional<double>& domain, MeterClock::duration lasted) {
    const double lasted_s = std::chrono::duration<double>(lasted).count();
    const bool enough = lasted_s >= kCounterSteps * resolution_s;
    return enough ? domain.value_or(kUnknown) : kUnknown;
  };
  return {watts(power.c, end.c.at - begin.c.at), watts(power.g, end.g.at - begin.g.at),
          watts(power.u, end.u.at - begin.u.at)};
}

}  // namespace

Observation Experiment::observation() {
  Observation made;
  made.configuration = plan_.configuration;
  made.kind = plan_.kind;
  made.latency_s = latency_.percentile_s(95);
  made.lasted_s = seconds(last_ns_ - first_ns_);
  made.frames = counted_;
  // A source that gets no core is no slow source: this process has taken them all, or so many that
  // the source brings less than it did. Nor is one that gets no memory while long frames make it.
  const bool no_memory = made.latency_s > kCheap_s && end_.buffers_made != begin_.buffers_made;
  if (kept_all_busy(begin_, end_) || no_memory ||
      counted_ < kLess * plan_.source_fps * counted_s()) {
    starved_ = 0;
    for (FrameTimes& times : samples_) times.starved = false;
  }
  made.starved_frames = starved_;
  made.spaced = plan_.spaced;
  made.cpu_s = (end_.cpu_s - begin_.cpu_s - (end_.others_cpu_s - begin_.others_cpu_s)) / counted_;
  if (counts_joules_ && end_.energy)
    made.watts = watts_between(*begin_.energy, *end_.energy, chain_.energy_resolution_s);
  if (counted_s() > 0) {
    Busy a_second;
    a_second.add(busy_, 1 / counted_s());
    made.busy = at_most_all(a_second, 1, chain_);
  }
  if (is_trial(plan_.kind)) {
    made.frame_s = seconds_a_frame();
    return made;
  }
  made.in_vain = samples_.empty();
  if (!made.in_vain) measure(made);
  made.relative_error = relative_error_;
  return made;
}

// Estimates only what the model needs of each kind: errors of other estimates do not matter.
void Experiment::measure(Observation& made) {
  const Configuration& configuration = plan_.configuration;
  const bool medium = configuration.granularity == Granularity::medium;
  const bool on_device = configuration.mapping.any_device();
  const bool one_by_one = plan_.kind == Kind::stages;
  const bool beside = plan_.kind == Kind::beside;
  const bool one_thread = beside || (!medium && !on_device && configuration.threads == 1);
  const bool split = configuration.mapping.any_split();
  if (split) {
    made.split_cores_s = mean_of([](const FrameTimes& t) { return t.split_cores_ns; });
    made.split_device_s = mean_of([](const FrameTimes& t) { return t.split_device_ns; });
  }
  if (split || beside) {
    made.frame_s = seconds_a_frame();
    // The samples are those frames for a device that the cores took.
    const auto for_device = counted_ - std::ssize(for_no_device_);
    if (beside)
      made.device_frame_s = made.frame_s * for_device / (for_device - std::ssize(samples_));
  } else if (one_by_one) {
    const bool alone = cores_beside(configuration, devices_) == 0;
    made.frame_s = alone ? seconds_a_frame() : seconds_a_frame(configuration.threads);
  } else if (!medium) {
    made.frame_s = seconds_a_frame(frames_side_by_side(configuration, devices_));
  }
  if (medium || one_by_one || one_thread) {
    made.stages.resize(chain_.stages);
    for (int k = 0; k < chain_.stages; ++k) {
      Observation::StageTimes& stage = made.stages[k];
      const bool device = one_by_one && configuration.mapping.on_device(k);
      const auto stage_ns = [k](const FrameTimes& t) { return t.stage_ns[k]; };
      stage.seconds = device ? device_s(stage_ns) : mean_of(stage_ns);
      if (!device) continue;
      stage.download_s = device_s([k](const FrameTimes& t) { return t.download_ns[k]; });
      // The upload of a run that begins with the next stage.
      if (k + 1 < chain_.stages)
        stage.upload_s = device_s([k](const FrameTimes& t) { return t.upload_ns[k]; });
    }
  }
  if (one_thread || split)
    made.service_s = mean_of([](const FrameTimes& t) { return t.service_ns(); });
  if (on_device && configuration.lanes == 1 && !beside) {
    made.cores_s = mean_of([&](const FrameTimes& t) {
      uint64_t sum_ns = 0;
      for (int k = 0; k < chain_.stages; ++k)
        if (configuration.mapping.side(k) == Side::c) sum_ns += t.stage_ns[k];
      return sum_ns;
    });
  }
}

// The robust mean of samples; remembers the worst error.
double Experiment::estimate_of(std::vector<double> samples) {
  const Estimate found = estimate(std::move(samples));
  const double error = found.relative_error();
  if (known(error)) relative_error_ = std::max(relative_error_, error);
  return found.value;
}

// Seconds a frame, of a function of a frame's times in nanoseconds. `reduce` makes one value of
// those of a kind of frames. A kind of which there is no sample is left out, unless no stage
// computes it.
template <class Value, class Reduce>
double Experiment::over_kinds(std::initializer_list<const std::vector<FrameTimes>*> frames,
                              Value&& value, Reduce&& reduce) const {
  const uint32_t all = (1u << chain_.stages) - 1;
  double sum_s = 0, counted = 0;
  for (const FramesOfKind& kind : kinds_) {
    std::vector<double> values;
    for (const auto* some : frames)
      for (const FrameTimes& times : *some)
        if (times.left_out == kind.left_out) values.push_back(seconds(value(times)));
    if (values.empty() && kind.left_out != all) continue;
    if (!values.empty()) sum_s += kind.counted * reduce(std::move(values));
    counted += kind.counted;
  }
  return counted > 0 ? sum_s / counted : kUnknown;
}

template <class Value>
double Experiment::mean_of(Value&& value) {
  return over_kinds({&samples_, &for_no_device_}, value,
                    [this](std::vector<double> values) { return estimate_of(std::move(values)); });
}

// The least of a first round where there is one: a copy to memory that is touched for the first
// time takes several times as long.
template <class Value>
double Experiment::device_s(Value&& value) {
  if (first_round_.empty()) return mean_of(value);
  return over_kinds({&first_round_, &samples_}, value, std::ranges::min);
}

// From one frame to the next. Between spaced ones the next one waits: they take what a source takes
// that sends them one by one.
double Experiment::seconds_a_frame() const {
  const double spaced_s = plan_.spaced ? latencies_s_ : 0;
  return (spaced_s > 0 ? spaced_s : counted_s()) / counted_;
}

// Seconds per frame with n threads, from begin times: service times alone would miss what decoding
// and drawing take from the cores. If the source starves the threads, service time / n instead (n
// at most nC). Spaced frames come one at a time: their latency.
double Experiment::seconds_a_frame(int n) {
  if (plan_.spaced) return mean_of([](const FrameTimes& t) { return t.latency_ns(); });
  const auto round = static_cast<std::size_t>(n * chain_.period);
  const auto starved = std::count_if(samples_.begin(), samples_.end(),
                                     [](const FrameTimes& times) { return times.starved; });
  if (2 * starved > std::ssize(samples_) || samples_.size() <= round) {
    const double service_s = mean_of([](const FrameTimes& times) { return times.service_ns(); });
    return service_s / std::min(n, chain_.cores);
  }
  const auto over = [this](std::size_t i, std::size_t frames) {
    return seconds(samples_[i].begin_ns - samples_[i - frames].begin_ns) /
           static_cast<double>(frames);
  };
  std::vector<double> values;
  for (std::size_t i = round; i < samples_.size(); ++i) values.push_back(over(i, round));
  const double typical = estimate_of(std::move(values));
  const double began_s = seconds(last_ns_ - start_ns_);
  const double piled_up = began_s > 0 ? counted_s() / began_s : 1;
  // A thread that loses its core loses it for longer than many rounds of short frames take, so few
  // rounds show it. A loss in most parts of the experiment belongs to the rate, a single one does
  // not.
  const std::size_t part = samples_.size() / kParts;
  if (part < 2 * round) return piled_up * typical;
  std::array<double, kParts> parts;
  const std::size_t rounds = (part - 1) / round * round;  // whole ones: they come in bursts
  for (std::size_t i = 0; i < kParts; ++i) parts[i] = over(i * part + rounds, rounds);
  std::ranges::nth_element(parts, parts.begin() + kParts / 2);
  const double lasting = parts[kParts / 2];
  return piled_up * (lasting > (1 + kRecurring) * typical ? lasting : typical);
}

}  // namespace tandem
