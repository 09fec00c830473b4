// SPDX-License-Identifier: LGPL-2.1-or-later
// Chips of each family are what its name says, and frames pass them.
#include "tests/virtual_chip/chip/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"
#include "tests/virtual_chip/chip/simulation.h"

namespace tandem::test {
namespace {

constexpr unsigned kSeeds = 6;  // of each set
constexpr int kFrames = 400;

template <typename Visit>
void each_chip(const char* name, Visit visit) {
  for (const unsigned first : {kFirstTuningSeed, kFirstTestSeed}) {
    for (unsigned seed = first; seed < first + kSeeds; ++seed) {
      SCOPED_TRACE(name + (" " + std::to_string(seed)));
      visit(find_family(name)->chip(seed).chip);
    }
  }
}

Configuration on_device(const Chip& chip, int threads, int lanes = 1) {
  return {{chip.device_capable(), static_cast<int>(chip.stages.size())},
          Granularity::coarse,
          threads,
          lanes};
}

double fps(const Chip& chip, const Configuration& configuration, bool cpu_fallback = true) {
  return run_steadily(chip, configuration, 1, kFrames, cpu_fallback).throughput_fps;
}

void expect_frames_pass(const Chip& chip, const Configuration& configuration) {
  SCOPED_TRACE(to_string(configuration));
  Simulation simulation(chip, 1);
  simulation.configure(configuration);
  const double begin_s = simulation.now_s();
  for (uint64_t i = 0; i < 100; ++i) {
    const Simulation::Frame frame = simulation.next();
    ASSERT_TRUE(frame.ok);
    EXPECT_EQ(frame.sequence, i);
    EXPECT_EQ(frame.device_stages & ~chip.device_capable(), 0U);
    if (chip.intervals.empty()) {
      EXPECT_EQ(frame.device_stages & chip.device_only(), chip.device_only());
    }
  }
  EXPECT_GT(simulation.now_s(), begin_s);
}

TEST(Families, FramesPassTheChipsOfEach) {
  for (const Family& family : families()) {
    each_chip(family.name, [](const Chip& chip) {
      EXPECT_EQ(chip.slowdown.size(), static_cast<std::size_t>(chip.cores) + 1);
      EXPECT_NE(chip.device_capable(), 0U);
      const int stages = static_cast<int>(chip.stages.size());
      for (const Chip::Stage& stage : chip.stages) {
        EXPECT_EQ(stage.has_cpu, stage.core_s > 0 && stage.medium_s > 0);
        EXPECT_EQ(stage.has_device, stage.device_s > 0);
      }
      const Mapping cores{chip.device_only(), stages};
      for (const int threads : {1, chip.cores, chip.cores + 1}) {
        expect_frames_pass(chip, {cores, Granularity::coarse, threads});
        expect_frames_pass(chip, on_device(chip, threads, chip.lanes().back()));
      }
      expect_frames_pass(chip, {cores, Granularity::medium, chip.cores + 1});
    });
  }
}

TEST(Families, ASeedHasOneChip) {
  for (const Family& family : families()) {
    const Chip one = family.chip(7).chip, same = family.chip(7).chip, other = family.chip(8).chip;
    EXPECT_EQ(fps(one, on_device(one, 2)), fps(same, on_device(same, 2))) << family.name;
    EXPECT_NE(fps(one, on_device(one, 2)), fps(other, on_device(other, 2))) << family.name;
  }
}

TEST(Families, NoneHasThisName) { EXPECT_EQ(find_family("plains"), nullptr); }

TEST(Families, CoresAreMany) {
  each_chip("many-cores", [](const Chip& chip) {
    EXPECT_GE(chip.cores, 9);
    EXPECT_LE(chip.cores, 64);
  });
}

TEST(Families, FramesAreLong) {
  each_chip("long-frames", [](const Chip& chip) {
    EXPECT_GE(chip.core_frame_s(1), 0.01);
    EXPECT_LE(chip.core_frame_s(1), 0.5);
  });
}

TEST(Families, BusyCoresStarveTheDriver) {
  each_chip("starved-driver", [](const Chip& chip) {
    EXPECT_GE(chip.device_slowdown(chip.cores), 1.3 * chip.device_slowdown(0));
  });
}

// Threads that compute frames get less of the cores than beside a device with its own processor.
TEST(Families, TheDeviceTakesTheCores) {
  each_chip("device-of-cores", [](const Chip& chip) {
    Chip apart = chip;
    apart.device_threads = 0;
    const Configuration both = on_device(chip, chip.cores + 1);
    EXPECT_LE(fps(chip, both), 0.9 * fps(apart, both));
    EXPECT_EQ(chip.lanes().size(), 1U);

    Simulation simulation(chip, 1);
    simulation.configure(on_device(chip, 1));
    const double begin_s = simulation.now_s();
    for (int i = 0; i < kFrames; ++i) simulation.next();
    EXPECT_GE(simulation.cpu_s(), 0.95 * chip.cores * (simulation.now_s() - begin_s));
  });
}

TEST(Families, SerialStagesPassOneFrameAtATime) {
  int serial = 0, cores_alone = 0, device_alone = 0;
  each_chip("serial", [&](const Chip& chip) {
    double longest_s = 0;
    for (const Chip::Stage& stage : chip.stages) {
      serial += stage.serial;
      cores_alone += !stage.has_device;
      device_alone += !stage.has_cpu;
      if (stage.serial) longest_s = std::max(longest_s, stage.core_s);
    }
    const Mapping cores{chip.device_only(), static_cast<int>(chip.stages.size())};
    const double rate = fps(chip, {cores, Granularity::coarse, chip.cores});
    EXPECT_LE(rate * longest_s, 1 + 3 * chip.noise);
    EXPECT_TRUE(longest_s > 0 || chip.device_only() != 0 ||
                chip.device_capable() != (1U << chip.stages.size()) - 1);
  });
  EXPECT_GT(serial, 0);
  EXPECT_GT(cores_alone, 0);
  EXPECT_GT(device_alone, 0);
}

TEST(Families, ABinKnowsWhichStagesAreSerial) {
  Chip chip = find_family("plain")->chip(0).chip;
  ASSERT_GE(chip.stages.size(), 2U);
  chip.stages[1].serial = true;
  SimulatedBin bin(chip, 0, {});
  uint32_t serial = 0;
  bin.trained(
      [&](const Conditions&, const Learnt& learnt) { serial = learnt.facts.chain.serial_stages; });
  bin.frames_changed("frames");
  ASSERT_TRUE(bin.run_to_decision(100'000));
  EXPECT_EQ(serial, 2U);
}

TEST(Families, EightLanesGain) {
  each_chip("eight-lanes", [](const Chip& chip) {
    const double four = fps(chip, on_device(chip, 1, 4), false);
    const double eight = fps(chip, on_device(chip, 1, 8), false);
    EXPECT_GE(eight, 1.08 * four);
    EXPECT_LE(eight, 2 * four);
  });
}

TEST(Families, WhatDisturbsIsLeftOut) {
  int bursts = 0;
  each_chip("drift", [&](const Chip& chip) {
    EXPECT_GT(chip.drift, 0);
    bursts += chip.bursts.every_s > 0;
    const Chip steady = undisturbed(chip);
    EXPECT_EQ(steady.drift, 0);
    EXPECT_EQ(steady.bursts.every_s, 0);
  });
  EXPECT_GT(bursts, 0);
  EXPECT_LT(bursts, 2 * static_cast<int>(kSeeds));
}

// Three of four threads are somebody else's, half of the time.
TEST(Families, ABurstSlowsTheCores) {
  Chip chip = find_family("plain")->chip(0).chip;
  const Configuration cores{
      {0, static_cast<int>(chip.stages.size())}, Granularity::coarse, chip.cores};
  const double alone = run_steadily(chip, cores, 1, 20'000).throughput_fps;
  chip.bursts = {0.1, 0.1, 3 * chip.cores};
  const double disturbed = run_steadily(chip, cores, 1, 20'000).throughput_fps;
  EXPECT_NEAR(disturbed / alone, (1 + 0.25) / 2, 0.1);
}

TEST(Families, StagesLeaveFramesOut) {
  each_chip("intervals", [](const Chip& chip) {
    EXPECT_TRUE(std::ranges::any_of(chip.intervals,
                                    [](const Intervals::Rule& rule) { return rule.interval > 1; }));
  });
}

// Ten of 14 cores do most. Nine and eleven are glanced at first.
TEST(Families, ASearchOfFewThreadsFindsThoseBetween) {
  Chip chip = random_chip(
      3, {.least_cores = 14, .most_cores = 14, .least_stages = 2, .most_stages = 2, .discrete = 0});
  for (Chip::Stage& stage : chip.stages) {
    stage.has_device = false;
    stage.medium_s = stage.core_s;
  }
  for (int n = 1; n <= chip.cores + 1; ++n)
    chip.slowdown[static_cast<std::size_t>(n - 1)] = n <= 10 ? 1 : n / 8.0;
  const Best best = best_of(chip, 3, Metric::throughput);
  EXPECT_EQ(best.configuration.threads, 10) << to_string(best.configuration);
}

}  // namespace
}  // namespace tandem::test
