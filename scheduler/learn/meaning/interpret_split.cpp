// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/interpret_split.h"

#include <algorithm>
#include <utility>

#include "model/split.h"

namespace tandem {
namespace {

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

WholesAlone wholes_alone(const Chain& chain, const Measurements& m) {
  WholesAlone wholes{0, 0};
  for (int k = 0; k < chain.stages; ++k) {
    const StageMeasurements& stage = m.stages[k];
    if (!stage.can_split) continue;
    wholes.cores_s += stage.mg.seconds;
    wholes.device_s += stage.device.seconds;
    if (k == 0 || !m.stages[k - 1].can_split) wholes.device_s += stage.upload.seconds;
    if (k + 1 < chain.stages && !m.stages[k + 1].can_split)
      wholes.device_s += stage.download.seconds;
  }
  return wholes;
}

std::vector<ShareTried> shares_tried(std::span<const Observation> seen, const Chain& chain) {
  std::vector<ShareTried> tried;
  for (const Observation& one : seen) {
    if (is_trial(one.kind) || !one.configuration.mapping.any_split()) continue;
    if (!is_whole_split(one, chain)) continue;
    double others_s = 0;
    for (std::size_t k = 0; k < one.stages.size(); ++k)
      if (!one.configuration.mapping.split(static_cast<int>(k))) others_s += one.stages[k].seconds;
    const double sides_s = std::max(one.split_cores_s, one.split_device_s);
    // A frame that waits for both sides has begun; one that a slow source sends late has not.
    const double whole_s = known(one.service_s) ? std::min(one.service_s, one.frame_s) : 0;
    const double frame_s = whole_s - others_s;
    tried.push_back({one.configuration.cpu_share, one.split_cores_s, one.split_device_s,
                     std::max(sides_s, frame_s)});
  }
  return tried;
}

Split split_of(std::span<const Observation> seen, const Chain& chain,
               const Measurements& measurements, const WattsOfWholes& wholes) {
  const std::vector<ShareTried> tried = shares_tried(seen, chain);
  Split split = split_near_best(tried, wholes_alone(chain, measurements));
  const auto best = std::ranges::find_if(
      seen, [&](const Observation& one) { return one.configuration.cpu_share == split.cpu_share; });
  const SplitWatts watts = watts_of(*best, measurements.domains, wholes);
  split.static_w = watts.static_w;
  split.cores_w = watts.cores_w;
  split.device_w = watts.device_w;
  return split;
}

}  // namespace tandem
