// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_lanes.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

// Of the gain that was expected; less is a surprise.
constexpr double kAsExpected = 0.9;

}  // namespace

std::optional<int> next_lanes(std::span<const int> lanes,
                              const std::array<LaneFactor, kMaxLanes>& factors,
                              const LanePrior& prior, const std::function<bool(int)>& made) {
  const auto gain_of = [&](int n) { return 1 / factors[static_cast<std::size_t>(n) - 1].seconds; };
  const int best = prior.best_of(lanes);
  if (best > 1) {
    const int most = lanes.back();
    if (!made(most)) return most;
    const double doublings = static_cast<double>(lanes.size());
    const double expected = prior.gains[static_cast<std::size_t>(most) - 1];
    const bool gains = gain_of(most) >= std::pow(1 + kLaneGain, doublings);
    const bool loses = gain_of(most) < 1 - kLaneGain;  // so fewer may do better than either
    if (lanes.size() == 1 || !(gains || loses) || !(gain_of(most) < kAsExpected * expected))
      return std::nullopt;
    const int check = best < most ? best : lanes[lanes.size() - 2];
    return made(check) ? std::nullopt : std::optional(check);
  }
  double before = 1;  // what the lanes before gain
  for (const int n : lanes) {
    if (!made(n)) return n;
    if (!(gain_of(n) >= before * (1 + kLaneGain))) break;
    before = gain_of(n);
  }
  return std::nullopt;
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

DeviceFrame device_frame(const Facts& facts) {
  using Kind = Observation::Kind;
  DeviceFrame frame;
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
    const double part = download_s / (stages_s + download_s);
    if (part > 0) frame.download_part = part;
  }
  return frame;
}

}  // namespace tandem
