// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/next_measurement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

struct Machine {
  Chain chain = two_stages();
  double core_s = 10e-3;         ///< a frame on a core
  double device_s = 4e-3;        ///< a frame on the device
  double device_cores = 0;       ///< that are busy meanwhile
  double stages_on_cores_s = 0;  ///< of a frame on the device
  bool cores_get_none = false;   ///< no frame beside the device
  double lanes_gain = 1;         ///< of several
  double more_gain = 1;          ///< of four and more over two
  double in_the_way = 1;         ///< how many times longer the device takes beside a core
  double held_up = 1;            ///< how many times longer all frames take beside a core
  double medium_gain = 1;        ///< of all cores over one under medium grain
  int most_lanes = 8;            ///< beside which a core gets frames
};

Machine with_cores(int cores) {
  Machine machine;
  machine.chain.cores = cores;
  return machine;
}

// All that is measured, in order.
std::vector<std::string> measured_on(const Machine& machine, const Objective& objective = {},
                                     const Constraints& allowed = {}) {
  Facts facts{machine.chain, {}};
  std::vector<std::string> names;
  for (;;) {
    const Findings findings = interpret(facts.observations, facts.chain);
    const auto plan = next_measurement(facts, findings, objective, allowed);
    if (!plan || names.size() > 50) return names;
    const Configuration& configuration = plan->configuration;
    const bool beside = plan->kind == Kind::beside;
    const bool device = configuration.mapping.any_device();
    const int cores = std::min(configuration.threads, machine.chain.cores);
    Observation seen = carried_out(*plan);
    double lanes_s = machine.device_s / (configuration.lanes > 1 ? machine.lanes_gain : 1);
    if (configuration.lanes > 2) lanes_s /= machine.more_gain;
    seen.frame_s = device ? lanes_s : machine.core_s / cores;
    if (beside) seen.device_frame_s = machine.in_the_way * lanes_s;
    if (beside) seen.frame_s *= machine.held_up;
    seen.service_s = machine.core_s;
    seen.cpu_s = device ? machine.device_cores * machine.device_s : machine.core_s;
    seen.stages.assign(2, {(device && !beside ? machine.device_s : machine.core_s) / 2, 0, 0});
    if (configuration.granularity == Granularity::medium)
      for (auto& stage : seen.stages) stage.seconds /= machine.medium_gain;
    seen.cores_s = machine.stages_on_cores_s;
    seen.in_vain = beside && (machine.cores_get_none || configuration.lanes > machine.most_lanes);
    names.push_back(to_string(configuration));
    if (plan->kind == Kind::stages) names.back() += " apart";
    if (beside) names.back() += " beside";
    facts.observations.push_back(seen);
  }
}

using Names = std::vector<std::string>;

TEST(NextMeasurementTest, WithoutADeviceTheCoresAreMeasured) {
  Machine machine = with_cores(2);
  machine.chain.device_capable = 0;
  EXPECT_EQ(measured_on(machine), (Names{"cc/mg", "cc/cg1", "cc/cg2", "cc/cg3"}));
}

TEST(NextMeasurementTest, WhatNoCoreCanComputeIsNotMeasuredThere) {
  Machine machine = with_cores(16);
  machine.chain.device_only = 1;
  EXPECT_EQ(measured_on(machine), (Names{"gg/cg1 apart", "gg/cg1", "gc/mg", "gc/cg1 apart"}));
  machine.chain.device_only = 3;
  EXPECT_EQ(measured_on(machine), (Names{"gg/cg1 apart", "gg/cg1"}));
}

TEST(NextMeasurementTest, CoresThatAreNoFasterThanTheDeviceAreMeasuredBesideIt) {
  Machine machine = with_cores(16);
  machine.device_s = 0.5e-3;
  machine.device_cores = 1;  // a driver that spins
  EXPECT_EQ(measured_on(machine),
            (Names{"gg/cg1 apart", "gg/cg1", "cc/mg", "gg/cg2 beside", "gg/cg13 beside"}));
}

TEST(NextMeasurementTest, CoresAreMeasuredBesideTheFewestLanesThatDoBest) {
  Machine machine = with_cores(16);
  machine.chain.lanes = {2, 4, 8};
  machine.device_s = 0.5e-3;
  machine.lanes_gain = 1.5;
  EXPECT_EQ(measured_on(machine), (Names{"gg/cg1 apart", "gg/cg1", "gg/cg1/q2", "gg/cg1/q4",
                                         "cc/mg", "gg/cg2/q2 beside", "gg/cg13/q2 beside"}));
}

TEST(NextMeasurementTest, WhereManyLanesTakeAllFramesACoreIsMeasuredBesideTwo) {
  Machine machine = with_cores(16);
  machine.chain.lanes = {2, 4, 8};
  machine.device_s = 0.6e-3;
  machine.lanes_gain = 1.2;
  machine.more_gain = 1.25;
  machine.most_lanes = 2;
  EXPECT_EQ(measured_on(machine),
            (Names{"gg/cg1 apart", "gg/cg1", "gg/cg1/q2", "gg/cg1/q4", "gg/cg1/q8", "cc/mg",
                   "gg/cg2/q4 beside", "gg/cg2/q2 beside", "gg/cg13/q2 beside"}));
  machine.most_lanes = 1;
  const Names names = measured_on(machine);
  EXPECT_EQ(std::ranges::count(names, "gg/cg2/q2 beside"), 1);
  EXPECT_EQ(names.back(), "cc/cg16") << "beside no lanes does it get a frame";
}

TEST(NextMeasurementTest, OfFasterCoresOneIsMeasuredBesideTheDevice) {
  Machine machine = with_cores(16);
  machine.device_s = 2e-3;
  EXPECT_EQ(measured_on(machine), (Names{"gg/cg1 apart", "gg/cg1", "cc/mg", "gg/cg2 beside",
                                         "cc/cg8", "cc/cg12", "cc/cg16"}));
}

TEST(NextMeasurementTest, OfCoresFarBehindTheDeviceFewAreMeasured) {
  Machine machine = with_cores(16);
  machine.cores_get_none = true;
  const auto with_device = [&](double device_s) {
    machine.device_s = device_s;
    return measured_on(machine);
  };
  // All cores together have 2% of the device's rate under medium grain and 16% otherwise, ...
  const Names one{"gg/cg1 apart", "gg/cg1", "cc/mg", "gg/cg2 beside", "cc/cg1"};
  EXPECT_EQ(with_device(0.1e-3), one);
  Constraints fixed;
  fixed.threads = 16;
  EXPECT_EQ(measured_on(machine, {}, fixed).back(), "cc/cg16") << "that is asked for";
  EXPECT_EQ(measured_on(machine, {Metric::efficiency}), one);
  EXPECT_EQ(measured_on(machine, {Metric::energy}).back(), "cc/cg16") << "they may draw little";
  EXPECT_EQ(with_device(0.15e-3), (Names{"gg/cg1 apart", "gg/cg1", "cc/mg", "gg/cg2 beside",
                                         "cc/cg1", "cc/cg8", "cc/cg12", "cc/cg16"}))
      << "... or 24%";
}

// Frames leave in order: behind those of twelve cores they wait as they do behind those of one.
TEST(NextMeasurementTest, WhereOneCoreHoldsUpTheDeviceNoMoreAreMeasured) {
  Machine machine = with_cores(16);
  machine.core_s = 10e-3;
  machine.device_s = 0.3e-3;
  const auto last = [&](double held_up, double medium_gain) {
    machine.held_up = held_up;
    machine.medium_gain = medium_gain;
    return measured_on(machine).back();
  };
  EXPECT_EQ(last(2, 5), "gg/cg13 beside") << "half of the rate is left";
  EXPECT_EQ(last(2.5, 5), "gg/cg2 beside");
  EXPECT_EQ(last(2.5, 8), "gg/cg13 beside") << "all cores do a quarter as much";
}

TEST(NextMeasurementTest, LongFramesTellUnderMediumGrainThatCoresAddLittle) {
  Machine machine = with_cores(16);
  const auto on = [&](double core_s, double device_s, Metric metric = Metric::throughput) {
    machine.core_s = core_s;
    machine.device_s = device_s;
    Names names = measured_on(machine, {metric});
    names.resize(std::min<std::size_t>(4, names.size()));
    return names;
  };
  const Names device{"gg/cg1 apart", "gg/cg1", "cc/mg"};
  Names beside = device;
  beside.push_back("gg/cg2 beside");
  EXPECT_EQ(on(80e-3, 0.9e-3), device);
  EXPECT_EQ(on(80e-3, 0.9e-3, Metric::efficiency), device);
  EXPECT_EQ(on(80e-3, 1.1e-3), beside) << "22% of the device's rate";
  EXPECT_EQ(on(40e-3, 0.4e-3), beside) << "which holds up nobody for long";
  EXPECT_EQ(on(80e-3, 0.9e-3, Metric::energy), beside) << "it may draw little";
}

TEST(NextMeasurementTest, BesideADeviceThatIsMadeOfThemCoresAreNotMeasured) {
  Machine machine = with_cores(2);
  machine.device_cores = 2;
  const Names alone{"gg/cg1 apart", "gg/cg1", "cc/mg", "cc/cg1", "cc/cg2", "cc/cg3"};
  EXPECT_EQ(measured_on(machine), alone);
  machine.device_cores = 0;
  EXPECT_NE(measured_on(machine), alone);
  machine.chain.domains.u = Domain::additive;
  EXPECT_NE(measured_on(machine), alone);
  EXPECT_EQ(measured_on(machine, {Metric::efficiency}), alone) << "whose joules would it be?";
  machine.chain.domains.u = Domain::dominant;
  EXPECT_NE(measured_on(machine, {Metric::efficiency}), alone) << "each side has a meter";
  Constraints threads;
  threads.threads = 3;
  EXPECT_EQ(measured_on(machine, {}, threads), alone) << "two threads are not allowed";
  machine.cores_get_none = true;
  EXPECT_EQ(measured_on(machine), (Names{"gg/cg1 apart", "gg/cg1", "cc/mg", "gg/cg2 beside",
                                         "cc/cg1", "cc/cg2", "cc/cg3"}));
}

TEST(NextMeasurementTest, OfLongFramesLessIsMeasured) {
  Machine machine = with_cores(2);
  machine.device_cores = 2;
  machine.core_s = machine.device_s = 0.3;
  const Names few{"gg/cg1 apart", "cc/mg", "cc/cg1", "cc/cg2"};
  EXPECT_EQ(measured_on(machine), few);
  EXPECT_EQ(measured_on(machine, {Metric::latency})[1], "gg/cg1");
  EXPECT_EQ(measured_on(machine, {Metric::efficiency})[1], "gg/cg1");
  Constraints fixed;
  fixed.threads = 3;
  EXPECT_EQ(measured_on(machine, {}, fixed).back(), "cc/cg3") << "that is asked for";
  machine.chain.lanes = {2};
  machine.lanes_gain = 1.5;
  EXPECT_EQ(measured_on(machine)[1], "gg/cg1/q2") << "what lanes gain is not told by one";
}

TEST(NextMeasurementTest, ThereAreNoMoreThreadsThanOneMoreThanCores) {
  Machine machine = with_cores(2);
  machine.chain.devices = 3;
  for (const std::string& name : measured_on(machine)) EXPECT_EQ(name.find("beside"), name.npos);
}

TEST(NextMeasurementTest, StagesThatKeepACoreBusyLeaveNoneBesideTheDevice) {
  Machine machine = with_cores(2);
  machine.chain.device_capable = 1;
  EXPECT_EQ(measured_on(machine), (Names{"gc/cg1 apart", "gc/cg1", "cc/mg", "gc/cg2 beside"}));
  machine.stages_on_cores_s = 3e-3;  // of 4 ms
  EXPECT_EQ(measured_on(machine),
            (Names{"gc/cg1 apart", "gc/cg1", "cc/mg", "cc/cg1", "cc/cg2", "cc/cg3"}));
}

TEST(NextMeasurementTest, ASerialStageKeepsNotAllCoresAtWork) {
  Machine machine = with_cores(16);
  machine.chain.device_capable = 1;
  EXPECT_EQ(measured_on(machine)[0], "gc/cg17 apart");
  machine.chain.serial_stages = 2;
  EXPECT_EQ(measured_on(machine)[0], "gc/cg1 apart");
}

// Half of the device's time is that of its stage.
TEST(NextMeasurementTest, WhereTheDeviceWaitsForASerialStageLittleIsMeasured) {
  Machine machine = with_cores(16);
  machine.chain.device_capable = 1;
  machine.chain.serial_stages = 2;
  machine.core_s = 400e-3;
  machine.device_s = 20e-3;
  const auto names = [&](double serial_s) {
    machine.stages_on_cores_s = serial_s;
    return measured_on(machine);
  };
  const Names few{"gc/cg1 apart", "cc/mg"};
  EXPECT_EQ(names(200e-3), few) << "the device alone tells of no other threads";
  EXPECT_EQ(names(30e-3), few);
  EXPECT_GT(names(9e-3).size(), 3U) << "it is as fast as the device";
}

}  // namespace
}  // namespace tandem
