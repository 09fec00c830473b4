// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/facts/spent.h"

#include <gtest/gtest.h>

#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

TEST(SpentTest, WhatNoObservationTookWentIntoSwitches) {
  Chain chain = two_stages();
  chain.lanes = {2};
  Facts facts = measured(chain);
  facts.observations.push_back(carried_out({on_device(3), Observation::Kind::glance}));
  facts.observations.push_back(carried_out({on_device(3), Observation::Kind::look}));
  facts.observations.push_back(carried_out({on_cores(2)}));
  double seconds = 0;
  for (const Observation& seen : facts.observations) seconds += seen.lasted_s;
  const int frames = 100 * static_cast<int>(facts.observations.size());
  const Spent spent = spent_on(facts.observations, {seconds + 0.25, frames + 7});
  EXPECT_EQ(spent[SpentOn::device].runs, 3) << "stages one by one, whole frames, two lanes";
  EXPECT_EQ(spent[SpentOn::device].frames, 300);
  EXPECT_EQ(spent[SpentOn::beside].runs, 1);
  EXPECT_EQ(spent[SpentOn::medium].runs, 1);
  EXPECT_EQ(spent[SpentOn::cores].runs, 1);
  EXPECT_EQ(spent[SpentOn::glances].runs, 1);
  EXPECT_EQ(spent[SpentOn::looks].runs, 1);
  EXPECT_EQ(spent[SpentOn::switches].runs, 8);
  EXPECT_EQ(spent[SpentOn::switches].frames, 7);
  EXPECT_NEAR(spent[SpentOn::switches].seconds, 0.25, 1e-9);
  Spent twice = spent;
  twice.add(spent);
  EXPECT_EQ(twice[SpentOn::device].frames, 600);
  EXPECT_NEAR(twice[SpentOn::switches].seconds, 0.5, 1e-9);
}

TEST(SpentTest, ATrainingCannotTakeLessThanItsParts) {
  const Observation seen = carried_out({on_cores(1)});
  const Spent spent = spent_on({&seen, 1}, {0, 0});
  EXPECT_EQ(spent[SpentOn::switches].frames, 0);
  EXPECT_EQ(spent[SpentOn::switches].seconds, 0);
}

}  // namespace
}  // namespace tandem
