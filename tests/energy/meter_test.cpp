// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/meter.h"

#include <gtest/gtest.h>

#include "scheduler/machine/energy/package_split.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;

const MeterClock::time_point kStart = MeterClock::time_point() + 1h;

EnergyReading reading(EnergyDomains joules, MeterClock::duration after) {
  const MeterClock::time_point at = kStart + after;
  return {{joules.c, at}, {joules.g, at}, {joules.u, at}};
}

TEST(Total, IsUnknownWhenACoveredDomainIs) {
  EXPECT_EQ(total({1.0, {}, 2.0}, {true, false, true}), 3.0);
  EXPECT_EQ(total({1.0, {}, 2.0}, {true, true, true}), std::nullopt);
  EXPECT_EQ(total({1.0, 4.0, 2.0}, {true, false, true}), 3.0);
  EXPECT_EQ(total({}, {}), std::nullopt);  // never 0 for what nobody measures
}

TEST(EnergyBetween, IsUnknownWhereEitherEndIs) {
  const EnergyDomains joules =
      energy_between_j(reading({1.0, {}, 5.0}, 0s), reading({4.0, 2.0, {}}, 2s));
  EXPECT_EQ(joules, (EnergyDomains{3.0, {}, {}}));
}

TEST(EnergyBetween, IsUnknownAcrossABreakOfThatDomain) {
  const EnergyReading first = reading({1.0, 1.0, 1.0}, 0s);
  EnergyReading second = reading({2.0, 2.0, 2.0}, 1s);
  second.u.breaks = 1;
  EXPECT_EQ(energy_between_j(first, second), (EnergyDomains{1.0, 1.0, {}}));
}

TEST(PowerBetween, UsesEachDomainsOwnTime) {
  const EnergyReading first = reading({0.0, 0.0, 0.0}, 0s);
  EnergyReading second = reading({10.0, 10.0, 10.0}, 2s);
  second.g.at = kStart + 500ms;
  second.u.at = first.u.at;  // no new value has come
  EXPECT_EQ(power_between_w(first, second), (EnergyDomains{5.0, 20.0, {}}));
}

TEST(MessageBox, TellsEachKindOnce) {
  MessageBox box;
  box.tell_once("a", "first");
  box.tell_once("a", "again");
  box.tell_once("b", "second");
  EXPECT_EQ(box.take(), (std::vector<std::string>{"first", "second"}));
  box.tell_once("a", "and again");
  EXPECT_TRUE(box.take().empty());
}

PackageTallies tallies(double package_j, double cores_j, double device_j, double memory_j) {
  const MeterClock::time_point now = kStart;
  return {{package_j, now, 0}, {cores_j, now, 0}, {device_j, now, 0}, {memory_j, now, 0}};
}

TEST(PackageSplit, RestIsPackageMinusCoresMinusDevice) {
  PackageSplit split({true, true, false});
  const auto result = split.split(tallies(100, 60, 15, 7));
  ASSERT_TRUE(result);
  EXPECT_EQ(since_open_j(*result), (EnergyDomains{60.0, 15.0, 25.0}));
}

TEST(PackageSplit, WhatHasNoCounterStaysInTheRest) {
  MeterDescription description;
  PackageSplit split({false, false, true});
  split.describe("package-0", 0.001, description);
  EXPECT_EQ(description.covers, (PerDomain<bool>{false, false, true}));
  EXPECT_NE(description.coverage.find("rest with the cores"), std::string::npos)
      << description.coverage;
  EXPECT_EQ(since_open_j(*split.split(tallies(100, 60, 15, 7))), (EnergyDomains{{}, {}, 107.0}));
}

TEST(PackageSplit, RestNeverFalls) {
  PackageSplit split({true, false, false});
  EXPECT_EQ(split.split(tallies(100, 60, 0, 0))->u.since_open_j, 40.0);
  EXPECT_EQ(split.split(tallies(100, 60.5, 0, 0))->u.since_open_j, 40.0);  // cores read later
  EXPECT_EQ(split.split(tallies(101, 60.5, 0, 0))->u.since_open_j, 40.5);
}

TEST(PackageSplit, RestIsUnknownWhileAPartIs) {
  PackageSplit split({true, false, false});
  PackageTallies now = tallies(100, 60, 0, 0);
  EXPECT_TRUE(split.split(now));
  now.cores.since_open_j.reset();
  EXPECT_FALSE(split.split(now));
}

TEST(PackageSplit, AfterABreakTheRestCountsOnFromWhereItWas) {
  PackageSplit split({true, false, false});
  split.split(tallies(100, 60, 0, 0));
  PackageTallies later = tallies(200, 60, 0, 0);  // the cores missed 100 J
  later.cores.breaks = 1;
  const auto broken = split.split(later);
  EXPECT_EQ(broken->u.since_open_j, 40.0);
  EXPECT_EQ(broken->u.breaks, 1u);
  later.package.since_open_j = 230.0;
  later.cores.since_open_j = 80.0;
  EXPECT_EQ(split.split(later)->u.since_open_j, 50.0);
}

}  // namespace
}  // namespace tandem
