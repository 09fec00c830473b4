// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/letters.h"

#include <algorithm>

#include "model/predict/device_classes.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// Such configurations that are tried, at most.
constexpr int kMostLetterTrials = 4;

Mapping whole_letter(const Chain& chain, std::size_t letter) {
  const auto side = static_cast<Side>(static_cast<int>(Side::h) + static_cast<int>(letter));
  return {chain.further[letter].capable, chain.stages, side};
}

}  // namespace

// Each stage has a wait behind it, which is short beside what a second device has to gain.
void take_letter(const Observation& seen, const Chain& chain, Measurements& measurements) {
  const Mapping& mapping = seen.configuration.mapping;
  const std::size_t letter = (mapping.letters() & 2) != 0 ? 0 : 1;
  if (seen.in_vain || letter >= chain.further.size()) return;
  std::vector<LetterMeasurements>& further = measurements.further;
  further.resize(chain.further.size());
  for (LetterMeasurements& each : further)
    each.stages.resize(static_cast<std::size_t>(chain.stages));
  LetterMeasurements& of = further[letter];
  of.devices = chain.further[letter].devices;
  // One that waits for the cores in between computes on them all the same.
  const double least_cores = chain.further[letter].on_cores ? 1 : 0;
  of.device_cores = std::clamp<double>(seen.cpu_s / seen.frame_s, least_cores, chain.cores);
  for (int k = 0; k < chain.stages; ++k) {
    if (!mapping.on_device(k)) continue;
    const Observation::StageTimes& stage = seen.stages[static_cast<std::size_t>(k)];
    LetterMeasurements::Stage& here = of.stages[static_cast<std::size_t>(k)];
    here.works = true;
    here.seconds = stage.seconds / of.devices;
    here.download_s = stage.download_s / of.devices;
    if (k + 1 < chain.stages && known(stage.upload_s))
      of.stages[static_cast<std::size_t>(k) + 1].upload_s = stage.upload_s / of.devices;
  }
}

std::optional<Plan> next_letter(const Facts& facts, const Findings& findings,
                                const Objective& objective, const Constraints& allowed) {
  const Chain& chain = facts.chain;
  if (findings.starved || allowed.mapping || allowed.granularity == Granularity::medium ||
      needs_energy(objective) || needs_latency(objective))
    return std::nullopt;
  for (std::size_t letter = 0; letter < chain.further.size(); ++letter) {
    if (chain.further[letter].capable == 0) continue;
    const Plan apart{{whole_letter(chain, letter), Granularity::coarse,
                      std::min(chain.further[letter].devices, chain.cores + 1)},
                     Kind::stages};
    const bool made = std::ranges::any_of(facts.observations, [&](const Observation& seen) {
      return seen.kind == apart.kind && seen.configuration == apart.configuration;
    });
    if (!made) return apart;
  }
  return std::nullopt;
}

std::optional<Configuration> promising_letters(const Facts& facts, const Findings& findings,
                                               const Choice& measured, const Constraints& allowed) {
  const Measurements& m = findings.measurements;
  if (m.further.empty() || measured.count == 0) return std::nullopt;
  if (needs_energy(measured.objective) || needs_latency(measured.objective)) return std::nullopt;
  const auto tried = std::ranges::count_if(facts.observations, [](const Observation& seen) {
    return seen.kind == Kind::glance && seen.configuration.mapping.any_further_letter();
  });
  if (tried >= kMostLetterTrials) return std::nullopt;
  // They err alike: one that falls short speaks against the others.
  double reached = 1;
  for (const Trial& trial : findings.trials) {
    if (!trial.configuration.mapping.any_further_letter()) continue;
    reached = std::min(reached, trial.measured.throughput_fps / trial.predicted.throughput_fps);
  }
  std::optional<Configuration> best;
  double best_fps = (1 + kSplitGain) * measured.best().prediction.throughput_fps;
  const auto offer = [&](const Configuration& configuration) {
    if (!allowed(configuration) || find_trial(findings.trials, configuration)) return;
    const double expected_fps = reached * predict_device_classes(m, configuration).throughput_fps;
    if (!(expected_fps > best_fps)) return;
    best_fps = expected_fps;
    best = configuration;
  };
  visit_device_classes(m, [&](const Mapping& mapping) {
    bool lanes = true;  // all of its letters may have several
    if ((mapping.letters() & 1) != 0) lanes = !facts.chain.lanes.empty();
    for (std::size_t i = 0; i < facts.chain.further.size(); ++i)
      if ((mapping.letters() >> (i + 1) & 1) != 0)
        lanes = lanes && !facts.chain.further[i].lanes.empty();
    for (const int several : {1, 2, 4, 8}) {
      if (several > 1 && !lanes) continue;
      for (const int threads : {1, 2, m.cores / 2, 3 * m.cores / 4, m.cores, m.cores + 1})
        if (threads > 0) offer({mapping, Granularity::coarse, threads, several});
      offer({mapping, Granularity::medium, m.cores + 1, several});
    }
  });
  return best;
}

}  // namespace tandem
