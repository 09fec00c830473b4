// SPDX-License-Identifier: LGPL-2.1-or-later
// The experiments of a chain whose second stage has no device.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/learn/meaning/next_measurement.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;
using Names = std::vector<std::string>;

// Seconds of the stage on the device; of the other on a core and over all; what the first takes so.
Names measured_with_a_stage_on_the_cores(double device_s, double core_s, double medium_s,
                                         double first_medium_s, double download_s = 0,
                                         const Objective& objective = {},
                                         const Constraints& allowed = {}) {
  Chain chain = two_stages(1);
  chain.cores = 16;
  chain.lanes = {2, 4, 8};
  Facts facts{chain, {}};
  Names names;
  for (;;) {
    const Findings findings = interpret(facts.observations, chain);
    const auto plan = next_measurement(facts, findings, objective, allowed);
    if (!plan || names.size() > 50) return names;
    Observation seen = carried_out(*plan);
    const bool device = plan->configuration.mapping.any_device();
    const bool medium = plan->configuration.granularity == Granularity::medium;
    seen.stages[0].seconds = device ? device_s : medium ? first_medium_s : core_s;
    seen.stages[0].download_s = download_s;
    seen.stages[1].seconds = medium ? medium_s : core_s;
    seen.cores_s = core_s;
    seen.cpu_s = 2 * core_s;
    seen.frame_s = device ? device_s + core_s : 2 * core_s;
    names.push_back(to_string(plan->configuration));
    facts.observations.push_back(seen);
  }
}

TEST(NextMeasurementOnCoresTest, WhereTheDeviceWaitsForOtherStagesTheCoresAreAtWork) {
  const Names few{"gc/cg17", "cc/mg"};
  EXPECT_EQ(measured_with_a_stage_on_the_cores(20e-3, 300e-3, 25e-3, 25e-3), few);
  EXPECT_GT(measured_with_a_stage_on_the_cores(60e-3, 300e-3, 25e-3, 25e-3).size(), 3U)
      << "a device that does not keep up";
  EXPECT_GT(measured_with_a_stage_on_the_cores(20e-3, 5e-3, 1e-3, 5e-3).size(), 3U)
      << "the cores wait for the device";
}

TEST(NextMeasurementOnCoresTest, ADeviceThatKeepsUpWithTheCoresOnLongFramesIsAllThatIsMeasured) {
  const auto names = [](double device_s, double core_s, double download_s = 0,
                        const Objective& objective = {}, const Constraints& allowed = {}) {
    return measured_with_a_stage_on_the_cores(device_s, core_s, core_s / 12, core_s / 12,
                                              download_s, objective, allowed);
  };
  EXPECT_EQ(names(15e-3, 300e-3), Names{"gc/cg17"});
  EXPECT_EQ(names(15e-3, 300e-3, 15e-3), Names{"gc/cg17"}) << "copied while it computes";
  const Names medium{"gc/cg17", "cc/mg"};
  EXPECT_EQ(names(20e-3, 300e-3), medium) << "all cores may be faster";
  EXPECT_EQ(names(15e-3, 300e-3, 20e-3), medium);
  EXPECT_EQ(names(1.5e-3, 30e-3), medium) << "it costs little";
  Constraints fixed;
  fixed.granularity = Granularity::medium;
  EXPECT_EQ(names(15e-3, 300e-3, 0, {}, fixed), medium) << "that is asked for";
  EXPECT_EQ(names(15e-3, 300e-3, 0, {Metric::efficiency})[1], "cc/mg") << "which draws less?";
}

}  // namespace
}  // namespace tandem
