// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/learn/belief/next_experiment.h"
#include "scheduler/learn/meaning/next_measurement.h"
#include "scheduler/learn/meaning/splits.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

const Objective kLatency{Metric::latency};

// Two stages on two cores. Both take as long for each of the stages.
struct Machine {
  double cores_s = 8e-3, device_s = 6e-3;  ///< a whole frame on all cores, on the device
  double cores_fixed_s = 5e-4, device_fixed_s = 1e-3;  ///< of a split, beside the rows
  double joins_s = 0;                                  ///< before and after both sides
  bool in_vain = false;                                ///< the device fails whenever rows are split
};

class NextSplitTest : public testing::Test {
 protected:
  NextSplitTest() { facts_.chain.can_split = 3; }

  Observation seen(const Plan& plan) const {
    Observation seen = carried_out(plan);
    const Configuration& configuration = plan.configuration;
    if (configuration.mapping.any_split()) {
      const double share = configuration.cpu_share / 100.0;
      seen.split_cores_s = machine_.cores_fixed_s + share * machine_.cores_s;
      seen.split_device_s = machine_.device_fixed_s + (1 - share) * machine_.device_s;
      seen.frame_s = seen.latency_s = seen.service_s =
          machine_.joins_s + std::max(seen.split_cores_s, seen.split_device_s);
      seen.stages.assign(2, {seen.frame_s / 2, 0, 0});
      seen.in_vain = machine_.in_vain;
      return seen;
    }
    const bool device = configuration.mapping.any_device();
    seen.frame_s = device ? machine_.device_s : 2 * machine_.cores_s / configuration.threads;
    const double stages_s = device ? machine_.device_s
                            : configuration.granularity == Granularity::medium
                                ? machine_.cores_s
                                : 2 * machine_.cores_s;
    seen.stages.assign(2, {stages_s / 2, 0, 0});
    seen.latency_s = seen.service_s = stages_s;
    return seen;
  }

  // The splits that are measured after everything else.
  std::vector<std::string> splits(const Objective& objective, const Constraints& allowed = {}) {
    std::vector<std::string> names;
    for (int i = 0; i < 30; ++i) {
      findings_ = interpret(facts_.observations, facts_.chain);
      auto plan = next_measurement(facts_, findings_, objective, allowed);
      if (!plan) {
        plan = next_split(facts_, findings_, objective, allowed);
        if (!plan) return names;
        EXPECT_EQ(plan->kind, Observation::Kind::experiment);
        names.push_back(to_string(plan->configuration));
      }
      facts_.observations.push_back(seen(*plan));
    }
    return names;
  }

  Configuration chosen() const {
    return choose(findings_.measurements, kLatency, {}).best().configuration;
  }

  using Names = std::vector<std::string>;
  Machine machine_;
  Facts facts_{two_stages(), {}};
  Findings findings_;
};

// 0.5 + 8 a = 1 + 6 (1 - a): 46.4%. Whole frames have no fixed time: 1 + 7 a = 2 + 4 (1 - a), 45%.
TEST_F(NextSplitTest, SharesNearHalfAreTriedWhereSidesAreNearlyBalanced) {
  EXPECT_EQ(splits(kLatency), (Names{"ss/mg/a50", "ss/mg/a45", "ss/mg/a47"}));
  EXPECT_EQ(findings_.measurements.split.cpu_share, 47);
}

TEST_F(NextSplitTest, TheNextTakesTheShareThatThoseBeforePromise) {
  machine_.device_s = 3e-3;
  // 1 + 7 a = 2 + 1 (1 - a), balanced at 25%; then 0.5 + 8 a = 1 + 3 (1 - a), balanced at 32%.
  EXPECT_EQ(splits(kLatency, {.mapping = Mapping{3, 2, Side::s}}),
            (Names{"ss/mg/a50", "ss/mg/a25", "ss/mg/a32"}));
  const Split& split = findings_.measurements.split;
  EXPECT_EQ(split.cpu_share, 32);
  EXPECT_NEAR(split.cores.fixed_s, machine_.cores_fixed_s, 1e-9);
  EXPECT_NEAR(split.cores.rows_s, machine_.cores_s, 1e-9);
  EXPECT_NEAR(split.device.fixed_s, machine_.device_fixed_s, 1e-9);
  EXPECT_NEAR(split.device.rows_s, machine_.device_s, 1e-9);
}

TEST_F(NextSplitTest, WhatASplitFrameTakesBesideItsSidesIsExpectedOfIt) {
  machine_.joins_s = 2e-3;
  splits(kLatency);
  const Split& split = findings_.measurements.split;
  EXPECT_NEAR(split.joins_s, machine_.joins_s, 1e-9);
  const Configuration ran{{3, 2, Side::s}, Granularity::medium, 3, 1, 1, split.cpu_share};
  const double share = split.cpu_share / 100.0;
  const double sides_s = std::max(0.5e-3 + share * 8e-3, 1e-3 + (1 - share) * 6e-3);
  EXPECT_NEAR(predict(findings_.measurements, ran).latency_s, 2e-3 + sides_s, 1e-9);
}

TEST_F(NextSplitTest, NothingIsTriedWhereEvenFreeSplitsWouldGainTooLittle) {
  machine_.device_s = 0.4e-3;
  EXPECT_EQ(splits(kLatency), Names{});
  EXPECT_EQ(splits({Metric::throughput}), Names{}) << "several frames at a time are as fast";
}

TEST_F(NextSplitTest, NothingIsTriedWhereNothingCanBeOrMayBeSplit) {
  EXPECT_EQ(splits(kLatency, {.cpu_share = 0}), Names{});
  EXPECT_EQ(splits(kLatency, {.mapping = Mapping{1, 2}}), Names{});
  EXPECT_EQ(splits(kLatency, {.granularity = Granularity::coarse}), Names{});
  EXPECT_EQ(splits(kLatency, {.threads = 2}), Names{});
  facts_.chain.can_split = 0;
  EXPECT_EQ(splits(kLatency), Names{});
}

TEST_F(NextSplitTest, AMappingThatIsFixedIsMeasuredWhateverItPromises) {
  machine_.device_s = 0.4e-3;
  EXPECT_FALSE(splits({Metric::throughput}, {.mapping = Mapping{3, 2, Side::s}}).empty());
}

TEST_F(NextSplitTest, ADeviceThatTakesNoRowsEndsIt) {
  machine_.in_vain = true;
  EXPECT_EQ(splits(kLatency), Names{"ss/mg/a50"});
  EXPECT_EQ(findings_.measurements.split.cpu_share, 0);
}

TEST_F(NextSplitTest, FixedTimesMayLeaveAllToOneSide) {
  machine_.cores_fixed_s = 9e-3;
  EXPECT_EQ(splits(kLatency), Names{"ss/mg/a50"});
  EXPECT_FALSE(chosen().mapping.any_split());
}

// With 3% it is measured, and keeps both sides busy for nothing.
TEST_F(NextSplitTest, ASplitThatGainsLessThanItHasToIsNotChosen) {
  for (const double joins_s : {1.2e-3, 1.6e-3}) {
    machine_.joins_s = joins_s;
    facts_.observations.clear();
    const auto next = [&] {
      findings_ = interpret(facts_.observations, facts_.chain);
      return next_experiment(facts_, findings_, kLatency, {});
    };
    Next now = next();
    for (int i = 0; now.plan && i < 100; ++i, now = next())
      facts_.observations.push_back(seen(*now.plan));
    ASSERT_FALSE(now.plan);
    EXPECT_EQ(now.choice.best().configuration.mapping.any_split(), joins_s < 1.5e-3);
  }
}

TEST_F(NextSplitTest, JoinsMayLeaveAllToOneSide) {
  machine_.joins_s = 12e-3;
  EXPECT_EQ(splits(kLatency), Names{"ss/mg/a50"});
  EXPECT_FALSE(chosen().mapping.any_split());
}

TEST_F(NextSplitTest, OneShareRulesNoOtherOut) {
  machine_.joins_s = 3e-3;
  EXPECT_EQ(splits(kLatency).size(), 2);
  EXPECT_FALSE(chosen().mapping.any_split());
}

}  // namespace
}  // namespace tandem
