// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers worked by hand from the equations of docs/model.md, mostly for example_chip().
#include "model/predict/predict.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/example_chip.h"

namespace tandem {
namespace {

Prediction predict(const Measurements& m, const std::string& name) {
  for (const Configuration& c : all_configurations(static_cast<int>(m.stages.size()), m.cores, ~0u))
    if (to_string(c) == name) return predict(m, c);
  ADD_FAILURE() << name << " is no configuration";
  return {};
}

void expect(const Prediction& p, double throughput_fps, double energy_j, double p_device) {
  EXPECT_NEAR(p.throughput_fps, throughput_fps, 1e-9 * throughput_fps);
  EXPECT_NEAR(p.energy_j, energy_j, 1e-9 * energy_j);
  EXPECT_NEAR(p.p_device, p_device, 1e-9);
  EXPECT_NEAR(p.power_w, energy_j * throughput_fps, 1e-9 * p.power_w);
}

// As measured: 1 / T^CG(n), E^CG(n); under medium grain 1 / (6 + 4 + 10 ms) and the sum of E^MG.
TEST(Predict, CpuAloneIsWhatWasMeasured) {
  expect(predict(example_chip(), "ccc/cg1"), 20, 0.50 + 0.20, 0);
  expect(predict(example_chip(), "ccc/cg3"), 50, 0.35 + 0.12, 0);
  expect(predict(example_chip(), "ccc/cg5"), 80, 0.50 + 0.10, 0);
  expect(predict(example_chip(), "ccc/mg"), 50, 0.40 + 0.10, 0);
}

// n = 0 threads for the CPU path: 1 / (4 + 16 + 20 ms), E = (0.06, 0.40, 0.20).
TEST(Predict, DecoupledWithOneThreadIsTheDeviceAlone) {
  expect(predict(example_chip(), "ggg/cg1"), 25, 0.66, 1);
}

// Table III with n = 4: lambda = 25 + 62.5, p_GPU = 2/7. Equation 9:
//   C: max(2/7 0.06, 5/7 0.40) = 2.0/7   G: max(2/7 0.40, 0) = 0.8/7
//   U: max(2/7 0.20, 5/7 0.10) = 0.5/7   sum 3.3/7 J
TEST(Predict, DecoupledCoarse) {
  expect(predict(example_chip(), "ggg/cg5"), 87.5, 3.3 / 7, 2.0 / 7);
}

// Table III: lambda = 25 + 50, p_GPU = 1/3. Equation 9:
//   C: max(0.06, 2 0.40)/3 = 0.8/3   G: 0.4/3   U: max(0.20, 2 0.10)/3 = 0.2/3
TEST(Predict, DecoupledMedium) { expect(predict(example_chip(), "ggg/mg"), 75, 1.4 / 3, 1.0 / 3); }

// The device's 4 ms of 3 threads: 2 work beside it at 40 fps. It is idle while the 'c' stages of
// its last frame take 30 ms of one core, which 3 threads do 50/20 times as fast: 12 ms at 50 fps.
// Of the device's frame, 2/5 are no work for the cores: 0.4 + 0.16 + 0.6 frames in 16 ms.
//   beside: max(2.5, 16) + max(10, 0) + max(5, 6) = 32 W   alone: 17.5 + 6 = 23.5 W
TEST(Predict, CoupledCoarse) {
  expect(predict(example_chip(), "gcc/cg3"), 72.5, (4 * 32 + 12 * 23.5) / 16 / 72.5, 1 / 1.16);
}

// One thread takes a frame through the device and then the CPU, 4 + 30 ms.
//   0.01 + 0.04 + 0.02 J and 30 ms of 0.70 J in 50
TEST(Predict, CoupledWithOneThreadDoesOneThingAtATime) {
  expect(predict(example_chip(), "gcc/cg1"), 1 / 0.034, 0.07 + 0.42, 1);
}

// D = 20, A = 20, G = 30 ms. While the device works 4 threads finish 1.25 frames, 0.85 more than
// its own: runs are begun every 20 + 30 0.85/1.85 ms by each of 5 threads.
TEST(Predict, ADeviceThatIsBusySendsFramesPastItself) {
  const double interval_ms = 20 + 30 * 0.85 / 1.85;
  const double idle_ms = interval_ms * (1 - std::pow(1 - 20 / interval_ms, 5)) * 20 / 80;
  const double frames = 0.6 + 1.25 + 0.080 * idle_ms;
  const Prediction p = predict(example_chip(), "ggc/cg5");
  EXPECT_NEAR(p.throughput_fps, 1000 * frames / (20 + idle_ms), 1e-9);
  EXPECT_NEAR(p.p_device, 1 / frames, 1e-9);
}

// The device is back before the other thread has done its 4 + 10 ms: nobody finds it busy.
//   beside: max(2.5, 20) + max(10, 0) + max(5, 5) = 35 W for 4 ms   alone: 25 W for 10 ms
TEST(Predict, CoupledMedium) { expect(predict(example_chip(), "gcc/mg"), 1 / 0.014, 0.39, 1); }

// The device takes 36 ms. The other thread does its 6 ms, finds it busy, and computes two frames of
// 20 ms: 3 frames in 46 ms.
TEST(Predict, CoupledMediumWithASlowDevice) {
  EXPECT_NEAR(predict(example_chip(), "cgg/mg").throughput_fps, 3 / 0.046, 1e-9);
  EXPECT_NEAR(predict(example_chip(), "cgg/mg").p_device, 1.0 / 3, 1e-9);
}

// gcgc with 50 and 2 ms on the device, 30 + 10 + 10 + 20 ms on the cores. Once it repeats, a thread
// that finds the device busy for 50 ms has the cores for 20 + 30 + 10, the next two for 10 and 20:
// two frames.
TEST(Predict, CoupledMediumWithTwoRuns) {
  Measurements m;
  const auto stage = [](double mg_ms, double device_ms) {
    return StageMeasurements{
        .mg = {mg_ms / 1000, {}}, .device = {device_ms / 1000, {}}, .has_device = true};
  };
  m.stages = {stage(30, 50), stage(10, 50), stage(10, 2), stage(20, 50)};
  EXPECT_NEAR(predict(m, "gcgc/mg").throughput_fps, 2 / 0.090, 1e-9);
  m.stages[0].device.seconds = 0.004;  // nobody finds it busy: 10 + 20 ms
  EXPECT_NEAR(predict(m, "gcgc/mg").throughput_fps, 1 / 0.030, 1e-9);
}

// D = 4 + 20, A = 10 ms; one thread beside the device at 20 fps.
TEST(Predict, RunsOfDeviceStagesShareTheDevice) {
  const double interval_ms = 10 + 40 * 0.28 / 1.28;
  const double idle_ms = interval_ms * (1 - std::pow(1 - 10 / interval_ms, 2)) / 2;
  EXPECT_NEAR(predict(example_chip(), "gcg/cg2").throughput_fps,
              1000 * (0.8 + 0.48 + 0.040 * idle_ms) / (24 + idle_ms), 1e-9);
}

// T(2) > T(1): the 30 ms take 36, in which the other thread has finished 0.08 frames.
TEST(Predict, ThreadsThatHinderEachOther) {
  Measurements m = example_chip();
  m.cg[1].seconds = 0.060;
  EXPECT_NEAR(predict(m, "gcc/cg2").throughput_fps, 1.08 / 0.040, 1e-9);
}

// Table V, SRAD on Ivy Bridge: CPU MG 82 fps and GPU 72 fps alone.
TEST(Predict, DecoupledMediumAddsTheRatesOfTableV) {
  Measurements m;
  m.stages = {{.cg = {}, .mg = {1 / 82.0, {}}, .device = {1 / 72.0, {}}, .has_device = true}};
  EXPECT_NEAR(predict(m, {{1, 1}, Granularity::medium, 2}).throughput_fps, 154, 1e-9);
}

// Equation 8: 3.3/7 J at 87.5 fps are 41.25 W; 35 W allow 0.4 J.
TEST(Predict, ThermalDesignPowerLimitsTheEnergy) {
  Measurements m = example_chip();
  m.tdp_w = 35;
  expect(predict(m, "ggg/cg5"), 87.5, 0.4, 2.0 / 7);
  m.tdp_w = 45;
  expect(predict(m, "ggg/cg5"), 87.5, 3.3 / 7, 2.0 / 7);
}

// A run pays one upload where it begins and one download where it ends.
TEST(Predict, TransfersFrameEachRun) {
  Measurements m = example_chip();
  const double upload_ms[] = {1, 2, 3}, download_ms[] = {0.5, 1.5, 2.5};
  for (int k = 0; k < 3; ++k) {
    m.stages[k].upload = {upload_ms[k] / 1000, {0.001, 0.01, 0.002}};
    m.stages[k].download = {download_ms[k] / 1000, {0.001, 0.01, 0.002}};
  }
  const double of_one_thread[][2] = {
      {1 + 40 + 2.5, 0},                     // ggg
      {(1 + 4 + 0.5) + (3 + 20 + 2.5), 10},  // gcg
      {1 + 20 + 1.5, 20},                    // ggc
      {2 + 16 + 1.5, 40},                    // cgc
  };
  const char* names[] = {"ggg/cg1", "gcg/cg1", "ggc/cg1", "cgc/cg1"};
  for (int i = 0; i < 4; ++i) {
    const double ms = of_one_thread[i][0] + of_one_thread[i][1];
    EXPECT_NEAR(predict(m, names[i]).throughput_fps, 1000 / ms, 1e-9) << names[i];
  }
  // C: 0.06 + 2 0.001, G: 0.40 + 2 0.01, U: 0.20 + 2 0.002
  EXPECT_NEAR(predict(m, "ggg/cg1").energy_j, 0.686, 1e-12);
  m.stages[0].upload.joules.g = kUnknown;
  EXPECT_FALSE(known(predict(m, "ggg/cg1").energy_j));
  EXPECT_TRUE(known(predict(m, "cgg/cg1").energy_j));  // uploads before stage 2
}

// Four cores that are busy, and a device that takes four: half the rate for each.
// gcc/mg: in the 4 ms that become 8 the cores get 4 ms done, 10 are left.
// A driver that spins on a core: 4 threads and it on four cores are 4/5.
TEST(Predict, ADeviceMadeOfTheCoresIsNoHelp) {
  Measurements m = example_chip();
  m.device_cores = 4;
  EXPECT_NEAR(predict(m, "ggg/cg5").throughput_fps, 87.5 / 2, 1e-9);
  EXPECT_NEAR(predict(m, "ggg/cg5").p_device, 2.0 / 7, 1e-9);
  EXPECT_NEAR(predict(m, "ggg/cg1").throughput_fps, 25, 1e-9);
  EXPECT_NEAR(predict(m, "gcc/mg").throughput_fps, 1 / 0.018, 1e-9);
  m.device_cores = 1;
  EXPECT_NEAR(predict(m, "ggg/cg5").throughput_fps, 87.5 * 4 / 5, 1e-9);
  EXPECT_NEAR(predict(m, "ggg/cg4").throughput_fps, 25 + 50, 1e-9);
}

// Stage 2 is busy 25 16 ms + 62.5 10 ms = 1.025 of the time, which it cannot be.
// DP: 25 frames/s of the device alone, 40 of two cores, 62.5 of four, 50 under medium grain.
TEST(Predict, BesideBusyCoresTheDeviceTakesLonger) {
  Measurements m = example_chip();
  m.crowding = {1, 1.25, 1.5};
  EXPECT_NEAR(predict(m, "ggg/cg1").throughput_fps, 25, 1e-9);
  EXPECT_NEAR(predict(m, "ggg/cg2").throughput_fps, 25 / 1.25 + 20, 1e-9);
  EXPECT_NEAR(predict(m, "ggg/cg3").throughput_fps, 25 / 1.5 + 40, 1e-9);
  EXPECT_NEAR(predict(m, "ggg/cg5").throughput_fps, 25 / 1.5 + 62.5, 1e-9)
      << "as was measured last";
  EXPECT_NEAR(predict(m, "ggg/mg").throughput_fps, 25 / 1.5 + 50, 1e-9);
  EXPECT_NEAR(predict(m, "ccc/cg3").throughput_fps, 50, 1e-9);
}

TEST(Predict, ASerialStageServesOneFrameAtATime) {
  Measurements m = example_chip();
  m.stages[1].serial = true;
  EXPECT_NEAR(predict(m, "ggg/cg5").throughput_fps, 87.5 / 1.025, 1e-9);
  EXPECT_NEAR(predict(m, "ggg/cg4").throughput_fps, 75, 1e-9);  // 0.4 + 0.5
}

TEST(Predict, AnUnknownTimeReachesWhatNeedsIt) {
  Measurements device = example_chip(), core = example_chip(), all = example_chip();
  device.stages[0].device.seconds = kUnknown;
  core.stages[1].cg.seconds = kUnknown;
  all.stages[1].mg.seconds = kUnknown;
  for (const char* name :
       {"gcc/cg1", "gcc/cg3", "gcc/mg", "gcg/mg", "ggg/cg1", "ggg/cg4", "ggg/mg"})
    EXPECT_FALSE(known(predict(device, name).throughput_fps)) << name;
  for (const char* name : {"cgg/cg1", "cgg/mg", "ccc/cg2"})
    EXPECT_TRUE(known(predict(device, name).throughput_fps)) << name;
  EXPECT_FALSE(known(predict(core, "gcc/cg1").throughput_fps));
  EXPECT_FALSE(known(predict(core, "gcc/cg2").throughput_fps));
  EXPECT_TRUE(known(predict(core, "gcc/mg").throughput_fps));
  EXPECT_FALSE(known(predict(all, "gcc/mg").throughput_fps));
  EXPECT_FALSE(known(predict(all, "ggg/mg").throughput_fps));
  EXPECT_FALSE(known(predict(all, "cgc/mg").throughput_fps));  // when the device is busy
  EXPECT_TRUE(known(predict(all, "cgc/cg2").throughput_fps));
}

TEST(Predict, UnknownIsUnknownAndNeverZero) {
  Measurements m = example_chip();
  m.stages[1].device.joules.u = kUnknown;
  EXPECT_FALSE(known(predict(m, "ggg/cg5").energy_j));
  EXPECT_FALSE(known(predict(m, "ggg/cg5").power_w));
  EXPECT_TRUE(known(predict(m, "ggg/cg5").throughput_fps));
  EXPECT_TRUE(known(predict(m, "gcc/cg5").energy_j));
  m.tdp_w = 1;  // a limit does not make it known
  EXPECT_FALSE(known(predict(m, "ggg/cg5").energy_j));

  m.domains = {};  // no meter
  EXPECT_FALSE(known(predict(m, "ccc/cg1").energy_j));
  EXPECT_FALSE(known(predict(m, "gcc/mg").power_w));

  m.cg[3] = {};  // not measured
  EXPECT_FALSE(known(predict(m, "ccc/cg4").throughput_fps));
  EXPECT_FALSE(known(predict(m, "ggg/cg5").throughput_fps));
  EXPECT_TRUE(known(predict(m, "ggg/cg4").throughput_fps));
}

// A meter of the device alone: C and U count nowhere. Nobody read them.
TEST(Predict, DomainsThatNothingCoversAreLeftOut) {
  Measurements m = example_chip();
  m.domains = {.g = Domain::dominant};
  for (StageMeasurements& stage : m.stages)
    stage.device.joules.c = stage.device.joules.u = kUnknown;
  expect(predict(m, "ggg/cg5"), 87.5, 0.8 / 7, 2.0 / 7);
}

// A package counter that sees cores and device: 2/7 0.20 + 5/7 0.10.
TEST(Predict, OneCounterForBothAddsUp) {
  Measurements m = example_chip();
  m.domains = {.u = Domain::additive};
  expect(predict(m, "ggg/cg5"), 87.5, 0.9 / 7, 2.0 / 7);
}

TEST(Predict, WhatCannotRunIsUnknown) {
  Measurements m = example_chip();
  m.stages[1].has_device = false;
  EXPECT_FALSE(known(predict(m, "ggg/mg").throughput_fps));
  EXPECT_TRUE(known(predict(m, "gcg/mg").throughput_fps));
  EXPECT_FALSE(known(predict(m, {{0, 3}, Granularity::coarse, 0}).throughput_fps));
  EXPECT_FALSE(known(predict(m, {{0, 3}, Granularity::coarse, 6}).throughput_fps));
  EXPECT_FALSE(known(predict(m, {{0, 2}, Granularity::coarse, 1}).throughput_fps));
}

}  // namespace
}  // namespace tandem
