// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_threads.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "scheduler/learn/worth.h"

namespace tandem {
namespace {

// How far a coupled mapping may be behind the best, and between which numbers of threads there is
// none worth trying.
constexpr double kWorthRefining = 0.25;
constexpr int kSmallGap = 2;
constexpr double kCollapsed = 0.75;  // of what was predicted
constexpr double kHinders = 0.95;    // of what the device does alone
// On the CPU alone: what another number of threads has to promise.
constexpr double kWorthAnExperiment = 0.02;

// Rates of the CPU alone under coarse grain, by the number of threads, as far as they were
// measured.
std::map<int, double> rates_on_cores(const Measurements& measurements,
                                     std::span<const Trial> trials) {
  std::map<int, double> rates;
  for (int n = 1; n <= measurements.cores + 1; ++n)
    if (!measurements.cg_interpolated[n - 1]) rates[n] = 1 / measurements.cg[n - 1].seconds;
  for (const Trial& trial : trials) {
    const Configuration& tried = trial.configuration;
    if (!tried.mapping.any_device() && tried.granularity == Granularity::coarse)
      rates[tried.threads] = trial.measured.throughput_fps;
  }
  return rates;
}

// The most that any number of threads between two measured ones may reach, if each thread more
// gains no more than the one before: it is below the lines through the neighbours on either side.
double most_between(const std::map<int, double>& rates, std::map<int, double>::const_iterator low) {
  const auto high = std::next(low);
  const auto line = [](auto a, auto b, int n) {
    return a->second + (b->second - a->second) * (n - a->first) / (b->first - a->first);
  };
  double most = 0;
  for (int n = low->first + 1; n < high->first; ++n) {
    double here = std::numeric_limits<double>::infinity();
    if (low != rates.begin()) here = line(std::prev(low), low, n);
    if (std::next(high) != rates.end()) here = std::min(here, line(high, std::next(high), n));
    most = std::max(most, here);
  }
  return most;
}

bool collapsed(const Trial& trial) {
  return trial.measured.throughput_fps <= kCollapsed * trial.predicted.throughput_fps;
}

// One thread fewer, where the best has one more than there are cores.
std::optional<Configuration> as_many_as_cores(const Choice& measured, std::span<const Trial> trials,
                                              int cores) {
  Configuration one = measured.best().configuration;
  const bool one_more = one.granularity == Granularity::coarse && one.threads == cores + 1;
  if (!one_more || !one.mapping.any_device() || one.mapping.decoupled()) return std::nullopt;
  one.threads = cores;
  return find_trial(trials, one) ? std::nullopt : std::optional(one);
}

}  // namespace

int collapses(std::span<const Trial> trials, const Configuration& configuration) {
  std::set<int> threads;
  for (const Trial& trial : trials) {
    const Configuration& tried = trial.configuration;
    if (tried.mapping.any_device() && tried.mapping == configuration.mapping &&
        tried.granularity == configuration.granularity && tried.lanes <= configuration.lanes &&
        collapsed(trial))
      threads.insert(tried.threads);
  }
  return static_cast<int>(threads.size());
}

std::optional<Configuration> between_the_tried(const Choice& measured,
                                               std::span<const Trial> trials, int cores) {
  const auto coupled =
      std::find_if(measured.ranked.begin(), measured.ranked.begin() + measured.count,
                   [](const Candidate& candidate) {
                     const Mapping& mapping = candidate.configuration.mapping;
                     return mapping.any_device() && !mapping.any_split();
                   });
  if (coupled == measured.ranked.begin() + measured.count ||
      worth_switching(coupled->prediction, measured.best().prediction, measured.objective,
                      kWorthRefining))
    return std::nullopt;
  Configuration between{coupled->configuration.mapping, Granularity::coarse, 0,
                        coupled->configuration.lanes};
  const auto same = [&](const Trial& trial) {
    return trial.configuration.mapping == between.mapping &&
           trial.configuration.lanes == between.lanes &&
           trial.configuration.granularity == Granularity::coarse;
  };
  const Trial* best = nullptr;
  for (const Trial& trial : trials) {
    if (same(trial) &&
        (!best || worth_switching(best->measured, trial.measured, measured.objective, 0)))
      best = &trial;
  }
  if (!best) {  // under medium grain alone
    between.threads = std::max(1, 3 * cores / 4);
    return between;
  }
  const int at = best->configuration.threads;
  int below = 0, above = cores + 2;
  for (const Trial& trial : trials) {
    const int threads = trial.configuration.threads;
    if (!same(trial)) continue;
    if (threads < at) below = std::max(below, threads);
    if (threads > at) above = std::min(above, threads);
  }
  if (std::max(at - below, above - at) <= kSmallGap) return std::nullopt;
  between.threads = (at + (at - below > above - at ? below : above)) / 2;
  return between;
}

std::optional<Configuration> before_the_collapse(
    std::span<const Trial> trials, const std::function<bool(const Configuration&)>& promises) {
  for (const Trial& trial : trials) {
    const Configuration& tried = trial.configuration;
    // Where lanes fall short of what they promise no number of threads does better.
    if ((!tried.mapping.decoupled() && tried.lanes > 1) || tried.mapping.any_further_letter() ||
        !tried.mapping.any_device() || tried.mapping.any_split() ||
        tried.granularity != Granularity::coarse || !collapsed(trial))
      continue;
    int most = tried.threads - 1, least = most;
    if (most == 0) continue;
    Configuration fewer = tried;
    for (fewer.threads = most; fewer.threads > 1 && promises(fewer); --fewer.threads) {
      if (find_trial(trials, fewer)) break;
      least = fewer.threads;
    }
    fewer.threads = (least + most + 1) / 2;
    if (promises(fewer) && !find_trial(trials, fewer)) return fewer;
  }
  return std::nullopt;
}

std::optional<Configuration> beside_the_best(const Choice& measured, std::span<const Trial> trials,
                                             const Chain& chain, double near) {
  if (needs_latency(measured.objective)) return std::nullopt;
  if (chain.cores > kSomeCores) return as_many_as_cores(measured, trials, chain.cores);
  const auto open = [&](const Configuration& other) {
    const bool possible = other.threads >= 1 && other.threads <= chain.cores + 1;
    return possible && !find_trial(trials, other);
  };
  for (int i = 0; i < measured.count; ++i) {
    const Candidate& candidate = measured.ranked[static_cast<std::size_t>(i)];
    const Mapping& mapping = candidate.configuration.mapping;
    if (!mapping.any_device() || mapping.decoupled() || mapping.any_split() ||
        worth_switching(candidate.prediction, measured.best().prediction, measured.objective, near))
      continue;
    Configuration other = candidate.configuration;
    for (const int more : {-1, 1}) {
      other.threads = candidate.configuration.threads + more;
      if (i == 0 && other.granularity == Granularity::coarse && open(other)) return other;
    }
    other = candidate.configuration;
    other.granularity =
        other.granularity == Granularity::coarse ? Granularity::medium : Granularity::coarse;
    other.threads = chain.cores + 1;
    if (i == 0 && open(other)) return other;
    other = candidate.configuration;
    for (const int lanes : chain.lanes) {
      other.lanes = lanes;
      if (open(other)) return other;
    }
  }
  return std::nullopt;
}

std::optional<Configuration> more_on_cores(const Choice& measured, const Measurements& measurements,
                                           std::span<const Trial> trials) {
  Configuration best = measured.best().configuration;
  if (best.mapping.any_device() || best.granularity == Granularity::medium ||
      measured.objective.metric == Metric::latency)
    return std::nullopt;
  const std::map<int, double> rates = rates_on_cores(measurements, trials);
  const auto at = rates.find(best.threads);
  if (at == rates.end()) return std::nullopt;
  if (std::next(at) == rates.end() && best.threads == measurements.cores) {
    ++best.threads;
    return best;
  }
  const auto worth = [&](auto low) {
    const bool promises = measured.objective.metric != Metric::throughput ||
                          most_between(rates, low) > (1 + kWorthAnExperiment) * at->second;
    return std::next(low)->first - low->first > kSmallGap && promises;
  };
  for (const bool above : {false, true}) {
    if (above ? std::next(at) == rates.end() : at == rates.begin()) continue;
    const auto low = above ? at : std::prev(at);
    if (!worth(low)) continue;
    best.threads = (low->first + std::next(low)->first) / 2;
    return best;
  }
  return std::nullopt;
}

std::optional<Configuration> expected_on_cores(const Choice& measured, const Choice& all,
                                               std::span<const Trial> trials) {
  const Configuration& best = all.best().configuration;
  const bool open = needs_energy(measured.objective) || best.frames_at_once > 1;
  if (all.count == 0 || !open || best.mapping.any_device() || find_trial(trials, best) ||
      !worth_switching(measured.best().prediction, all.best().prediction, measured.objective,
                       margin_of(measured.objective, kWorthAnExperiment)))
    return std::nullopt;
  return best;
}

Configuration device_alone(Configuration configuration, int devices) {
  configuration.granularity = Granularity::coarse;
  configuration.threads = devices;
  configuration.frames_at_once = 1;
  return configuration;
}

std::optional<Configuration> another_driver(const Choice& measured, std::span<const Trial> trials,
                                            const Chain& chain) {
  const Configuration& alone = measured.best().configuration;
  if (chain.cores <= kSomeCores || !alone.mapping.any_device() || !alone.mapping.decoupled() ||
      alone.mapping.any_split() || alone != device_alone(alone, chain.devices))
    return std::nullopt;
  const auto in_the_way = [&](const Configuration& other) {
    return std::ranges::any_of(trials, [&](const Trial& trial) {
      const Configuration& before = trial.configuration;
      if (before.threads != other.threads || before.mapping != other.mapping ||
          before.granularity != other.granularity)
        return false;
      const Trial* without = find_trial(trials, device_alone(before, chain.devices));
      return without && trial.measured.throughput_fps < kHinders * without->measured.throughput_fps;
    });
  };
  Configuration thread = alone, medium = alone;
  ++thread.threads;
  medium.granularity = Granularity::medium;
  medium.threads = chain.cores + 1;
  for (const Configuration& other : {thread, medium})
    if (!find_trial(trials, other) && !in_the_way(other)) return other;
  return std::nullopt;
}

}  // namespace tandem
