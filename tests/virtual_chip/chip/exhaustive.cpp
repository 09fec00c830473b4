// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/exhaustive.h"

#include <algorithm>

#include "model/latency_sketch.h"
#include "tests/virtual_chip/chip/simulation.h"

namespace tandem::test {
namespace {

constexpr int kGlanceFrames = 150, kLookFrames = 2000;
constexpr std::size_t kFinalists = 5;
constexpr int kShareStep = 3;    // of split frames, in percent
constexpr double kNearly = 1.1;  // a glance at latency may be off by that

}  // namespace

double Steady::value(Metric metric) const {
  if (metric == Metric::latency) return 1 / latency_s;
  if (metric == Metric::energy) return 1 / energy_j;
  return metric == Metric::throughput ? throughput_fps : throughput_fps / energy_j;
}

namespace {

Steady run(Simulation& simulation, const Chip& chip, int frames) {
  for (int i = 0; i < chip.window + 4 * (chip.cores + 1); ++i) simulation.next();
  const double begin_s = simulation.now_s(), begin_j = simulation.energy().joules().sum();
  LatencySketch latency;
  for (int i = 0; i < frames; ++i) latency.add(simulation.next().times.latency_ns());
  return {frames / (simulation.now_s() - begin_s),
          (simulation.energy().joules().sum() - begin_j) / frames, latency.percentile_s(95)};
}

}  // namespace

Steady run_steadily(const Chip& chip, const Configuration& configuration, unsigned seed, int frames,
                    bool cpu_fallback) {
  Simulation simulation(chip, seed);
  simulation.configure(configuration);
  simulation.set_cpu_fallback(cpu_fallback);
  return run(simulation, chip, frames);
}

Steady run_one_by_one(const Chip& chip, const Configuration& configuration, unsigned seed,
                      int frames) {
  Simulation simulation(chip, seed);
  simulation.configure(configuration, false, true);
  return run(simulation, chip, frames);
}

Exhaustive::Exhaustive(const Chip& chip, unsigned seed) : chip_(chip), seed_(seed) {
  const int stages = static_cast<int>(chip.stages.size());
  std::vector<int> shares;
  for (int share = kShareStep; share < 100; share += kShareStep) shares.push_back(share);
  for (const Configuration& c : all_configurations(
           stages, chip.cores, chip.device_capable(), chip.lanes(),
           1 + static_cast<int>(chip.further.size()), chip.device_only(), chip.can_split(), shares))
    all_.push_back({c, run_steadily(chip, c, seed, kGlanceFrames)});
}

Exhaustive::Entry Exhaustive::best(Metric metric) const {
  const auto better = [&](const Entry& a, const Entry& b) {
    return a.steady.value(metric) > b.steady.value(metric);
  };
  std::vector<Entry> ahead(std::min(kFinalists, all_.size()));
  std::partial_sort_copy(all_.begin(), all_.end(), ahead.begin(), ahead.end(), better);
  for (Entry& entry : ahead) entry.steady = look(entry.configuration);
  return *std::min_element(ahead.begin(), ahead.end(), better);
}

std::optional<Exhaustive::Entry> Exhaustive::fastest_below(double latency_s) const {
  std::vector<Entry> rest = all_;
  std::ranges::sort(rest, std::greater<>{},
                    [](const Entry& entry) { return entry.steady.throughput_fps; });
  for (const Entry& entry : rest) {
    if (entry.steady.latency_s > kNearly * latency_s) continue;
    const Steady longer = look(entry.configuration);
    if (longer.latency_s <= latency_s) return Entry{entry.configuration, longer};
  }
  return std::nullopt;
}

Steady Exhaustive::look(const Configuration& configuration) const {
  return run_steadily(chip_, configuration, seed_ + 1, kLookFrames);
}

}  // namespace tandem::test
