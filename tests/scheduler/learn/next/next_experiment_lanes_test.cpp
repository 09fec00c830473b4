// SPDX-License-Identifier: LGPL-2.1-or-later
// The lanes of next_experiment().
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

Next next(const Facts& facts) {
  return next_experiment(facts, interpret(facts.observations, facts.chain), {}, {});
}

// As if a plan had been carried out on a device that takes `device_s` for a frame, beside cores
// that take `core_s` each. What has a stage on either side is far slower.
Observation carried_out_beside(const Plan& plan, const Chain& chain, double core_s,
                               double device_s) {
  Observation made = carried_out(plan);
  const Configuration& configuration = made.configuration;
  const bool device = configuration.mapping.device_stages() == 3;
  const bool medium = configuration.granularity == Granularity::medium;
  const int cores =
      medium ? chain.cores : std::min(configuration.threads, chain.cores) - (device ? 1 : 0);
  made.frames = 300;
  made.service_s = core_s;
  made.device_frame_s = device_s;
  made.frame_s = 1 / ((device ? 1 / device_s : 0) + cores / core_s);
  if (!device && configuration.mapping.any_device()) made.frame_s = core_s;
  const bool on_device = device && made.kind != Kind::beside;
  made.stages.assign(2, {(on_device ? device_s : core_s) / 2, 0, 0});
  if (medium) made.stages.assign(2, {core_s / chain.cores / 2, 0, 0});
  return made;
}

// The most lanes that are measured. `gains`: of 2, 4 and 8 lanes over one; without one the device
// takes no frame.
int most_measured(const std::map<int, double>& gains) {
  Chain chain = two_stages();
  chain.lanes = {2, 4, 8};
  Facts facts{chain, {}};
  int most = 1;
  for (;;) {
    const Next wanted = next(facts);
    if (!wanted.plan || is_trial(wanted.plan->kind)) break;
    Observation made = carried_out(*wanted.plan);
    const int lanes = wanted.plan->configuration.lanes;
    made.in_vain = lanes > 1 && !gains.contains(lanes);
    if (lanes > 1 && !made.in_vain) made.frame_s /= gains.at(lanes);
    most = std::max(most, lanes);
    facts.observations.push_back(made);
  }
  return most;
}

TEST(NextExperimentLanesTest, LanesAreDoubledAsLongAsItGains) {
  EXPECT_EQ(most_measured({{2, 1.02}, {4, 1.5}, {8, 2}}), 2);
  EXPECT_EQ(most_measured({{2, 1.8}, {4, 1.85}, {8, 2}}), 4) << "with four it gains 3%";
  EXPECT_EQ(most_measured({{2, 1.8}, {4, 3}, {8, 3.1}}), 8);
}

TEST(NextExperimentLanesTest, ADeviceThatTakesNoFrameEndsIt) {
  EXPECT_EQ(most_measured({{2, 1.8}}), 4);
  EXPECT_EQ(most_measured({}), 2);
}

// A core takes 60 ms for a frame. What a second thread computes itself is nothing, but with four
// lanes and more of them the device does a tenth more with two threads.
TEST(NextExperimentLanesTest, ASecondDriverIsFoundWhereTheModelExpectsNothingOfIt) {
  Chain chain = two_stages();
  chain.cores = 16;
  chain.lanes = {2, 4};
  Facts facts{chain, {}};
  Next wanted = next(facts);
  for (; wanted.plan; wanted = next(facts)) {
    ASSERT_LT(facts.observations.size(), 100U);
    const int lanes = wanted.plan->configuration.lanes;
    const int threads = wanted.plan->configuration.threads;  // under medium grain all
    double device_s = lanes == 1 ? 1e-3 : lanes == 2 ? 0.5e-3 : 0.35e-3;
    if (threads == 2 && lanes == 4) device_s /= 1.1;
    if (threads > 2) device_s *= 1.2;
    facts.observations.push_back(carried_out_beside(*wanted.plan, chain, 60e-3, device_s));
  }
  EXPECT_EQ(wanted.choice.best().configuration, on_device(2, 4))
      << to_string(wanted.choice.best().configuration);
}

}  // namespace
}  // namespace tandem
