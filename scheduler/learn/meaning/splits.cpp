// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/splits.h"

#include <algorithm>
#include <utility>

#include "model/split.h"

namespace tandem {
namespace {

// By how much what is known of shares may be wrong about another. One share does not tell fixed
// times from those of rows.
constexpr double kMayErr = 0.15, kOneMayErr = 1;

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

struct Splitting {
  const Facts& facts;
  const Findings& findings;
  const Objective& objective;
  const Constraints& allowed;

  std::optional<Plan> next() const {
    if (!may_split()) return std::nullopt;
    Plan plan{half()};
    const std::vector<ShareTried> tried = shares_tried(facts.observations, facts.chain);
    if (tried.empty()) {
      if (in_vain() || !promises()) return std::nullopt;
      return plan;
    }
    const auto share = next_share(tried, wholes_alone(facts.chain, findings.measurements));
    if (!share) return std::nullopt;
    plan.configuration.cpu_share = *share;
    if (!may_gain(plan.configuration, tried.size() == 1 ? kOneMayErr : kMayErr))
      return std::nullopt;
    return plan;
  }

  bool may_split() const {
    return splittable(facts.chain) != 0 && !allowed.threads &&
           allowed.granularity != Granularity::coarse && allowed.cpu_share.value_or(1) > 0 &&
           allowed.frames_at_once == 1 && (!allowed.mapping || allowed.mapping->any_split());
  }

  // The other stages where they take less time.
  Configuration half() const {
    const Chain& chain = facts.chain;
    Mapping mapping = allowed.mapping.value_or(Mapping{splittable(chain), chain.stages, Side::s});
    for (int k = 0; k < chain.stages; ++k) {
      const StageMeasurements& stage = findings.measurements.stages[k];
      if (allowed.mapping || mapping.split(k) || !stage.has_device) continue;
      const double device_s = stage.upload.seconds + stage.device.seconds + stage.download.seconds;
      if (!stage.has_cpu || device_s < stage.mg.seconds) mapping.set(k, Side::g);
    }
    return {mapping, Granularity::medium, chain.cores + 1, 1, 1, kHalfOfTheRows};
  }

  // The device takes no rows: a program that does not build, say.
  bool in_vain() const {
    return std::ranges::any_of(facts.observations, [](const Observation& seen) {
      return seen.in_vain && seen.configuration.mapping.any_split();
    });
  }

  // By what is known of other shares.
  bool may_gain(const Configuration& split, double may_err) const {
    if (allowed.mapping) return true;
    const Choice whole = best_whole();
    return whole.count == 0 ||
           worth_switching(whole.best().prediction, predict(findings.measurements, split),
                           whole.objective, -may_err);
  }

  // As if rows were all that takes time, and all that either side draws alone were static. Where
  // frames may overlap no split has more throughput: both sides are busy with different frames.
  bool promises() const {
    if (allowed.mapping) return true;
    if (!allowed.granularity && !needs_latency(objective) && !needs_energy(objective)) return false;
    Measurements m = findings.measurements;
    const Configuration split = half();
    Split& best = m.split;
    best.cores = best.device = {0, 0};
    Mapping on_cores{0, facts.chain.stages}, on_device{splittable(facts.chain), on_cores.stages};
    for (int k = 0; k < facts.chain.stages; ++k) {
      if (!split.mapping.split(k)) continue;
      best.cores.rows_s += m.stages[k].mg.seconds;
      best.device.rows_s += m.stages[k].device.seconds;
    }
    const double cores_w = power_w(on_cores), device_w = power_w(on_device);
    best.static_w = std::min(cores_w, device_w);
    best.cores_w = cores_w - best.static_w;
    best.device_w = device_w - best.static_w;
    Configuration balanced = split;
    balanced.cpu_share = std::max(1, share_to_run(best));
    const Choice whole = best_whole();
    return whole.count == 0 || worth_switching(whole.best().prediction, predict(m, balanced),
                                               whole.objective, kSplitGain);
  }

  double power_w(const Mapping& mapping) const {
    return predict(findings.measurements, mapping.any_device()
                                              ? Configuration{mapping, Granularity::coarse, 1}
                                              : Configuration{mapping, Granularity::medium})
        .power_w;
  }

  Choice best_whole() const {
    Constraints whole = allowed;
    whole.cpu_share = 0;
    return choose(findings.measurements, objective, whole, findings.trials);
  }
};

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

std::optional<Plan> next_split(const Facts& facts, const Findings& findings,
                               const Objective& objective, const Constraints& allowed) {
  return Splitting{facts, findings, objective, allowed}.next();
}

}  // namespace tandem
