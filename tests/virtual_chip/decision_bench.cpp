// SPDX-License-Identifier: LGPL-2.1-or-later
// Times one decision of a training: the meaning of its facts, and what is tried next.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "model/predict/predict.h"
#include "scheduler/learn/belief/belief.h"
#include "scheduler/learn/belief/next_experiment.h"
#include "tests/virtual_chip/chip/families.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

constexpr std::size_t kFacts = 60;

Chip chip_with(const char* family, int cores, int stages) {
  for (unsigned seed = 0;; ++seed) {
    Chip chip = find_family(family)->chip(seed).chip;
    if (chip.cores == cores && std::ssize(chip.stages) == stages) return chip;
  }
}

/// What a training on a chip knows. Looks at further options make kFacts facts of it.
Facts facts_on(const Chip& chip) {
  Facts facts;
  SimulatedBin bin(chip, 1, {});
  bin.trained([&](const Conditions&, const Learnt& learnt) { facts = learnt.facts; });
  bin.frames_changed("frames");
  bin.run_to_decision(1'000'000);
  const Findings findings = interpret(facts.observations, facts.chain);
  std::vector<Option> options = options_of(facts, findings, {}, {});
  std::ranges::sort(options, std::greater{}, &Option::model);
  for (const Option& option : options) {
    if (facts.observations.size() >= kFacts) break;
    Observation seen;
    seen.configuration = option.configuration;
    seen.kind = Observation::Kind::look;
    seen.frame_s = 1 / option.prediction.throughput_fps;
    seen.lasted_s = 0.25;
    seen.frames = static_cast<int>(seen.lasted_s / seen.frame_s);
    facts.observations.push_back(seen);
  }
  return facts;
}

void decision(benchmark::State& state) {
  const int cores = static_cast<int>(state.range(0)), stages = static_cast<int>(state.range(1));
  const Facts facts = facts_on(chip_with(cores > 8 ? "many-cores" : "plain", cores, stages));
  for (auto _ : state) {
    const Findings findings = interpret(facts.observations, facts.chain);
    benchmark::DoNotOptimize(next_experiment(facts, findings, {}, {}));
  }
  const Findings findings = interpret(facts.observations, facts.chain);
  int configurations = 0;
  Model(findings.measurements).predict_all([&](auto&&...) { ++configurations; });
  state.counters["configurations"] = configurations;
  state.counters["facts"] = static_cast<double>(facts.observations.size());
}
BENCHMARK(decision)
    ->ArgNames({"cores", "stages"})
    ->Args({4, 3})
    ->Args({8, 5})
    ->Args({16, 5})
    ->Args({16, 6})
    ->Args({32, 6})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tandem::test

BENCHMARK_MAIN();
