// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/promises.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scheduler/learn/worth.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

const AnalyticPredictor kPredictor;

/// Trials with so many threads beside the device that reached such a part of what was expected.
struct Tried {
  int threads;
  double part;
};

class PromisesTest : public testing::Test {
 protected:
  PromisesTest() : facts_(measured(chain(), kPredictor)) {}

  static Chain chain() {
    Chain chain = two_stages();
    chain.cores = 16;
    return chain;
  }

  void make(const Tried& tried) {
    Observation seen = carried_out({on_device(tried.threads), Observation::Kind::glance});
    seen.frame_s = 1 / (tried.part * expected(tried.threads).throughput_fps);
    facts_.observations.push_back(seen);
  }
  Findings findings() const { return interpret(facts_.observations, facts_.chain, kPredictor); }
  Prediction expected(int threads) const {
    const Findings found = findings();
    return corrected(found.trials, on_device(threads),
                     kPredictor.predict(found.measurements, on_device(threads)));
  }
  /// Of what promises so much more than `best`.
  double gain(int threads, double promise, const Objective& objective = {}, double noise = 0.01) {
    const Findings found = findings();
    Prediction best;
    best.throughput_fps = 1000;
    Prediction promised = best;
    promised.throughput_fps *= 1 + promise;
    return Promises(facts_, found, objective, noise)
        .expected_gain({on_device(threads), promised}, best);
  }

  Facts facts_;
};

TEST_F(PromisesTest, BesideADeviceThatIsMadeOfTheCoresTheModelErrsLess) {
  const Configuration coupled{{1, 2}, Granularity::coarse, 3};
  const auto promises = [&](double device_cores) {
    Findings found = findings();
    found.measurements.device_cores = device_cores;
    return Promises(facts_, found, {}, 0.01);
  };
  const auto gain_of = [&](double device_cores) {
    Prediction best, promised;
    best.throughput_fps = 1000;
    promised.throughput_fps = 920;
    return promises(device_cores).expected_gain({coupled, promised}, best);
  };
  EXPECT_LT(gain_of(16), gain_of(1) / 5);
  EXPECT_EQ(gain_of(1), gain_of(0));
  make({3, 0.8});
  const double seldom = promises(1).falls_short(coupled, false);
  EXPECT_GT(promises(16).falls_short(coupled, false), seldom)
      << "what falls short speaks for other mappings as well";
}

TEST_F(PromisesTest, WhatPromisesMoreMayGainMore) {
  EXPECT_GT(gain(8, 0.2), gain(8, 0.1));
  EXPECT_GT(gain(8, 0.1), gain(8, 0.02));
  EXPECT_NEAR(gain(8, 0.2), std::log(1.2), 0.03);
  EXPECT_LT(gain(8, -0.2), 1e-3);
}

TEST_F(PromisesTest, WhatIsLikeThoseThatFellShortIsExpectedToFallShort) {
  const auto falls_short = [this](const Configuration& configuration, bool at_length) {
    return Promises(facts_, findings(), {}, 0.01).falls_short(configuration, at_length);
  };
  EXPECT_EQ(falls_short(on_device(8), true), 1) << "nothing was tried";
  make({12, 1.1});
  EXPECT_EQ(falls_short(on_device(8), true), 1);
  facts_.observations.pop_back();
  make({12, 0.8});
  EXPECT_NEAR(falls_short(on_device(8), true), 1 / 0.8, 0.01)
      << "a long trial is taken at its word";
  EXPECT_GT(falls_short(on_device(12, 2), false), 1.1);
  EXPECT_LT(falls_short(on_device(12, 2), false), 1 / 0.8);
  EXPECT_LT(falls_short(on_device(2), false), falls_short(on_device(12), false));
}

// With many cores it is the threads that get in the driver's way, whichever stages the device has.
TEST_F(PromisesTest, ThreadsThatFellShortTellMoreOfOtherMappingsWithManyCores) {
  const auto other = [this](int cores) {
    facts_.chain.cores = cores;
    const Configuration mapping{{1, 2}, Granularity::coarse, cores};
    return Promises(facts_, findings(), {}, 0.01).falls_short(mapping, false);
  };
  make({16, 0.6});
  EXPECT_GT(other(16), 1.1);
  facts_ = measured(two_stages(), kPredictor);
  make({8, 0.6});
  EXPECT_LT(other(8), 1.1);
}

TEST_F(PromisesTest, TrialsThatMissMakePromisesWorthLess) {
  const double before = gain(8, 0.05);
  make({12, 0.8});
  const double after = gain(8, 0.05);
  EXPECT_LT(after, before);
  make({10, 0.8});
  EXPECT_LT(gain(8, 0.05), after);
  EXPECT_LT(gain(9, 0.05), gain(2, 0.05)) << "those with about as many threads tell most";
}

TEST_F(PromisesTest, TrialsThatKeepTheirPromisesMakeSurpriseUnlikely) {
  const double before = gain(8, 0.001);
  for (const int threads : {7, 9, 10}) make({threads, 1});
  EXPECT_LT(gain(8, 0.001), before);
}

TEST_F(PromisesTest, NoiseIsNoGain) {
  make({7, 0.95});
  make({9, 1.05});
  EXPECT_LT(gain(8, 0, {}, 0.05), gain(8, 0, {}, 0.001));
}

TEST_F(PromisesTest, WhereConditionsAreToBeMetATrialIsAlwaysWorthIt) {
  EXPECT_TRUE(std::isinf(gain(8, 0.1, {Metric::latency})));
  EXPECT_TRUE(std::isinf(gain(8, 0.1, {.target_fps = 30})));
}

TEST(LeadTest, ValuesWithTheRateInThemTwiceLeadByHalf) {
  Prediction a, b;
  a.throughput_fps = 100;
  a.energy_j = 2;
  b.throughput_fps = 110;
  b.energy_j = 2 / 1.1;
  EXPECT_NEAR(lead_of(b, a, {}), std::log(1.1), 1e-12);
  EXPECT_NEAR(lead_of(b, a, {Metric::efficiency}), std::log(1.1), 1e-12) << "the power is the same";
  EXPECT_NEAR(lead_of(b, a, {Metric::energy}), std::log(1.1), 1e-12);
  EXPECT_FALSE(known(lead_of(b, a, {Metric::latency})));
  EXPECT_NEAR(mean_above_0(0, 0.1), 0.1 * 0.39894, 1e-5);
  EXPECT_NEAR(mean_above_0(1, 0.1), 1, 1e-9);
}

}  // namespace
}  // namespace tandem
