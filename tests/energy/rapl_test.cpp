// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/rapl.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tandem {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr uint64_t kRangeUj = 262143328850;  // of a laptop's package

// A powercap folder as Linux shows it.
class Rapl : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "powercap-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    options_.folder = pattern;
    fs::create_directory(options_.folder + "/intel-rapl");  // the control type: counts nothing
  }
  void TearDown() override { fs::remove_all(options_.folder); }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(options_.folder + "/" + file) << text << "\n";
  }
  void set_uj(const std::string& zone, uint64_t value_uj) {
    write(zone + "/energy_uj", std::to_string(value_uj));
  }
  void add_zone(const std::string& zone, const std::string& name, uint64_t value_uj) {
    fs::create_directory(options_.folder + "/" + zone);
    write(zone + "/name", name);
    write(zone + "/max_energy_range_uj", std::to_string(kRangeUj));
    set_uj(zone, value_uj);
  }
  void add_laptop() {
    add_zone("intel-rapl:0", "package-0", 100'000'000);
    add_zone("intel-rapl:0:0", "core", 60'000'000);
    add_zone("intel-rapl:0:1", "uncore", 10'000'000);
    add_zone("intel-rapl:1", "psys", 900'000'000);
    add_zone("intel-rapl-mmio:0", "package-0", 100'000'000);
  }

  RaplOptions options_;
};

TEST_F(Rapl, SplitsThePackageOfALaptop) {
  add_laptop();
  options_.device_in_package = true;
  RaplMeter meter(options_);
  EXPECT_EQ(meter.description().name, "rapl");
  EXPECT_EQ(meter.description().coverage, "package-0: cores (C), device (G), rest (U)");
  EXPECT_EQ(meter.description().covers, (PerDomain<bool>{true, true, true}));
  EXPECT_FALSE(meter.description().modelled);
  const auto start = MeterClock::now();
  const auto first = meter.read_at(start);
  set_uj("intel-rapl:0", 130'000'000);
  set_uj("intel-rapl:0:0", 75'000'000);
  set_uj("intel-rapl:0:1", 15'000'000);
  set_uj("intel-rapl:1", 999'000'000);
  const auto second = meter.read_at(start + 1s);
  ASSERT_TRUE(first && second);
  const EnergyDomains energy = energy_between_j(*first, *second);
  EXPECT_NEAR(*energy.c, 15, 1e-6);
  EXPECT_NEAR(*energy.g, 5, 1e-6);
  EXPECT_NEAR(*energy.u, 10, 1e-6);
  EXPECT_NEAR(*power_between_w(*first, *second).c, 15, 1e-6);
  EXPECT_TRUE(meter.take_messages().empty());
}

TEST_F(Rapl, ADiscreteDeviceLeavesTheGraphicsInTheRest) {
  add_laptop();
  RaplMeter meter(options_);
  EXPECT_EQ(meter.description().covers, (PerDomain<bool>{true, false, true}));
  const auto start = MeterClock::now();
  const auto first = meter.read_at(start);
  set_uj("intel-rapl:0", 110'000'000);
  set_uj("intel-rapl:0:0", 64'000'000);
  set_uj("intel-rapl:0:1", 11'000'000);
  const EnergyDomains energy = energy_between_j(*first, *meter.read_at(start + 1s));
  EXPECT_NEAR(*energy.u, 6, 1e-6);
  EXPECT_FALSE(energy.g);
}

TEST_F(Rapl, WrapsAtTheRangeOfTheZone) {
  add_zone("intel-rapl:0", "package-0", kRangeUj - 4'000'000);
  RaplMeter meter(options_);
  const auto start = MeterClock::now();
  const auto first = meter.read_at(start);
  set_uj("intel-rapl:0", 6'000'000);
  EXPECT_NEAR(*energy_between_j(*first, *meter.read_at(start + 1s)).u, 10, 1e-6);
  EXPECT_TRUE(meter.take_messages().empty());
}

TEST_F(Rapl, AddsUpPackagesAndTheirMemory) {
  add_zone("intel-rapl:0", "package-0", 0);
  add_zone("intel-rapl:0:0", "dram", 0);
  add_zone("intel-rapl:1", "package-1", 50);
  add_zone("intel-rapl:1:0", "dram", 0);
  RaplMeter meter(options_);
  EXPECT_NE(meter.description().coverage.find("2 packages"), std::string::npos);
  EXPECT_NE(meter.description().coverage.find("memory"), std::string::npos);
  EXPECT_EQ(meter.description().covers, (PerDomain<bool>{false, false, true}));
  const auto start = MeterClock::now();
  const auto first = meter.read_at(start);
  set_uj("intel-rapl:0", 20'000'000);
  set_uj("intel-rapl:1", 30'000'050);
  set_uj("intel-rapl:1:0", 5'000'000);
  EXPECT_NEAR(*energy_between_j(*first, *meter.read_at(start + 1s)).u, 55, 1e-6);
}

TEST_F(Rapl, OneAmdCoreIsNotAllCores) {
  add_zone("intel-rapl:0", "package-0", 0);
  add_zone("intel-rapl:0:0", "core", 0);
  options_.amd = true;
  RaplMeter meter(options_);
  EXPECT_EQ(meter.description().covers, (PerDomain<bool>{false, false, true}));
}

TEST_F(Rapl, NoCountersSaysWhere) {
  for (const std::string& folder : {options_.folder, options_.folder + "/none"}) {
    RaplOptions options = options_;
    options.folder = folder;
    try {
      RaplMeter meter(options);
      FAIL() << folder;
    } catch (const EnergyUnavailable& error) {
      EXPECT_EQ(error.reason, EnergyUnavailable::Reason::absent);
      EXPECT_NE(std::string(error.what()).find(folder), std::string::npos) << error.what();
    }
  }
}

TEST_F(Rapl, PermissionDeniedSaysHowToGetIt) {
  add_laptop();
  options_.open_file = [](const std::string&) { return -EACCES; };
  try {
    RaplMeter meter(options_);
    FAIL();
  } catch (const EnergyUnavailable& error) {
    EXPECT_EQ(error.reason, EnergyUnavailable::Reason::denied);
    EXPECT_NE(error.advice.find("sudo chmod a+r " + options_.folder), std::string::npos);
    EXPECT_NE(error.advice.find("udev"), std::string::npos);
  }
}

TEST_F(Rapl, AMissingCounterFileIsNoCrash) {
  add_laptop();
  fs::remove(options_.folder + "/intel-rapl:0:0/energy_uj");
  EXPECT_THROW(RaplMeter{options_}, EnergyUnavailable);
}

TEST_F(Rapl, AJumpIsUnknownAndToldOnce) {
  add_laptop();
  RaplMeter meter(options_);
  const auto start = MeterClock::now();
  const auto read_after = [&](int seconds, uint64_t cores_uj) {
    set_uj("intel-rapl:0", 100'000'000 + 20'000'000u * static_cast<unsigned>(seconds));
    set_uj("intel-rapl:0:0", cores_uj);
    return *meter.read_at(start + std::chrono::seconds(seconds));
  };
  const EnergyReading first = read_after(1, 60'000'001);
  const EnergyReading back = read_after(2, 5'000);
  const EnergyReading far = read_after(3, 200'000'000'000);
  const EnergyReading back_again = read_after(4, 5'000);
  for (const EnergyDomains& energy : {energy_between_j(first, back), energy_between_j(back, far),
                                      energy_between_j(far, back_again)}) {
    EXPECT_FALSE(energy.c);
    EXPECT_FALSE(energy.u);
  }
  const std::vector<std::string> messages = meter.take_messages();
  ASSERT_EQ(messages.size(), 2u);  // back, and far
  for (const std::string& text : messages) EXPECT_NE(text.find("RAPL core"), std::string::npos);
}

TEST_F(Rapl, ACounterThatStandsStillIsUnknown) {
  add_laptop();
  RaplMeter meter(options_);
  const auto start = MeterClock::now();
  meter.read_at(start);
  const auto later = meter.read_at(start + 2s);
  ASSERT_TRUE(later);
  EXPECT_FALSE(later->u.since_open_j);
  EXPECT_TRUE(later->c.since_open_j);  // cores may sleep
  EXPECT_EQ(meter.take_messages().size(), 1u);
  meter.read_at(start + 4s);
  EXPECT_TRUE(meter.take_messages().empty());
}

TEST_F(Rapl, GarbageIsUnknownUntilItIsANumberAgain) {
  add_laptop();
  RaplMeter meter(options_);
  const auto start = MeterClock::now();
  const auto first = meter.read_at(start);
  write("intel-rapl:0/energy_uj", "none");
  EXPECT_FALSE(meter.read_at(start + 100ms)->u.since_open_j);
  write("intel-rapl:0/energy_uj", "");
  EXPECT_FALSE(meter.read_at(start + 200ms)->u.since_open_j);
  set_uj("intel-rapl:0", 101'000'000);
  const auto last = meter.read_at(start + 300ms);
  EXPECT_TRUE(last->u.since_open_j);
  EXPECT_FALSE(energy_between_j(*first, *last).u);
  EXPECT_EQ(meter.take_messages().size(), 1u);
}

}  // namespace
}  // namespace tandem
