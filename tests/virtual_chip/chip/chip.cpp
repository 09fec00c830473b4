// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/chip.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tandem::test {

bool Chip::discrete() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const Stage& stage) { return stage.upload_s + stage.download_s > 0; });
}

int Chip::kind_of(int device) const {
  int kind = 0;
  for (int first = devices; device >= first; ++kind)
    first += further[static_cast<std::size_t>(kind)].devices;
  return kind;
}

int Chip::all_devices() const {
  int all = devices;
  for (const Kind& kind : further) all += kind.devices;
  return all;
}

double Chip::device_s(int kind, int stage) const {
  return kind == 0 ? stages[stage].device_s : further[kind - 1].device_s[stage];
}

double Chip::transfers(int kind) const { return kind == 0 ? 1 : further[kind - 1].transfers; }

uint32_t Chip::device_capable() const {
  uint32_t capable = 0;
  for (std::size_t k = 0; k < stages.size(); ++k)
    if (stages[k].has_device) capable |= 1u << k;
  return capable;
}

uint32_t Chip::device_only() const {
  uint32_t only = 0;
  for (std::size_t k = 0; k < stages.size(); ++k)
    if (!stages[k].has_cpu) only |= 1u << k;
  return only;
}

uint32_t Chip::can_split() const {
  uint32_t can = 0;
  for (std::size_t k = 0; k < stages.size(); ++k)
    if (stages[k].can_split) can |= 1u << k;
  return can;
}

// On m cores s + p / m, with what all cores and one take, times what busy cores slow each other
// down.
double Chip::medium_stage_s(const Stage& stage, int frames_at_once) const {
  const int each = cores / frames_at_once;
  if (each == cores) return stage.medium_s;
  const double all = slowdown[cores - 1], busy = slowdown[each * frames_at_once - 1];
  const double parallel_s = (stage.core_s - stage.medium_s / all) * cores / (cores - 1);
  return busy * (stage.core_s - parallel_s + parallel_s / each);
}

std::span<const int> Chip::lanes() const {
  static constexpr int kLanes[] = {1, 2, 4, 8};
  return discrete() ? std::span(kLanes) : std::span(kLanes, 1);
}

double Chip::core_frame_s(int n) const {
  double sum_s = 0;
  for (const Stage& stage : stages) sum_s += stage.core_s;
  return sum_s * slowdown[n - 1];
}

double Chip::device_slowdown(int on_cores) const {
  return 1 + crowding * on_cores + starved * std::max(0, on_cores + feeding_cores - cores);
}

double Chip::lanes_slowdown(int on_cores, int lanes) const {
  return 1 + lanes_crowding * (lanes - 1) * std::min(1.0, 1.0 * on_cores / cores);
}

Watts power_w(const Chip& chip, const Load& load) {
  const double share = std::min(1.0, 1.0 * load.on_cores / chip.cores);
  const auto cores_w = [&](const Chip::Power& power) {
    return load.medium > 0 ? load.medium * power.medium_w : share * power.cores_w;
  };
  const auto device_w = [&](const Chip::Power& power) {
    if (load.on_device == 0) return 0.0;
    return power.device_w + power.lanes_w * (1 - 1.0 / load.on_device);
  };
  const auto sum_w = [&](const Chip::Power& power) {
    return power.idle_w + cores_w(power) + device_w(power);
  };
  return {sum_w(chip.c), sum_w(chip.g),
          chip.u.idle_w + std::max(cores_w(chip.u), device_w(chip.u))};
}

Chip random_chip(unsigned seed, const ChipRanges& ranges) {
  std::mt19937 random(seed);
  const auto uniform = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  const auto log_uniform = [&](double least, double most) {
    return least * std::pow(most / least, uniform(0, 1));
  };
  Chip chip;
  chip.name = "random chip " + std::to_string(seed);
  const auto one_of = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  chip.cores = one_of(ranges.least_cores, ranges.most_cores);
  chip.stages.resize(static_cast<std::size_t>(one_of(ranges.least_stages, ranges.most_stages)));
  const bool discrete = uniform(0, 1) < ranges.discrete;
  const double speedup = log_uniform(ranges.least_speedup,
                                     discrete ? ranges.most_discrete_speedup : ranges.most_speedup);

  const double frame_s = log_uniform(ranges.least_frame_s, ranges.most_frame_s);
  double sum = 0;
  for (Chip::Stage& stage : chip.stages) sum += stage.core_s = log_uniform(0.1, 1);
  for (Chip::Stage& stage : chip.stages) {
    stage.core_s *= frame_s / sum;
    stage.medium_s = stage.core_s / (1 + (chip.cores - 1) * uniform(ranges.least_parallel, 1.1));
    stage.device_s = stage.core_s / (speedup * log_uniform(0.25, 4));
    if (!discrete) continue;
    stage.upload_s = log_uniform(0.005, 0.1) * frame_s;
    stage.download_s = log_uniform(0.005, 0.1) * frame_s;
  }
  chip.stages.back().download_s = 0;  // results are small, and read when somebody asks for them

  // Memory is shared: each frame more slows all down. One thread more than cores takes turns.
  const double contention = uniform(0, ranges.most_contention);
  for (int n = 1; n <= chip.cores; ++n) chip.slowdown.push_back(1 + contention * (n - 1));
  chip.slowdown.push_back(chip.slowdown.back() * (chip.cores + 1) / chip.cores * uniform(1, 1.05));
  chip.noise = uniform(0, 1) < 0.5 ? 0.02 : log_uniform(0.02, 0.15);
  // Large frames: few of them can wait for their turn.
  if (uniform(0, 1) < 0.2) chip.window = 2 * (chip.cores + 1);

  const double core_w = log_uniform(2, 12);
  chip.c = {uniform(0.5, 5), core_w * chip.cores, uniform(0, 1)};
  chip.g = {uniform(0.1, 2), 0, log_uniform(3, discrete ? 150 : 30)};
  chip.u = {uniform(1, 10), uniform(0, 10), uniform(0, 10)};
  for (Chip::Power* power : {&chip.c, &chip.g, &chip.u}) power->medium_w = power->cores_w;
  chip.meter_resolution_s = uniform(0, 1) < 0.5 ? 1e-3 : 2e-2;
  return chip;
}

Chip undisturbed(Chip chip) {
  chip.drift = 0;
  chip.bursts = {};
  return chip;
}

Chip with_other_kind(Chip chip, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  // By the first one's.
  const double slower = std::pow(20, uniform(random)) / 2;
  Chip::Kind kind;
  for (const Chip::Stage& stage : chip.stages)
    kind.device_s.push_back(stage.device_s * slower * std::pow(9, uniform(random) - 0.5));
  kind.transfers = 0.5 + 2 * uniform(random);
  chip.further.push_back(kind);
  return chip;
}

Chip with_split(Chip chip, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  double frame_s = 0;
  for (Chip::Stage& stage : chip.stages) {
    stage.can_split = stage.has_device && stage.has_cpu && uniform(random) < 0.85;
    frame_s += stage.medium_s;
  }
  chip.split_cores_s = frame_s * 0.1 * uniform(random);
  chip.split_device_s = frame_s * 0.1 * uniform(random);
  return chip;
}

// A stage reads what the one before it makes, or the frame alone.
Chip with_intervals(Chip chip, unsigned seed) {
  std::mt19937 random(seed);
  const auto one_of = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  chip.intervals.resize(chip.stages.size());
  for (std::size_t k = 1; k < chip.stages.size(); ++k)
    chip.intervals[k].reads = one_of(0, 3) > 0 ? 1u << (k - 1) : 0;
  const int stages = static_cast<int>(chip.stages.size());
  chip.intervals[static_cast<std::size_t>(one_of(0, 1) == 0 ? 0 : one_of(0, stages - 1))].interval =
      one_of(2, 10);
  // The window is for frames that are computed.
  chip.window = std::min(512, chip.window * Intervals(chip.intervals, chip.repeat).period());
  return chip;
}

Chip with_costs_of_both_sides(Chip chip, unsigned seed) {
  std::mt19937 random(seed + 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  double frame_s = 0;
  for (const Chip::Stage& stage : chip.stages)
    frame_s += stage.has_device ? std::min(stage.medium_s, stage.device_s) : stage.medium_s;
  chip.split_waking_s = frame_s * 0.15 * uniform(random);
  chip.split_contention = 0.15 * uniform(random);
  chip.split_joins_s = frame_s * 0.1 * uniform(random);
  return chip;
}

namespace {

Chip large_device_chip(const char* name) {
  Chip chip;
  chip.name = name;
  chip.cores = 16;
  chip.window = 512;
  chip.noise = 0.03;
  chip.crowding = 0.03;
  chip.feeding_cores = 5;
  chip.starved = 0.35;
  chip.c = {20, 150, 1, 150};
  chip.g = {80, 0, 450, 0};
  chip.u = {20, 10, 10, 10};
  chip.meter_resolution_s = 2e-2;
  return chip;
}

// Each thread more slows all down by this part.
void slow_down(Chip& chip, double by) {
  for (int n = 1; n <= chip.cores + 1; ++n) chip.slowdown.push_back(1 + by * (n - 1));
}

Chip vivid_chip(const char* name, double core_s, double device_s) {
  Chip chip = large_device_chip(name);
  // Of the cores' time, of the device's: the last stage is short on both.
  for (const auto& [on_core, on_device] : {std::pair{0.3, 0.35}, {0.61, 0.55}, {0.09, 0.1}}) {
    chip.stages.push_back({.core_s = on_core * core_s,
                           .medium_s = on_core * core_s / 12,
                           .device_s = on_device * device_s});
  }
  chip.stages[0].upload_s = 0.9 * device_s;
  chip.stages[1].upload_s = chip.stages[0].download_s = 0.6 * device_s;
  chip.stages[2].upload_s = chip.stages[1].download_s = 0.3 * device_s;
  slow_down(chip, 0.005);
  return chip;
}

}  // namespace

LargeDevice large_device_chips() {
  LargeDevice chips{
      vivid_chip("ViVid 600x416", 9e-3, 50e-6), vivid_chip("ViVid 1920x1080", 60e-3, 185e-6),
      large_device_chip("tracking 1920x1080"),  large_device_chip("SRAD 458x502"),
      large_device_chip("scenes 1920x1080"),    large_device_chip("SRAD 458x502, crowded"),
      large_device_chip("scenes 256x256")};
  chips.tracking.stages = {
      {.core_s = 4e-3,
       .medium_s = 0.5e-3,
       .device_s = 0.15e-3,
       .upload_s = 0.5e-3,
       .download_s = 0.9e-3},
      {.core_s = 14e-3,
       .medium_s = 1.6e-3,
       .device_s = 0.25e-3,
       .upload_s = 0.9e-3,
       .download_s = 0.02e-3},
      {.core_s = 4.9e-3,
       .medium_s = 0.6e-3,
       .device_s = 0.15e-3,
       .upload_s = 0.9e-3,
       .download_s = 0.02e-3},
      {.core_s = 0.1e-3, .medium_s = 0.1e-3, .serial = true, .has_device = false}};
  slow_down(chips.tracking, 0.06);
  // The first stages are short on the cores, the last ones on the device.
  for (const auto& [core_s, device_s] : {std::pair{0.03e-3, 35e-6},
                                         {0.06e-3, 35e-6},
                                         {0.05e-3, 35e-6},
                                         {0.25e-3, 10e-6},
                                         {0.25e-3, 10e-6},
                                         {0.1e-3, 10e-6}}) {
    chips.srad.stages.push_back({.core_s = core_s,
                                 .medium_s = core_s / 3,
                                 .device_s = device_s,
                                 .upload_s = 25e-6,
                                 .download_s = 25e-6});
  }
  chips.srad.stages.front().upload_s = chips.srad.stages.back().download_s = 8e-6;
  chips.srad.crowding = 0;
  chips.srad.feeding_cores = 1;
  chips.srad.lanes_crowding = 0.9;
  slow_down(chips.srad, 0.005);
  chips.scene.stages = {{.core_s = 220e-3,
                         .medium_s = 20e-3,
                         .device_s = 6e-3,
                         .upload_s = 0.5e-3,
                         .download_s = 15e-3},
                        {.core_s = 220e-3, .medium_s = 25e-3, .has_device = false}};
  slow_down(chips.scene, 0.05);
  chips.crowded_srad.stages = chips.srad.stages;
  chips.crowded_srad.crowding = 0;
  chips.crowded_srad.feeding_cores = 3;
  chips.crowded_srad.starved = 1;
  chips.crowded_srad.lanes_crowding = 0.05;
  slow_down(chips.crowded_srad, 0.03);
  chips.scene_small.stages = {{.core_s = 6.5e-3,
                               .medium_s = 1.5e-3,
                               .device_s = 0.1e-3,
                               .upload_s = 0.02e-3,
                               .download_s = 0.3e-3},
                              {.core_s = 6.5e-3, .medium_s = 1.5e-3, .has_device = false}};
  slow_down(chips.scene_small, 0.02);
  for (Chip* const chip : {&chips.crowded_srad, &chips.scene_small}) chip->drift = 0.03;
  return chips;
}

Measurements perfect_measurements(const Chip& chip) {
  const auto cost = [](double seconds, const Watts& w) {
    return Cost{seconds, {w.c * seconds, w.g * seconds, w.u * seconds}};
  };
  Measurements m;
  m.cores = chip.cores;
  m.devices = chip.devices;
  m.window = chip.window;
  m.device_cores = chip.device_threads;
  m.domains = {Domain::dominant, Domain::dominant, Domain::dominant};
  const Watts one = power_w(chip, {.on_cores = 1}), all = power_w(chip, {.medium = 1});
  const Watts device = power_w(chip, {.on_device = 1});
  for (const Chip::Stage& stage : chip.stages) {
    m.stages.push_back({.cg = cost(stage.core_s * chip.slowdown[0], one),
                        .mg = cost(stage.medium_s, all),
                        .device = cost(stage.device_s / chip.devices, device),
                        .has_device = stage.has_device,
                        .upload = cost(stage.upload_s / chip.devices, device),
                        .download = cost(stage.download_s / chip.devices, device)});
  }
  for (int n = 1; n <= chip.cores + 1; ++n)
    m.cg.push_back(cost(chip.core_frame_s(n) / n, power_w(chip, {.on_cores = n})));
  return m;
}

}  // namespace tandem::test
