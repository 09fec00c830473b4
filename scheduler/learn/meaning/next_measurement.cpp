// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/next_measurement.h"

#include <algorithm>

#include "scheduler/learn/meaning/regime.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// The least part by which twice as many lanes have to raise the rate.
constexpr double kLaneGain = 0.05;
// How many times longer than its share of the other stages the device may take.
constexpr double kKeepsUp = 2;
// The parts of the device's rate that all cores reach together under medium grain, and if they do
// not get in each other's way, where they are not worth measuring.
constexpr double kLittleAtOnce = 0.05, kLittle = 0.2;
// Lanes that leave frames for a core.
constexpr int kFewLanes = 2;
// How many times as long as by medium grain stages may take on cores that all compute them.
constexpr double kContradicts = 1.75;
// The part of a core that stages without a device may keep busy at the device's rate.
constexpr double kSomeOfACore = 0.5;

// A frame on all cores, if they do not get in each other's way.
double cores_s(const Measurements& m) { return m.cg[0].seconds / m.cores; }

// Whether the joules of the cores and those of the device at work beside them are counted apart.
bool tells_sides_apart(const Domains& domains) {
  return domains.c != Domain::additive && domains.g != Domain::additive &&
         domains.u != Domain::additive;
}

class Measuring {
 public:
  Measuring(const Facts& facts, const Findings& findings, const Objective& objective,
            const Constraints& allowed)
      : chain_(facts.chain),
        observations_(facts.observations),
        measurements_(findings.measurements),
        objective_(objective),
        allowed_(allowed) {}

  std::optional<Plan> next() const {
    if (const auto plan = next_on_device()) return plan;
    const uint32_t all = (1u << chain_.stages) - 1;
    if (chain_.device_only == all) return std::nullopt;
    const Plan medium{{on_cores(), Granularity::medium, chain_.cores + 1}};
    if (!keeps_up_with_cores() && !made(medium)) return medium;
    if (chain_.device_only != 0) return next_beside_device_only();
    return waits_for_cores() ? once_more() : next_on_cores();
  }

 private:
  // As far as the CPU can compute them.
  Mapping on_cores() const { return {chain_.device_only, chain_.stages}; }

  // No core computes whole frames there. Its times for the stages that it has are measured while
  // the others wait for the device one by one. More cores are thought to add up, and trials show
  // it.
  std::optional<Plan> next_beside_device_only() const {
    Configuration one = alone_on_device();
    one.mapping = on_cores();
    const Plan apart{one, Kind::stages};
    return made(apart) ? std::nullopt : std::optional(apart);
  }

  bool made(const Plan& plan) const {
    return std::ranges::any_of(observations_, [&](const Observation& seen) {
      return seen.kind == plan.kind && seen.configuration == plan.configuration;
    });
  }

  std::optional<Plan> next_on_device() const {
    if (chain_.device_capable == 0) return std::nullopt;
    const Plan apart{beside_all_cores(), Kind::stages};
    if (!made(apart)) return apart;
    if (waits_for_cores()) return std::nullopt;
    const auto with = [this](int lanes) {
      Configuration device = alone_on_device();
      device.lanes = lanes;
      return Plan{device};
    };
    if (!made(with(1)) && !one_lane()) return with(1);
    double before = 1;  // X(S) / X(1) of half as many
    for (const int lanes : chain_.lanes) {
      if (!made(with(lanes))) return with(lanes);
      const double gain = 1 / measurements_.lane_factors[lanes - 1].seconds;
      if (!(gain >= before * (1 + kLaneGain))) break;
      before = gain;
    }
    return std::nullopt;
  }

  // A frame may wait for the cores where some stages are theirs alone. They are at work then,
  // unless there are few or their joules have to be told from those of the device. A serial stage
  // keeps no more than one of them at work.
  Configuration beside_all_cores() const {
    Configuration all = alone_on_device();
    if (may_wait_for_cores() && !waits_for_one_core()) all.threads = chain_.cores + 1;
    return all;
  }

  bool may_wait_for_cores() const {
    const bool joules = !needs_energy(objective_) || tells_sides_apart(chain_.domains);
    const bool parts = !alone_on_device().mapping.decoupled() && chain_.device_only == 0;
    return parts && chain_.cores > kFewCores && joules;
  }

  // Whether all stages without a device are serial.
  bool waits_for_one_core() const {
    return (chain_.device_capable | chain_.serial_stages) == (1u << chain_.stages) - 1;
  }

  bool is_open() const { return !allowed_.mapping && !allowed_.granularity && !allowed_.threads; }

  // The observation of the device's stages one by one, if it took frames. Where they were measured
  // twice, the second one.
  const Observation* apart() const {
    const Observation* last = nullptr;
    for (const Observation& seen : observations_)
      if (seen.kind == Kind::stages && (!last || seen.configuration == last->configuration))
        last = &seen;
    return last && !last->in_vain ? last : nullptr;
  }

  // The same beside all cores, where these took much longer than the processor time of medium grain
  // tells: they made memory, or something else was at work. Nothing else is measured of them.
  std::optional<Plan> once_more() const {
    const Observation* found = apart_from_cores();
    if (!found || std::ranges::count(observations_, Kind::stages, &Observation::kind) > 1)
      return std::nullopt;
    const double cores = chain_.cores;
    const auto medium = std::ranges::find_if(observations_, [](const Observation& seen) {
      return seen.configuration.granularity == Granularity::medium && !is_trial(seen.kind);
    });
    if (medium == observations_.end()) return std::nullopt;
    const double at_work = std::clamp(medium->cpu_s / medium_s(measurements_), 1.0, cores);
    double core_s = 0, all_s = 0;
    for (int k = 0; k < chain_.stages; ++k) {
      if (found->configuration.mapping.on_device(k)) continue;
      core_s += found->stages[k].seconds;
      all_s += medium->stages[k].seconds;
    }
    return core_s > kContradicts * at_work * all_s
               ? std::optional(Plan{found->configuration, Kind::stages})
               : std::nullopt;
  }

  // The same where a frame may wait for the other stages.
  const Observation* apart_from_cores() const { return may_wait_for_cores() ? apart() : nullptr; }

  // Whether the device takes its stages off all cores as fast as these can do the others, of frames
  // so long that each experiment is dear. The cores alone have all stages to compute, under medium
  // grain as well. With lanes copies are made while the device computes.
  bool keeps_up_with_cores() const {
    const Observation* found = apart_from_cores();
    if (!found || waits_for_one_core() || !is_open() || !is_of_rate_alone(objective_)) return false;
    const Mapping& mapping = found->configuration.mapping;
    double kernels_s = 0, copies_s = 0;
    for (int k = 0; k < chain_.stages; ++k) {
      if (!mapping.on_device(k)) continue;
      kernels_s += found->stages[k].seconds;
      if (k + 1 == chain_.stages || !mapping.on_device(k + 1))
        copies_s += found->stages[k].download_s;
    }
    return found->cores_s > kCheap_s && chain_.cores * kernels_s < found->cores_s &&
           chain_.cores * copies_s < found->cores_s;
  }

  // Whether the device would wait for those stages: the cores at work there are all that is left to
  // find out, and trials show it.
  bool waits_for_cores() const {
    const Observation* found = apart_from_cores();
    if (!found) return false;
    if (keeps_up_with_cores()) return true;
    double device_s = 0;
    for (int k = 0; k < chain_.stages; ++k)
      if (found->configuration.mapping.on_device(k)) device_s += found->stages[k].seconds;
    if (!(found->cores_s > kSomeOfACore * device_s)) return false;
    return waits_for_one_core() ? device_s < found->cores_s
                                : chain_.cores * device_s < kKeepsUp * found->cores_s;
  }

  // Whether all cores would gain less than their measurement costs, and get in the way of the
  // device's driver later. One core and medium grain tell that.
  bool add_little() const {
    if (!is_open() || chain_.cores <= kFewCores || chain_.device_capable == 0 ||
        has_conditions(objective_) || objective_.metric == Metric::energy ||
        objective_.metric == Metric::latency)
      return false;
    const double part = device_s() / medium_s(measurements_);
    return (part < kLittleAtOnce && device_s() < kLittle * cores_s(measurements_)) ||
           (part < kLittle && is_held_up_by_a_core());
  }

  // Whether one core beside the device made the stream too slow for a trial: frames leave in order,
  // and wait for those of each further core as well.
  bool is_held_up_by_a_core() const {
    return std::ranges::any_of(observations_, [&](const Observation& seen) {
      return seen.kind == Kind::beside && cores_beside(seen.configuration, chain_.devices) == 1 &&
             device_s() < kTooSlow * seen.frame_s;
    });
  }

  // Where all cores are faster in a stage one of them has to tell what it takes: medium grain says
  // little of what it computes in one piece.
  bool device_leads_in_each_stage() const {
    return std::ranges::all_of(measurements_.stages, [](const StageMeasurements& stage) {
      return !stage.has_device || stage.device.seconds < stage.mg.seconds;
    });
  }

  // Long frames are not run again as a whole, unless joules or latency count.
  const Observation* one_lane() const {
    const auto found = std::ranges::find_if(observations_, [&](const Observation& seen) {
      const bool whole = seen.kind == Kind::experiment ||
                         (is_of_rate_alone(objective_) && tells_whole_frames(seen));
      return whole && seen.configuration == alone_on_device();
    });
    return found == observations_.end() || found->in_vain ? nullptr : &*found;
  }

  // From one frame to the next with the device alone and the lanes that do best; unknown where not
  // the device but the cores would be what they wait for.
  double device_s() const {
    const Observation* one = one_lane();
    if (!one) return kUnknown;
    double factor = 1;
    for (const LaneFactor& lanes : measurements_.lane_factors)
      if (known(lanes.seconds)) factor = std::min(factor, lanes.seconds);
    const double frame_s = factor * one->frame_s;
    return one->cores_s > kSomeOfACore * frame_s ? kUnknown : frame_s;
  }

  Configuration alone_on_device() const {
    return {{chain_.device_capable, chain_.stages},
            Granularity::coarse,
            std::min(chain_.devices, chain_.cores + 1)};
  }

  std::optional<Plan> next_on_cores() const {
    for (int n = 1; n <= chain_.cores + 1; ++n) {
      if ((n > 1 || device_leads_in_each_stage()) && add_little()) return std::nullopt;
      const bool beside = beside_device_is_enough(n);
      const auto plan = beside ? beside_device(n) : alone(n);
      if (plan && !(beside ? made_beside(n) : made(*plan))) return plan;
    }
    return std::nullopt;
  }

  // With whatever lanes, except where fewer may leave a frame for the core.
  bool made_beside(int cores) const {
    return std::ranges::any_of(observations_, [&](const Observation& seen) {
      return seen.kind == Kind::beside && !takes_all_frames(seen) &&
             cores_beside(seen.configuration, chain_.devices) == cores;
    });
  }

  // Whether many lanes left no frame of the source for a core.
  bool takes_all_frames(const Observation& seen) const {
    return seen.kind == Kind::beside && seen.in_vain && seen.configuration.lanes > kFewLanes &&
           cores_beside(seen.configuration, chain_.devices) == 1;
  }

  std::optional<Plan> alone(int n) const {
    if (!tells(n) && allowed_.threads != n) return std::nullopt;
    Plan plan{{on_cores(), Granularity::coarse, n}};
    plan.meters = meters_cores();
    return plan;
  }

  // Numbers of threads with an experiment: few tell the others, which lie between them.
  bool tells(int n) const {
    const int cores = chain_.cores;
    // A thread that computes for so long leaves no core to one more.
    if (n == cores + 1) return cores <= kFewCores && !(measurements_.cg[0].seconds > kCheap_s);
    if (cores <= kFewCores || n == 1 || n == cores) return true;
    return (n == cores / 2 || n == 3 * cores / 4);
  }

  // On n cores, with the fewest lanes that do best and leave frames for a core.
  std::optional<Plan> beside_device(int n) const {
    Configuration both = alone_on_device();
    both.threads += n;
    if ((n != 1 && n != 3 * chain_.cores / 4) || both.threads > chain_.cores + 1)
      return std::nullopt;
    for (int lanes = 2; lanes <= kMaxLanes; ++lanes) {
      const double factor = measurements_.lane_factors[lanes - 1].seconds;
      const double best = measurements_.lane_factors[both.lanes - 1].seconds;
      if (known(factor) && factor * (1 + kLaneGain) < best) both.lanes = lanes;
    }
    if (std::ranges::any_of(observations_,
                            [this](const Observation& seen) { return takes_all_frames(seen); }))
      both.lanes = kFewLanes;
    Plan plan{both, Kind::beside};
    plan.meters = meters_cores();
    return plan;
  }

  // Under medium grain the device was as idle as it is beside any number of threads.
  bool meters_cores() const {
    return chain_.domains.c != Domain::absent || chain_.domains.u != Domain::absent;
  }

  // Whether what n cores do beside the device at work tells all that matters of them.
  bool beside_device_is_enough(int n) const {
    if (chain_.device_capable == 0) return false;
    const auto plan = beside_device(1);
    if (!plan || !known(device_s())) return false;
    if (needs_energy(objective_) && !tells_sides_apart(chain_.domains)) return false;
    if (!made_beside(1))
      return n == 1 && allowed_(plan->configuration) && !is_made_of_cores(measurements_);
    const bool in_vain = !known(measurements_.cg[0].seconds) || made(*alone(1));
    if (in_vain) return false;  // no frame came to the core
    return n == 1 || !(cores_s(measurements_) < device_s());
  }

  const Chain& chain_;
  const std::vector<Observation>& observations_;
  const Measurements& measurements_;
  const Objective& objective_;
  const Constraints& allowed_;
};

}  // namespace

std::optional<Plan> next_measurement(const Facts& facts, const Findings& findings,
                                     const Objective& objective, const Constraints& allowed) {
  return Measuring(facts, findings, objective, allowed).next();
}

}  // namespace tandem
