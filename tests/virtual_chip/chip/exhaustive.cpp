// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/exhaustive.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

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

namespace {

constexpr int kAllThreads = 9;  // up to so many numbers, all are glanced at

constexpr std::size_t kSecondRound = 32;
constexpr int kSecondFrames = 600;

/// Glances at configurations of one chip, each once, and keeps those ahead.
class Search {
 public:
  Search(const Chip& chip, unsigned seed, Metric metric)
      : chip_(chip), seed_(seed), metric_(metric) {}

  void glance(const Configuration& configuration) {
    if (std::ranges::find(done_, configuration, &Best::configuration) != done_.end()) return;
    done_.push_back({configuration, run_steadily(chip_, configuration, seed_, kGlanceFrames)});
  }

  std::vector<Best> ahead(std::size_t most) const { return ahead_of(done_, most); }

  Best best() const {
    std::vector<Best> second = ahead(kSecondRound);
    for (Best& one : second)
      one.steady = run_steadily(chip_, one.configuration, seed_ + 2, kSecondFrames);
    std::vector<Best> last = ahead_of(second, kFinalists);
    for (Best& one : last) one.steady = look_at(chip_, seed_, one.configuration);
    return ahead_of(last, 1)[0];
  }

 private:
  std::vector<Best> ahead_of(const std::vector<Best>& all, std::size_t most) const {
    std::vector<Best> ahead(std::min(most, all.size()));
    std::partial_sort_copy(all.begin(), all.end(), ahead.begin(), ahead.end(),
                           [&](const Best& a, const Best& b) {
                             return a.steady.value(metric_) > b.steady.value(metric_);
                           });
    return ahead;
  }

  const Chip& chip_;
  const unsigned seed_;
  const Metric metric_;
  std::vector<Best> done_;
};

std::vector<int> first_threads(int cores) {
  std::vector<int> threads{1, 2};
  for (int eighth = 1; eighth <= 8; ++eighth)
    threads.push_back(static_cast<int>(std::lround(cores * eighth / 8.0)));
  threads.push_back(cores + 1);
  std::ranges::sort(threads);
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

}  // namespace

Best best_of(const Chip& chip, unsigned seed, Metric metric) {
  const std::vector<int> threads = first_threads(chip.cores);
  const bool all = chip.cores + 1 <= kAllThreads;
  Search search(chip, seed, metric);
  for (const Configuration& c : all_configurations(
           static_cast<int>(chip.stages.size()), chip.cores, chip.device_capable(), chip.lanes(),
           1 + static_cast<int>(chip.further.size()), chip.device_only()))
    if (all || c.granularity == Granularity::medium || std::ranges::count(threads, c.threads) > 0)
      search.glance(c);
  if (!all) {
    for (Best& one : search.ahead(kFinalists)) {
      if (one.configuration.granularity == Granularity::medium) continue;
      const auto at = std::ranges::find(threads, one.configuration.threads);
      const int least = at == threads.begin() ? *at : *(at - 1) + 1;
      const int below = at + 1 == threads.end() ? *at + 1 : *(at + 1);
      for (int n = least; n < below; ++n) {
        one.configuration.threads = n;
        search.glance(one.configuration);
      }
    }
  }
  return search.best();
}

Steady look_at(const Chip& chip, unsigned seed, const Configuration& configuration) {
  return run_steadily(chip, configuration, seed + 1, kBestLookFrames);
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
