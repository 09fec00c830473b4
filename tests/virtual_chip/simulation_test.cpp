// SPDX-License-Identifier: LGPL-2.1-or-later
// The rules of dispatch in virtual time, and the model against them.
#include "tests/virtual_chip/chip/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/predict/predict.h"

namespace tandem::test {
namespace {

// Stages in ms on a core and on the device; threads that scale perfectly.
Chip quiet_chip(const std::vector<double>& core_ms, const std::vector<double>& device_ms,
                int cores) {
  Chip chip;
  chip.cores = cores;
  for (std::size_t k = 0; k < core_ms.size(); ++k)
    chip.stages.push_back({.core_s = 1e-3 * core_ms[k],
                           .medium_s = 1e-3 * core_ms[k] / cores,
                           .device_s = 1e-3 * device_ms[k]});
  chip.slowdown.assign(cores + 1, 1);
  chip.window = Dispatch::kMaxWindow;
  return chip;
}

Configuration coarse(const char* mapping, int threads) {
  Configuration c{{}, Granularity::coarse, threads};
  EXPECT_EQ(parse_mapping(mapping, static_cast<int>(std::string(mapping).size()), c.mapping), "");
  return c;
}

double rate_fps(Simulation& simulation, int frames) {
  for (int i = 0; i < 200; ++i) simulation.next();
  const double begin_s = simulation.now_s();
  for (int i = 0; i < frames; ++i) simulation.next();
  return frames / (simulation.now_s() - begin_s);
}

double rate_fps(const Chip& chip, const Configuration& configuration, int frames = 3000) {
  Simulation simulation(chip, 1);
  simulation.configure(configuration);
  return rate_fps(simulation, frames);
}

void expect_frames_in_order(Simulation& simulation, int frames) {
  for (int i = 0; i < frames; ++i) ASSERT_EQ(simulation.next().sequence, static_cast<uint64_t>(i));
}

TEST(Simulation, ASerialStageLetsOneFrameThroughAtATime) {
  Chip chip = quiet_chip({1, 4, 1}, {1, 1, 1}, 8);
  EXPECT_NEAR(rate_fps(chip, coarse("ccc", 8)), 8000 / 6.0, 30);
  chip.stages[1].serial = true;
  EXPECT_NEAR(rate_fps(chip, coarse("ccc", 8)), 1000 / 4.0, 3) << "4 ms a frame, one at a time";
  chip.noise = 0.3;
  Simulation simulation(chip, 2);
  simulation.configure(coarse("gcg", 8));
  expect_frames_in_order(simulation, 500);
}

TEST(Simulation, RepeatedStagesTakeTheirTimeEachRound) {
  Chip chip = quiet_chip({1, 2, 1}, {1, 0.5, 1}, 2);
  chip.repeat = {1, 1, 5};
  EXPECT_NEAR(rate_fps(chip, coarse("ccc", 1)), 1000 / 12.0, 0.1);
  EXPECT_NEAR(rate_fps(chip, coarse("ggg", 1)), 1000 / 4.5, 0.3);
}

TEST(Simulation, ASlowSinkFindsAQuarterOfTheWindowBeforeIt) {
  Chip chip = quiet_chip({1}, {1}, 2);
  chip.window = 80;
  chip.sink_s = 5e-3;
  Simulation simulation(chip, 1);
  simulation.configure(coarse("c", 2));
  EXPECT_NEAR(rate_fps(simulation, 300), 200, 1) << "what the sink takes";
  EXPECT_LE(simulation.in_flight(), 20 + 2 * 2) << "a quarter, and what the threads have";
}

TEST(Simulation, NoFrameIsLostWhenTheDeviceFails) {
  Chip chip = quiet_chip({1, 2, 1}, {0.5, 0.5, 0.5}, 3);
  chip.stages[2].serial = true;
  chip.noise = 0.2;
  for (const int runs : {0, 1, 7, 30}) {
    Simulation simulation(chip, 3);
    simulation.configure(coarse("ggc", 4));
    simulation.fail_device_after(runs);
    expect_frames_in_order(simulation, 300);
    EXPECT_EQ(to_string(simulation.configuration().mapping), "ccc");
    EXPECT_EQ(simulation.next().device_stages, 0u);
  }
}

TEST(Simulation, LanesOverlapCopiesAndKernels) {
  Chip chip = quiet_chip({8, 8}, {1, 1}, 2);
  chip.stages[0].upload_s = 1e-3;
  Configuration c = coarse("gg", 1);
  const double fps[] = {1000 / 3.0, 1000 / 2.0, 1000 / 2.0};
  for (const int lanes : {1, 2, 4}) {
    c.lanes = lanes;
    EXPECT_NEAR(rate_fps(chip, c), fps[lanes / 2], 2) << lanes << ": the kernels take 2 ms";
  }
  chip.noise = 0.3;
  chip.stages[1].serial = true;
  Simulation simulation(chip, 2);
  simulation.configure({c.mapping, Granularity::coarse, 3, 4});
  simulation.fail_device_after(40);
  expect_frames_in_order(simulation, 500);
}

TEST(Simulation, DevicesOfOneKindShareTheFrames) {
  Chip chip = quiet_chip({80, 80}, {1, 1}, 4);
  for (const int devices : {1, 2, 3, 4}) {
    chip.devices = devices;
    for (const int threads : {1, devices}) {
      Simulation simulation(chip, 1);
      Configuration c = coarse("gg", threads);
      c.lanes = 2;
      simulation.configure(c);
      EXPECT_NEAR(rate_fps(simulation, 3000), devices * 500.0, devices * 5.0)
          << devices << " devices, " << threads << " threads";
      for (int d = 0; d < devices; ++d)
        EXPECT_NEAR(simulation.runs_of(d), simulation.runs_of(0), 2 * c.lanes);
    }
  }
}

TEST(Simulation, ADeviceThatFailsIsLeftOutAndTheOthersGoOn) {
  Chip chip = quiet_chip({8, 2, 8}, {0.5, 0.5, 0.5}, 3);
  chip.stages[1].serial = true;
  chip.devices = 2;
  for (const int threads : {1, 4}) {
    for (const int runs : {0, 1, 7, 30}) {
      for (const int lost : {0, 1}) {
        chip.noise = 0.2;
        Simulation simulation(chip, 3);
        Configuration c = coarse("gcg", threads);
        c.lanes = 4;
        simulation.configure(c);
        simulation.fail_device_after(runs, lost);
        expect_frames_in_order(simulation, 400);
        EXPECT_EQ(to_string(simulation.configuration()), to_string(c)) << "one device is left";
        EXPECT_LE(simulation.runs_of(lost), runs + c.lanes) << "its lanes go away";
        EXPECT_GT(simulation.runs_of(1 - lost), 400) << "it takes the frames";
        simulation.fail_device_after(10, 1 - lost);
        for (int i = 400; i < 600; ++i)
          ASSERT_EQ(simulation.next().sequence, static_cast<uint64_t>(i));
        EXPECT_EQ(to_string(simulation.configuration().mapping), "ccc") << "none is left";
      }
    }
  }
}

TEST(Simulation, OnlyTheFramesThatALostDeviceHadMayTakeTheCpu) {
  Chip chip = quiet_chip({1000}, {1}, 1);  // the CPU would take a second
  chip.devices = 2;
  Simulation simulation(chip, 1);
  Configuration c = coarse("g", 1);
  c.lanes = 2;
  simulation.configure(c);
  simulation.fail_device_after(5, 1);
  int on_cores = 0;
  for (int i = 0; i < 100; ++i) {
    const Simulation::Frame frame = simulation.next();
    ASSERT_EQ(frame.sequence, static_cast<uint64_t>(i));
    on_cores += frame.device_stages == 0 ? 1 : 0;
  }
  EXPECT_LE(on_cores, c.lanes) << "where the other has no lane free";
}

// Who has a frame of a lost device may be the only one who could free a lane of the other.
TEST(Simulation, NobodyWaitsForALaneAfterADeviceIsLost) {
  Chip chip = quiet_chip({4, 1, 4}, {1, 1, 1}, 2);
  chip.devices = 2;
  chip.noise = 0.3;
  for (const char* mapping : {"ggg", "gcg"}) {
    for (const int threads : {1, 2, 3}) {
      for (const int runs : {0, 3, 20}) {
        Simulation simulation(chip, 5);
        Configuration c = coarse(mapping, threads);
        c.lanes = 4;
        simulation.set_cpu_fallback(false);
        simulation.configure(c);
        simulation.fail_device_after(runs, 1);
        expect_frames_in_order(simulation, 200);
      }
    }
  }
}

// Each of them holds its tensors.
TEST(Simulation, AFastDeviceDoesNotRunAheadOfTheCores) {
  const Chip chip = quiet_chip({8, 8}, {0.1, 0.1}, 4);
  for (const int threads : {1, 2, 4}) {
    Simulation simulation(chip, 1);
    Configuration c = coarse("gc", threads);
    c.lanes = 8;
    simulation.configure(c);
    int most = 0;
    for (int i = 0; i < 300; ++i) {
      simulation.next();
      most = std::max(most, simulation.under_way());
    }
    EXPECT_LE(most, c.lanes + 3 * threads) << threads;
  }
}

// What the device has finished waits for the cores with its tensors, and all that comes later waits
// behind it: half as many as there are workers, or twice as many as lanes, keep the cores busy. As
// many as there are workers and lanes wait to begin, as many are computed, and as many for the
// oldest of them.
TEST(Simulation, FewItemsWaitForTheCoresBehindTheDevice) {
  for (const int lanes : {1, 2, 8}) {
    Chip chip = quiet_chip({8, 8}, {0.1, 0.1}, 16);
    chip.noise = 0.1;
    Simulation simulation(chip, 1);
    Configuration c = coarse("gc", 17);
    c.lanes = lanes;
    simulation.configure(c);
    int most = 0;
    for (int i = 0; i < 1000; ++i) {
      simulation.next();
      most = std::max(most, simulation.in_flight());
    }
    EXPECT_LE(most, 3 * (c.threads + lanes) + std::max(2 * lanes, c.threads / 2)) << lanes;
    EXPECT_GE(most, c.threads) << lanes;
  }
}

// Frames of 0.2 s are waited for where the device is timed alone, and not where cores compute
// beside.
TEST(Simulation, StagesTimedApartBesideCoresWaitForNobody) {
  const Chip chip = quiet_chip({100, 100}, {1, 1}, 4);
  for (const int threads : {1, 5}) {
    Simulation simulation(chip, 1);
    simulation.configure(coarse("cc", 4));
    for (int i = 0; i < 10; ++i) simulation.next();
    const auto begins_before_others_end = [&](const Configuration& next, bool apart) {
      simulation.configure(next, apart);
      uint64_t others_end_ns = 0;
      for (int i = 0; i < 100; ++i) {
        const FrameTimes times = simulation.next().times;
        if (times.stages_apart == apart && times.configuration == next)
          return times.begin_ns < others_end_ns;
        others_end_ns = std::max(others_end_ns, times.end_ns);
      }
      ADD_FAILURE() << "no frame of " << to_string(next);
      return false;
    };
    const Configuration device = coarse("gc", threads);
    EXPECT_EQ(begins_before_others_end(device, true), threads > 1);
    for (int i = 0; i < 10; ++i) simulation.next();
    Configuration lanes = device;
    lanes.lanes = 2;
    EXPECT_EQ(begins_before_others_end(lanes, false), threads > 1);
  }
}

// Whoever waits for a core longest gets it first: all behind it would wait for it at the sink.
TEST(Simulation, NoFrameIsOvertakenByAllTheOthers) {
  for (const bool serial : {false, true}) {
    Chip chip = quiet_chip({8, serial ? 0.5 : 8}, {serial ? 1 : 0.1, 0.1}, 4);
    chip.stages[1].serial = serial;
    chip.noise = 0.1;
    for (const int threads : {1, 2, 4, 5}) {
      for (const int lanes : {1, 2, 8}) {
        Simulation simulation(chip, 1);
        Configuration c = coarse("gc", threads);
        c.lanes = lanes;
        simulation.configure(c);
        int most = 0;
        for (int i = 0; i < 1000; ++i) {
          simulation.next();
          most = std::max(most, simulation.in_flight());
          if (i == 500) simulation.set_cpu_fallback(false);  // then they wait for a lane
        }
        EXPECT_LE(most, 2 * lanes + 6 * threads) << to_string(c) << (serial ? ", serial" : "");
      }
    }
  }
}

// One stage: 1 ms on the device, 50 ms on a core, on which n threads scale perfectly.
TEST(Simulation, HasTheWindowOfTheModel) {
  Chip chip = quiet_chip({50}, {1}, 2);
  for (const int window : {8, 16, 30, 64}) {
    chip.window = window;
    Measurements m = perfect_measurements(chip);
    m.window = window;
    const double one = predict(m, coarse("g", 2)).throughput_fps;
    EXPECT_NEAR(rate_fps(chip, coarse("g", 2), 20000), one, 0.03 * one) << window;
    const double two = predict(m, coarse("g", 3)).throughput_fps;
    EXPECT_LE(rate_fps(chip, coarse("g", 3), 20000), 1.001 * two) << window;
  }
}

// With a window of eight nine frames pass one that a core computes in 6 ms, which one in thirty
// does.
TEST(Simulation, FewFramesOnTheSlowerPathHoldNoOthersUp) {
  const Chip chip = random_chip(42);
  ASSERT_EQ(chip.window, 8);
  Configuration c = coarse("cgggg", 4);
  c.lanes = 8;
  const Measurements m = perfect_measurements(chip);
  const double always_fps = 9 / (4 * m.cg[3].seconds);
  EXPECT_GT(predict(m, c).throughput_fps, 1.3 * always_fps);
  EXPECT_NEAR(rate_fps(chip, c, 20000) / predict(m, c).throughput_fps, 1, 0.2);
}

TEST(Simulation, HasTheSharedDeviceOfTheModel) {
  double sum = 0;
  int count = 0;
  for (const auto& core_ms : {std::vector<double>{4, 0.2, 2}, {4, 2, 2}, {1, 3, 5}, {6, 1, 1}}) {
    for (const double speedup : {0.8, 2.0, 8.0, 25.0}) {
      std::vector<double> device_ms = core_ms;
      for (double& ms : device_ms) ms /= speedup;
      Chip chip = quiet_chip(core_ms, device_ms, 16);
      chip.noise = 0.05;
      const Measurements m = perfect_measurements(chip);
      for (const char* mapping : {"gcc", "cgc", "ccg", "ggc", "gcg", "cgg"}) {
        for (const int threads : {2, 3, 5, 9, 17}) {
          const Configuration c = coarse(mapping, threads);
          const double real = rate_fps(chip, c);
          const double error = std::abs(predict(m, c).throughput_fps / real - 1);
          sum += error;
          ++count;
          EXPECT_LT(error, 0.3) << to_string(c) << " speedup " << speedup << " real " << real
                                << " of " << core_ms[0] << " " << core_ms[1] << " " << core_ms[2];
        }
      }
    }
  }
  EXPECT_LT(sum / count, 0.05);
}

}  // namespace
}  // namespace tandem::test
