// SPDX-License-Identifier: LGPL-2.1-or-later
// What derive() and choose_derived() make of trials at another size.
#include <gtest/gtest.h>

#include "scheduler/learn/belief/choice.h"
#include "scheduler/learn/keep/derived.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

const Conditions kSmall{"stages", "GRAY8", 640, 360}, kLarge{"stages", "GRAY8", 1280, 720};

Chain many_cores() {
  Chain chain = two_stages();
  chain.cores = 16;
  chain.lanes = {2};
  return chain;
}

/// Of frames that take a core 3 ms and the device 0.2 ms with two lanes. More than two cores do no
/// more than two. `ran`: what was tried, and how many times what the model expects it did.
Learnt learnt(const std::vector<std::pair<Configuration, double>>& ran) {
  const auto cost = [](double seconds) { return Cost{seconds, {}}; };
  Learnt learnt;
  learnt.origin = Learnt::Origin::training;
  learnt.facts.chain = many_cores();
  Measurements& m = learnt.findings.measurements;
  m.cores = learnt.facts.chain.cores;
  const StageMeasurements stage{
      .cg = cost(1.5e-3), .mg = cost(1.5e-3), .device = cost(0.2e-3), .has_device = true};
  m.stages = {stage, stage};
  m.lane_factors[1] = {0.5, 1};
  for (int n = 1; n <= m.cores + 1; ++n) m.cg.push_back(cost(3e-3 / std::min(n, 2)));
  for (const auto& [configuration, times] : ran) {
    const Prediction expected = predict(m, configuration);
    learnt.findings.trials.push_back({configuration, expected, at_ratio(expected, times)});
  }
  return learnt;
}

Learnt derived(const Learnt& of) {
  Knowledge knowledge;
  knowledge[kLarge] = of;
  return derive(kSmall, knowledge, many_cores()).value();
}

double error_of(const Learnt& derived, const Configuration& configuration) {
  const Trial* trial = find_trial(derived.findings.trials, configuration);
  return trial ? trial->measured.throughput_fps / trial->predicted.throughput_fps : kUnknown;
}

Configuration chosen(const Learnt& derived, const Constraints& allowed = {}) {
  return choose_derived(derived, {}, allowed).best().configuration;
}

TEST(DeriveTrialsTest, TrialsErrAsAtTheOtherSize) {
  const Configuration alone = on_device(1, 2), beside = on_device(2, 2);
  const Learnt small = derived(learnt({{alone, 1.1}, {beside, 0.7}}));
  EXPECT_NEAR(error_of(small, alone), 1.1, 1e-9);
  EXPECT_NEAR(error_of(small, beside), 0.7, 1e-9);
  EXPECT_EQ(chosen(small), alone);
  EXPECT_EQ(chosen(derived(learnt({{alone, 1}, {beside, 1.1}}))), beside);
}

// The model expects as much of one lane, which a training may have found to be in the way.
TEST(DeriveTrialsTest, OfThreadsBesideADeviceASimplerNumberOfLanesThatNobodyTriedIsNoEqual) {
  const Cost device{0.02e-3, {}}, core{40e-3, {}};
  Learnt two;
  two.origin = Learnt::Origin::training;
  two.facts.chain = many_cores();
  Measurements& m = two.findings.measurements;
  m.cores = two.facts.chain.cores;
  m.stages = {{.cg = core, .mg = core, .device = device, .has_device = true},
              {.cg = core, .mg = core}};
  m.lane_factors[1] = {1, 1};
  for (int n = 1; n <= m.cores + 1; ++n)
    m.cg.push_back({2 * core.seconds / std::min(n, m.cores), {}});
  const Configuration tried{{1, 2}, Granularity::coarse, 17, 2};
  Configuration one = tried;
  one.lanes = 1;
  const Prediction expected = predict(m, tried);
  ASSERT_NEAR(predict(m, one).throughput_fps, expected.throughput_fps,
              0.01 * expected.throughput_fps);
  two.findings.trials = {{tried, expected, expected}};
  Constraints allowed;
  allowed.threads = tried.threads;
  EXPECT_EQ(chosen(derived(two), allowed), tried);
}

}  // namespace
}  // namespace tandem
