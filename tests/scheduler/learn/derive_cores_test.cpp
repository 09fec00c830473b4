// SPDX-License-Identifier: LGPL-2.1-or-later
// What derive() and choose_derived() make of cores beside a device, and of lanes.
#include <gtest/gtest.h>

#include "scheduler/learn/derive.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

const AnalyticPredictor kPredictor;
const Conditions kSmall{"stages", "GRAY8", 640, 360}, kLarge{"stages", "GRAY8", 1280, 720};

Chain many_cores() {
  Chain chain = two_stages();
  chain.cores = 16;
  chain.lanes = {2};
  return chain;
}

/// Of frames that take a core `core_s` and the device 0.2 ms with two lanes. More than two cores do
/// no more than two. `ran`: what was tried, and how many times what the model expects it did.
Learnt learnt(double core_s, const std::vector<std::pair<Configuration, double>>& ran) {
  const auto cost = [](double seconds) { return Cost{seconds, {}}; };
  Learnt learnt;
  learnt.origin = Learnt::Origin::training;
  learnt.facts.chain = many_cores();
  Measurements& m = learnt.findings.measurements;
  m.cores = learnt.facts.chain.cores;
  const StageMeasurements stage{
      .cg = cost(core_s / 2), .mg = cost(core_s / 2), .device = cost(0.2e-3), .has_device = true};
  m.stages = {stage, stage};
  m.lane_factors[1] = {0.5, 1};
  for (int n = 1; n <= m.cores + 1; ++n) m.cg.push_back(cost(core_s / std::min(n, 2)));
  for (const auto& [configuration, times] : ran) {
    const Prediction expected = kPredictor.predict(m, configuration);
    learnt.findings.trials.push_back({configuration, expected, at_ratio(expected, times)});
  }
  return learnt;
}

Learnt derived(const Learnt& of) {
  Knowledge knowledge;
  knowledge[kLarge] = of;
  return derive(kSmall, knowledge, many_cores(), kPredictor).value();
}

double error_of(const Learnt& derived, const Configuration& configuration) {
  const Trial* trial = find_trial(derived.findings.trials, configuration);
  return trial ? trial->measured.throughput_fps / trial->predicted.throughput_fps : kUnknown;
}

Configuration chosen(const Learnt& derived, const Constraints& allowed = {}) {
  return choose_derived(derived, {}, allowed, kPredictor).best().configuration;
}

TEST(DeriveCoresTest, CoresBesideADeviceWereLuckyAtAnotherSize) {
  const Configuration alone = on_device(1, 2), beside = on_device(2, 2);
  EXPECT_NEAR(error_of(derived(learnt(3e-3, {{beside, 1.18}})), beside), 1.02, 1e-9);
  EXPECT_NEAR(error_of(derived(learnt(3e-3, {{beside, 0.8}})), beside), 0.8, 1e-9);
  const Learnt both = derived(learnt(3e-3, {{alone, 1.5}, {beside, 1.7}}));
  EXPECT_NEAR(error_of(both, alone), 1.5, 1e-9);
  EXPECT_NEAR(error_of(both, beside), 1.53, 1e-9);
}

TEST(DeriveCoresTest, CoresThatAddLittleAreLeftOutAtAnotherSize) {
  const Configuration alone = on_device(1, 2), beside = on_device(2, 2);
  EXPECT_EQ(chosen(derived(learnt(3e-3, {{alone, 1}, {beside, 1}}))), alone) << "a core adds 7%";
  EXPECT_EQ(chosen(derived(learnt(1.5e-3, {{alone, 1}, {beside, 1}}))), beside) << "it adds 13%";
  Learnt same = learnt(3e-3, {{alone, 1}, {beside, 1}});
  same.origin = Learnt::Origin::slower;
  EXPECT_EQ(chosen(same), beside);
}

// The model expects as much of one lane, which a training may have found to be in the way.
TEST(DeriveCoresTest, OfThreadsBesideADeviceASimplerNumberOfLanesThatNobodyTriedIsNoEqual) {
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
  const Prediction expected = kPredictor.predict(m, tried);
  ASSERT_NEAR(kPredictor.predict(m, one).throughput_fps, expected.throughput_fps,
              0.01 * expected.throughput_fps);
  two.findings.trials = {{tried, expected, expected}};
  Constraints allowed;
  allowed.threads = tried.threads;
  EXPECT_EQ(chosen(derived(two), allowed), tried);
}

// A training takes the fewest that are as good, which may not be as good at another size.
TEST(DeriveCoresTest, OfTheDeviceAloneTheMostLanesThatAreAsGoodAreDerived) {
  const auto with_four = [](double as_good) {
    const Configuration two = on_device(1, 2), four = on_device(1, 4);
    Learnt both = learnt(3e-3, {{two, 1}});
    both.facts.chain.lanes = {2, 4, 8};
    Measurements& m = both.findings.measurements;
    m.lane_factors[3] = {m.lane_factors[1].seconds / as_good, 1};
    const Prediction expected = kPredictor.predict(m, four);
    both.findings.trials.push_back({four, expected, expected});
    return both;
  };
  const auto chosen_of = [](const Learnt& learnt) {
    Knowledge knowledge;
    knowledge[kLarge] = learnt;
    return chosen(derive(kSmall, knowledge, learnt.facts.chain, kPredictor).value());
  };
  EXPECT_EQ(chosen_of(with_four(0.99)), on_device(1, 4)) << "1% behind, and nobody tried eight";
  EXPECT_EQ(chosen_of(with_four(0.96)), on_device(1, 2)) << "4% behind";
  // Other lanes of a mapping with a stage on the cores are taken to err as those that ran.
  Learnt coupled = learnt(3e-3, {});
  Measurements& m = coupled.findings.measurements;
  coupled.facts.chain.lanes = {2, 4, 8};
  m.stages[1].has_device = false;
  for (const int lanes : coupled.facts.chain.lanes) m.lane_factors[lanes - 1] = {0.5, 1};
  const Configuration two{{1, 2}, Granularity::coarse, 1, 2};
  const Prediction expected = kPredictor.predict(m, two);
  coupled.findings.trials = {{two, expected, expected}};
  Constraints allowed;
  allowed.mapping = two.mapping;
  allowed.threads = 1;
  Knowledge knowledge;
  knowledge[kLarge] = coupled;
  const Learnt derived = derive(kSmall, knowledge, coupled.facts.chain, kPredictor).value();
  EXPECT_EQ(chosen(derived, allowed), two);
  Learnt slower = derive(with_four(1), {1, 2}, kPredictor);
  EXPECT_EQ(chosen(slower), on_device(1, 2)) << "what is known of the size itself stays";
}

// Where a training saw the device alone with one lane and with others, which gained so much.
Learnt with_lanes(const std::vector<std::pair<int, double>>& gains) {
  Learnt all = learnt(3e-3, {});
  all.facts.chain.lanes.clear();
  Measurements& m = all.findings.measurements;
  for (StageMeasurements& stage : m.stages) stage.device.seconds = 0.05e-3;
  m.lane_factors = {{{1, 1}}};
  const auto add = [&](int lanes, double gain) {
    m.lane_factors[static_cast<std::size_t>(lanes) - 1] = {1 / gain, 1};
    const Prediction expected = kPredictor.predict(m, on_device(1, lanes));
    all.findings.trials.push_back({on_device(1, lanes), expected, expected});
  };
  add(1, 1);
  for (const auto& [lanes, gain] : gains) {
    all.facts.chain.lanes.push_back(lanes);
    add(lanes, gain);
  }
  return all;
}

// What several lanes gain differs from size to size more than what they lose.
TEST(DeriveCoresTest, OneLaneIsDerivedWhereSeveralAreFarBehind) {
  const auto chosen_of = [](const Learnt& learnt) {
    Knowledge knowledge;
    knowledge[kLarge] = learnt;
    return chosen(derive(kSmall, knowledge, learnt.facts.chain, kPredictor).value());
  };
  EXPECT_EQ(chosen_of(with_lanes({{2, 0.82}})), on_device(1, 2));
  EXPECT_EQ(chosen_of(with_lanes({{2, 0.7}})), on_device(1, 1));
  EXPECT_EQ(chosen_of(with_lanes({{2, 0.82}, {4, 0.9}})), on_device(1, 4)) << "the best of them";
  EXPECT_EQ(chosen_of(with_lanes({{2, 0.9}, {4, 0.89}, {8, 0.875}})), on_device(1, 4))
      << "2% behind the best of them, not behind each other";
}

}  // namespace
}  // namespace tandem
