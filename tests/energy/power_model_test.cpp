// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/power_model.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tandem {
namespace {

using namespace std::chrono_literals;

TEST(PowerModel, ReadsWattsByDomain) {
  const PowerModel model = parse_power_model("c=12.5+35,g=8+150,u=6");
  EXPECT_EQ(model.c->static_w, 12.5);
  EXPECT_EQ(model.c->dynamic_w, 35);
  EXPECT_EQ(model.g->dynamic_w, 150);
  EXPECT_EQ(model.u->static_w, 6);
  EXPECT_EQ(model.u->dynamic_w, 0);
  EXPECT_FALSE(parse_power_model("g=1").c);
}

TEST(PowerModel, SaysWhatItExpects) {
  for (const char* text : {"", ",", "c", "c=", "c=+", "c=1+", "c=x", "c=-1", "c=1+2+3", "c=1e9",
                           "c=nan", "c=inf", "x=1", "c=1,c=2", "c=1,,g=1", "c = 1"}) {
    try {
      parse_power_model(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("c=12+35"), std::string::npos) << error.what();
    }
  }
}

// Stafford, equation 2, by hand: static watts all the time, dynamic ones while busy.
TEST(PowerModel, FollowsTheEquation) {
  const PowerModel model = parse_power_model("c=10+30,g=5+100,u=4");
  const EnergyDomains energy = modelled_energy_j(model, 2.0, {0.5, 1.5});
  EXPECT_DOUBLE_EQ(*energy.c, 10 * 2.0 + 30 * 0.5);
  EXPECT_DOUBLE_EQ(*energy.g, 5 * 2.0 + 100 * 1.5);
  EXPECT_DOUBLE_EQ(*energy.u, 8);
  EXPECT_FALSE(modelled_energy_j(parse_power_model("g=1"), 1, {}).c);
}

TEST(PowerModelMeter, CountsFromItsFirstReading) {
  BusyTimes busy{100, 200};
  PowerModelMeter meter(parse_power_model("c=10+30,g=0+100"), [&busy] { return busy; });
  EXPECT_TRUE(meter.description().modelled);
  EXPECT_NE(meter.description().coverage.find("not measured"), std::string::npos);
  EXPECT_EQ(meter.description().covers, (PerDomain<bool>{true, true, false}));
  const auto start = MeterClock::now();
  const auto first = meter.read_at(start);
  EXPECT_EQ(since_open_j(*first), (EnergyDomains{0.0, 0.0, {}}));
  busy = {100.25, 200.5};
  const auto second = meter.read_at(start + 1s);
  EXPECT_EQ(energy_between_j(*first, *second), (EnergyDomains{17.5, 50.0, {}}));
}

TEST(ProcessBusy, GrowsWithWorkAndIsSharedByCores) {
  const double before_s = process_busy_s(1);
  volatile double sum = 0;
  while (process_busy_s(1) < before_s + 0.001) sum = sum + 1;
  EXPECT_GT(process_busy_s(1), process_busy_s(4));
}

}  // namespace
}  // namespace tandem
