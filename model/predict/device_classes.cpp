// SPDX-License-Identifier: LGPL-2.1-or-later
// Device classes, a letter each: docs/model.md, "Letters".
#include "model/predict/device_classes.h"

#include <algorithm>
#include <array>

namespace tandem {
namespace {

LetterMeasurements::Stage stage_on(const Measurements& m, int letter, int k) {
  if (letter > 0) {
    if (letter > std::ssize(m.further)) return {};
    return m.further[letter - 1].stages[k];
  }
  const StageMeasurements& stage = m.stages[k];
  return {stage.has_device, stage.device.seconds, stage.upload.seconds, stage.download.seconds};
}

/// Times of one frame on the devices of a letter, with all of them.
struct OnLetter {
  double upload_s = 0, kernels_s = 0, download_s = 0;
  double cores_s = 0;  ///< the same stages on the cores
  bool used = false;

  // As Model::use_lanes, without the overlap of kernels where that was not measured.
  double frame_s(int lanes, double kernel_factor) const {
    const double kernels = kernel_factor * kernels_s;
    const double longest = std::max({upload_s, kernels, download_s});
    return longest + (upload_s + kernels + download_s - longest) / lanes;
  }
};

double lane_factor(const Measurements& m, int letter, int lanes) {
  const double factor = m.lane_factors[lanes - 1].seconds;
  return letter == 0 && known(factor) ? factor : 1;
}

int devices_of(const Measurements& m, int letter) {
  return letter == 0 ? m.devices : m.further[letter - 1].devices;
}

double device_cores_of(const Measurements& m, int letter) {
  return letter == 0 ? m.device_cores : m.further[letter - 1].device_cores;
}

/// A frame's costs under a mapping.
struct FrameCosts {
  std::array<OnLetter, kMaxLetters> on{};
  double cores_s = 0, all_s = 0;  ///< 'c' stages, all stages: on a core, or on all together
  double serial_s = 0;            ///< the longest serial stage on the cores
  bool possible = true;
};

FrameCosts costs_of(const Measurements& m, const Mapping& mapping, Granularity granularity) {
  FrameCosts costs;
  for (int k = 0; k < mapping.stages; ++k) {
    const StageMeasurements& stage = m.stages[k];
    const double cores_s = granularity == Granularity::medium ? stage.mg.seconds : stage.cg.seconds;
    costs.all_s += cores_s;
    if (!mapping.on_device(k)) {
      costs.cores_s += cores_s;
      if (stage.serial) costs.serial_s = std::max(costs.serial_s, cores_s);
      costs.possible = costs.possible && stage.has_cpu && !mapping.split(k);
      continue;
    }
    const int letter = letter_of(mapping.side(k));
    const LetterMeasurements::Stage here = stage_on(m, letter, k);
    costs.possible = costs.possible && here.works && known(here.seconds);
    OnLetter& on = costs.on[letter];
    on.used = true;
    on.kernels_s += here.seconds;
    on.cores_s += cores_s;
    if (k == 0 || mapping.side(k - 1) != mapping.side(k)) on.upload_s += here.upload_s;
    if (k + 1 < mapping.stages && mapping.side(k + 1) != mapping.side(k))
      on.download_s += here.download_s;
  }
  return costs;
}

// The rate at which the cores keep up with the work that the devices leave to them. The cores alone
// compute `cores_fps` whole frames. A letter serves `most_fps` frames, the cores the rest.
double balanced_fps(const FrameCosts& costs, const std::array<double, kMaxLetters>& most_fps,
                    double cores_fps) {
  // Work of the cores by frame rate: it grows faster from each letter's rate on.
  double slope = costs.cores_s / costs.all_s, offset = 0;
  std::array<bool, kMaxLetters> passed{};
  for (;;) {
    int next = -1;
    for (int letter = 0; letter < kMaxLetters; ++letter) {
      const bool earlier = next < 0 || most_fps[letter] < most_fps[next];
      if (costs.on[letter].used && !passed[letter] && earlier) next = letter;
    }
    if (next < 0) break;
    if (slope * most_fps[next] - offset >= cores_fps) break;
    const double share = costs.on[next].cores_s / costs.all_s;
    slope += share;
    offset += share * most_fps[next];
    passed[next] = true;
  }
  return (cores_fps + offset) / slope;
}

}  // namespace

Prediction predict_device_classes(const Measurements& m, const Configuration& configuration) {
  const Mapping& mapping = configuration.mapping;
  const bool medium = configuration.granularity == Granularity::medium;
  if (mapping.stages != std::ssize(m.stages) || configuration.frames_at_once > 1 ||
      configuration.threads < 1 || configuration.threads > m.cores + 1)
    return {};
  const FrameCosts costs = costs_of(m, mapping, configuration.granularity);
  if (!costs.possible || !known(costs.all_s)) return {};
  int devices = 0;
  for (int letter = 0; letter < kMaxLetters; ++letter)
    if (costs.on[letter].used) devices += devices_of(m, letter);
  // Threads that serve devices compute nothing, unless 'c' stages leave them nothing else.
  int on_cores = configuration.threads - std::min(configuration.threads, devices);
  if (on_cores == 0 && costs.cores_s > 0) on_cores = configuration.threads;
  if (medium) on_cores = m.cores;
  const double crowding =
      m.crowding.empty() ? 1 : m.crowding[std::min<std::size_t>(on_cores, m.crowding.size() - 1)];
  std::array<double, kMaxLetters> most_fps{};
  double device_cores = 0, latency_s = costs.cores_s, least_fps = 0;
  for (int letter = 0; letter < kMaxLetters; ++letter) {
    const OnLetter& on = costs.on[letter];
    if (!on.used) continue;
    const double frame_s =
        crowding * on.frame_s(configuration.lanes, lane_factor(m, letter, configuration.lanes));
    most_fps[letter] = 1 / frame_s;
    least_fps = least_fps == 0 ? 1 / frame_s : std::min(least_fps, 1 / frame_s);
    latency_s += devices_of(m, letter) * configuration.lanes * frame_s;
    device_cores += device_cores_of(m, letter);
  }
  double cores_fps = 0;
  if (on_cores > 0) {
    const double frame_s = medium ? costs.all_s : m.cg[on_cores - 1].seconds;
    if (!known(frame_s)) return {};
    cores_fps = 1 / frame_s;
    latency_s = std::max(latency_s, medium ? 2 * frame_s : on_cores * frame_s);
  }
  double fps = cores_fps > 0 ? balanced_fps(costs, most_fps, cores_fps) : least_fps;
  const double busy_cores = std::min(on_cores, m.cores) + device_cores;
  if (device_cores > 0) fps /= std::max(1.0, busy_cores / m.cores);
  if (costs.serial_s > 0) fps = std::min(fps, 1 / costs.serial_s);
  if (m.window > 0) fps = std::min(fps, (m.window + 1) / latency_s);
  return {fps, kUnknown, std::min(1.0, least_fps / fps), kUnknown, latency_s};
}

void visit_device_classes(const Measurements& m, const std::function<void(const Mapping&)>& visit) {
  const int stages = static_cast<int>(m.stages.size());
  const int sides = 2 + static_cast<int>(m.further.size());  // c, g, h, i
  // Visits the mapping, then those whose last run ends earlier and is followed by up to `more`
  // runs.
  const auto visit_runs = [&](const auto& self, const Mapping& mapping, int last_run,
                              int more) -> void {
    if (mapping.any_further_letter()) visit(mapping);
    for (int first = last_run + 1; first < stages && more > 0; ++first) {
      for (int side = 0; side < sides; ++side) {
        if (static_cast<Side>(side) == mapping.side(last_run)) continue;
        Mapping next = mapping;
        for (int k = first; k < stages; ++k) next.set(k, static_cast<Side>(side));
        self(self, next, first, more - 1);
      }
    }
  };
  for (int side = 0; side < sides; ++side)
    visit_runs(visit_runs, Mapping{(1u << stages) - 1, stages, static_cast<Side>(side)}, 0, 2);
}

}  // namespace tandem
