// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_lanes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tandem {
namespace {

// Of the gain that was expected, or the other way round; less is a surprise.
constexpr double kAsExpected = 0.5;
}  // namespace

bool differ_in_lanes_alone(Configuration a, const Configuration& b) {
  a.lanes = b.lanes;
  return a == b;
}

std::optional<int> next_lanes(std::span<const int> lanes,
                              const std::array<LaneFactor, kMaxLanes>& factors,
                              const LanePrior& prior, const std::function<bool(int)>& made) {
  const auto gain_of = [&](int n) { return 1 / factors[static_cast<std::size_t>(n) - 1].seconds; };
  if (const int best = prior.best_of(lanes); best > 1) {
    if (!made(best)) return best;
    if (as_expected(lanes, factors, prior)) return std::nullopt;
  }
  double before = 1;  // what the lanes before gain
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    // Of greater numbers that were measured each doubling up to there gains enough, on average.
    double enough = before;
    for (std::size_t k = i; k < lanes.size(); ++k) {
      enough *= 1 + kLaneGain;
      if (k > i && made(lanes[k]) && !(gain_of(lanes[k]) >= enough)) return std::nullopt;
    }
    if (!made(lanes[i])) return lanes[i];
    if (!(gain_of(lanes[i]) >= before * (1 + kLaneGain))) return std::nullopt;
    before = gain_of(lanes[i]);
  }
  return std::nullopt;
}

bool as_expected(std::span<const int> lanes, const std::array<LaneFactor, kMaxLanes>& factors,
                 const LanePrior& prior) {
  const int best = prior.best_of(lanes);
  const auto gain_of = [&](int n) { return 1 / factors[static_cast<std::size_t>(n) - 1].seconds; };
  if (best == 1) return gain_of(lanes[0]) < 1 + kLaneGain;
  const double expected = prior.gains[static_cast<std::size_t>(best) - 1] - 1;
  const double gain = gain_of(best) - 1;
  return gain >= kAsExpected * expected && kAsExpected * gain <= expected;
}

std::optional<Configuration> as_few_lanes(Configuration configuration,
                                          std::span<const Trial> trials, int expected) {
  const Mapping& mapping = configuration.mapping;
  if (expected < 2 || configuration.lanes <= expected || !mapping.any_device() ||
      mapping.any_split())
    return std::nullopt;
  configuration.lanes = expected;
  return find_trial(trials, configuration) ? std::nullopt : std::optional(configuration);
}

std::optional<Configuration> unproven_lanes(
    const Choice& measured, std::span<const Trial> trials, const Facts& facts,
    const std::function<bool(const Configuration&)>& worth) {
  const Chain& chain = facts.chain;
  const Configuration& best = measured.best().configuration;
  if (measured_lanes(facts, 1) || !facts.prior.expects_any() || !best.mapping.decoupled() ||
      best.mapping.any_split())
    return std::nullopt;
  const auto with = [](Configuration configuration, int lanes) {
    configuration.lanes = lanes;
    return configuration;
  };
  const int threads = std::min(chain.devices, chain.cores + 1);
  const Configuration alone{best.mapping, Granularity::coarse, threads, best.lanes};
  std::vector<Configuration> around{alone};
  const int expected = facts.prior.best_of(chain.lanes), more = 2 * best.lanes;
  if (best.lanes >= expected && more > 2 && more <= chain.lanes.back())
    around.insert(around.end(), {with(best, more), with(alone, more)});
  if (best.lanes == expected && expected > 1) around.push_back(with(alone, expected / 2));
  const auto next = std::ranges::find_if(
      around, [&](const Configuration& one) { return !find_trial(trials, one) && worth(one); });
  return next == around.end() ? std::nullopt : std::optional(*next);
}

bool measured_lanes(const Facts& facts, int lanes) {
  return std::ranges::any_of(facts.observations, [&](const Observation& seen) {
    return seen.kind == Observation::Kind::experiment && seen.configuration.mapping.any_device() &&
           seen.configuration.lanes == lanes;
  });
}

DeviceFrame device_frame(const Facts& facts) {
  using Kind = Observation::Kind;
  DeviceFrame frame;
  double apart_s = kUnknown;
  const Mapping mapping{facts.chain.device_capable, facts.chain.stages};
  for (const Observation& seen : facts.observations) {
    if (seen.configuration.mapping != mapping || seen.configuration.lanes > 1 || seen.in_vain)
      continue;
    if (seen.kind == Kind::experiment) frame.seconds = seen.frame_s - seen.cores_s;
    if (seen.kind != Kind::stages) continue;
    double stages_s = 0, download_s = 0;
    frame.stages = 0;
    for (int k = 0; k < facts.chain.stages; ++k) {
      if (!mapping.on_device(k)) continue;
      const Observation::StageTimes& times = seen.stages[static_cast<std::size_t>(k)];
      const bool last = k + 1 == facts.chain.stages || !mapping.on_device(k + 1);
      stages_s += times.seconds;
      if (last) download_s += times.download_s;
      ++frame.stages;
    }
    apart_s = stages_s + download_s;
    const double part = download_s / apart_s;
    if (part > 0) frame.download_part = part;
    const double cores = (seen.cpu_s - seen.cores_s) / seen.frame_s;
    if (cores > 0) frame.cores = cores;
  }
  if (!known(frame.seconds)) frame.seconds = apart_s;
  return frame;
}

}  // namespace tandem
