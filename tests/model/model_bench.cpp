// SPDX-License-Identifier: LGPL-2.1-or-later
// The model for 384 configurations (s = 6, nC = 4), which Vilches (section V-C) evaluates in less
// than 10 microseconds.
#include <benchmark/benchmark.h>

#include "model/objective.h"
#include "model/stream_model.h"

namespace tandem {
namespace {

Measurements six_stages_on_four_cores() {
  Measurements m;
  m.cores = 4;
  m.domains = {Domain::dominant, Domain::dominant, Domain::dominant};
  m.tdp_w = 77;
  m.window = 64;
  for (int k = 1; k <= 6; ++k) {
    const double t = 1e-3 * k;
    m.stages.push_back({.cg = {t, {20 * t, 0, 5 * t}},
                        .mg = {0.3 * t, {60 * t, 0, 6 * t}},
                        .device = {t * (7 - k) / 4, {2 * t, 9 * t, 5 * t}},
                        .has_device = true,
                        .upload = {1e-4, {0, 0, 0}},
                        .download = {1e-4, {0, 0, 0}}});
  }
  for (int n = 1; n <= 5; ++n) {
    const double t = 21e-3 / (n < 4 ? n : 4);
    m.cg.push_back({t, {0.42, 0, 0.1}});
  }
  return m;
}

void choose_of_384(benchmark::State& state, Objective objective) {
  const Measurements m = six_stages_on_four_cores();
  while (state.KeepRunning()) benchmark::DoNotOptimize(choose(m, objective));
}
BENCHMARK_CAPTURE(choose_of_384, throughput, Objective{Metric::throughput});
BENCHMARK_CAPTURE(choose_of_384, efficiency, Objective{Metric::efficiency});
BENCHMARK_CAPTURE(choose_of_384, edp, Objective{Metric::edp});
BENCHMARK_CAPTURE(choose_of_384, target, Objective{.target_fps = 100});
BENCHMARK_CAPTURE(choose_of_384, budget, Objective{.power_budget_w = 30});

// The same with 1, 2, 4 and 8 lanes.
void choose_with_lanes(benchmark::State& state, Objective objective) {
  Measurements m = six_stages_on_four_cores();
  for (const int lanes : {2, 4, 8}) m.lane_factors[lanes - 1] = {1 - 0.05 * lanes, 1};
  while (state.KeepRunning()) benchmark::DoNotOptimize(choose(m, objective));
}
BENCHMARK_CAPTURE(choose_with_lanes, throughput, Objective{Metric::throughput});
BENCHMARK_CAPTURE(choose_with_lanes, efficiency, Objective{Metric::efficiency});

// And with stages that can be split, which adds frames on both sides and several at a time.
void choose_with_splits(benchmark::State& state, Objective objective) {
  Measurements m = six_stages_on_four_cores();
  for (StageMeasurements& stage : m.stages) stage.can_split = true;
  m.split = {{1e-4, 7e-3}, {1e-4, 3e-2}, 10, 20, 5, 80};
  while (state.KeepRunning()) benchmark::DoNotOptimize(choose(m, objective));
}
BENCHMARK_CAPTURE(choose_with_splits, throughput, Objective{Metric::throughput});
BENCHMARK_CAPTURE(choose_with_splits, latency, Objective{Metric::latency});

// And with trials, of which `letters` have a device of another kind.
void choose_with_trials(benchmark::State& state, int letters) {
  Measurements m = six_stages_on_four_cores();
  for (const int lanes : {2, 4, 8}) m.lane_factors[lanes - 1] = {1 - 0.05 * lanes, 1};
  m.further = {{.stages = std::vector<LetterMeasurements::Stage>(6, {true, 1e-3})}};
  std::vector<Trial> trials;
  for (int i = 1; i <= 4; ++i) {
    const Side side = i <= letters ? Side::h : Side::g;
    const Configuration tried{{(1u << i) - 1, 6, side}, Granularity::coarse, 4};
    trials.push_back({tried, predict(m, tried), predict(m, tried)});
  }
  while (state.KeepRunning()) benchmark::DoNotOptimize(choose(m, {}, {}, trials));
}
BENCHMARK_CAPTURE(choose_with_trials, none_with_letters, 0);
BENCHMARK_CAPTURE(choose_with_trials, all_with_letters, 4);

void predict_384(benchmark::State& state) {
  const Measurements m = six_stages_on_four_cores();
  while (state.KeepRunning()) {
    double sum = 0;
    Model(m).predict_all([&](const Configuration&, const Prediction& prediction) {
      sum += prediction.throughput_fps + prediction.energy_j;
    });
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(predict_384);

// As many features, networks and settings as the shipped models have.
void rank_20_streams(benchmark::State& state) {
  constexpr std::size_t kFeatures = 14, kUnits = 9;
  StreamModel model;
  StreamFeatures features;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    model.features.push_back({.name = "feature-" + std::to_string(i), .most = 1});
    features[model.features.back().name] = 0.5;
    model.components.emplace_back(kFeatures, 0.1);
    model.scales.push_back(1);
  }
  StreamModel::Network network;
  std::size_t inputs = kFeatures + kCandidateInputs;
  for (const std::size_t outputs : {kUnits, kUnits, kUnits, std::size_t{1}}) {
    network.push_back({inputs, outputs, std::vector<double>(inputs * outputs, 0.1),
                       std::vector<double>(outputs, 0.1)});
    inputs = outputs;
  }
  model.networks.assign(3, network);
  std::vector<StreamCandidate> candidates;
  for (int partitions = 1; partitions <= 16; partitions *= 2)
    for (int tasks = partitions; tasks <= 32; tasks *= 2) candidates.push_back({partitions, tasks});
  while (state.KeepRunning()) benchmark::DoNotOptimize(model.rank(features, candidates));
}
BENCHMARK(rank_20_streams);

}  // namespace
}  // namespace tandem

BENCHMARK_MAIN();
