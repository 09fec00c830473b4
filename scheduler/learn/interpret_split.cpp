// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/interpret_split.h"

#include <cstdlib>
#include <utility>

#include "model/split.h"

namespace tandem {
namespace {

// Shares that are as good, in points.
constexpr int kSameShare = 2;

// What each side takes for all rows alone.
std::pair<double, double> wholes_s(const Chain& chain, const Measurements& m) {
  double cores_s = 0, device_s = 0;
  for (int k = 0; k < chain.stages; ++k) {
    const StageMeasurements& stage = m.stages[k];
    if (!stage.can_split) continue;
    cores_s += stage.mg.seconds;
    device_s += stage.device.seconds;
    if (k == 0 || !m.stages[k - 1].can_split) device_s += stage.upload.seconds;
    if (k + 1 < chain.stages && !m.stages[k + 1].can_split) device_s += stage.download.seconds;
  }
  return {cores_s, device_s};
}

// The other stages of the frame keep one side busy as well.
SplitWatts watts_of(const Observation& seen, const Domains& domains, const WattsOfWholes& wholes) {
  double cores_s = seen.split_cores_s, device_s = seen.split_device_s;
  for (std::size_t k = 0; k < seen.stages.size(); ++k) {
    const Side side = seen.configuration.mapping.side(static_cast<int>(k));
    if (side == Side::c) cores_s += seen.stages[k].seconds;
    if (side == Side::g) device_s += seen.stages[k].seconds;
  }
  return watts_of_split(watts_of(wholes.cores, domains), watts_of(wholes.device, domains),
                        watts_of(seen.watts, domains), cores_s / seen.frame_s,
                        device_s / seen.frame_s);
}

}  // namespace

double watts_of(const Energy& power, const Domains& domains) {
  double sum = 0;
  bool any = false;
  for (const auto& [watts, domain] :
       {std::pair{power.c, domains.c}, {power.g, domains.g}, {power.u, domains.u}}) {
    if (domain == Domain::absent) continue;
    any = true;
    sum += watts;
  }
  return any ? sum : kUnknown;
}

bool is_whole_split(const Observation& seen, const Chain& chain) {
  return !seen.in_vain && seen.configuration.frames_at_once == 1 &&
         seen.configuration.mapping.split_stages() == splittable(chain);
}

Split split_of(std::span<const Observation> seen, const Chain& chain,
               const Measurements& measurements, const WattsOfWholes& wholes) {
  const Observation& latest = seen.back();
  const int ran = latest.configuration.cpu_share;
  const double share = ran / 100.0;
  Split split;
  if (seen.size() > 1) {
    const Observation& before = seen[seen.size() - 2];
    const double other = before.configuration.cpu_share / 100.0;
    split.cores = side_of(other, before.split_cores_s, share, latest.split_cores_s);
    split.device = side_of(1 - other, before.split_device_s, 1 - share, latest.split_device_s);
  } else {
    const auto [cores_s, device_s] = wholes_s(chain, measurements);
    split.cores = side_of(1, cores_s, share, latest.split_cores_s);
    split.device = side_of(1, device_s, 1 - share, latest.split_device_s);
  }
  const SplitWatts watts = watts_of(latest, measurements.domains, wholes);
  split.static_w = watts.static_w;
  split.cores_w = watts.cores_w;
  split.device_w = watts.device_w;
  const int to_run = share_to_run(split);
  split.cpu_share = to_run > 0 && std::abs(to_run - ran) <= kSameShare ? ran : to_run;
  return split;
}

}  // namespace tandem
