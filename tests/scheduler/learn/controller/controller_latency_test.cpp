// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller where the least latency is asked for: what it keeps, notices and remembers.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/scheduler/learn/controller/controller_fixture.h"

namespace tandem {
namespace {

constexpr int kStages = 3, kCores = 4;
constexpr int kWhile = 20'000;  // frames that a training would be over in, and all looks

Conditions of_size(int width) {
  return {.stages = "a ! b ! c", .format = "GRAY8", .width = width, .height = 100};
}

class ControllerLatencyTest : public ControllerTest, public testing::WithParamInterface<unsigned> {
 protected:
  Controller trained() {
    Controller controller = make(chip_, kStages, kCores, {.max_overhead = 0.9});
    controller.set_objective({Metric::latency});
    step_ = controller.frames_changed(of_size(100), 0);
    run(controller, kWhile);
    EXPECT_EQ(decisions_.size(), 1U);
    return controller;
  }

  void run(Controller& controller, int frames) {
    for (int frame = 0; frame < frames; ++frame)
      if (const auto next = next_frame(controller, chip_, step_)) step_ = *next;
  }

  // What the chip would do, by its own description.
  double latency_s(const Configuration& configuration) const {
    return predict(chip_.truth(), configuration).latency_s;
  }

  PaperChip chip_{kStages, kCores, GetParam()};
  Step step_;
};

TEST_P(ControllerLatencyTest, WhatRunsStaysUnlessAnotherIsBetterByMoreThanTheNoise) {
  Controller controller = trained();
  for (int again = 0; again < 5; ++again) {
    const Configuration before = step_.configuration;
    step_ = controller.retrain();
    run(controller, kWhile);
    const Configuration after = step_.configuration;
    if (!(after == before)) {
      EXPECT_LT(latency_s(after), 0.98 * latency_s(before))
          << to_string(before) << " -> " << to_string(after);
    }
  }
}

TEST_P(ControllerLatencyTest, NobodyTrainsWhileFramesTakeWhatTheyTook) {
  Controller controller = trained();
  run(controller, 2 * kWhile);
  EXPECT_EQ(decisions_.size(), 1U);
  EXPECT_NEAR(controller.latency_p95_s(), controller.predicted().latency_s,
              0.15 * controller.predicted().latency_s);
}

// A training by throughput saw frames behind others alone.
TEST_P(ControllerLatencyTest, ALatencyThatNobodyMeasuredIsMeasured) {
  Controller controller = make(chip_, kStages, kCores, {.max_overhead = 0.9});
  std::vector<Observation> spaced;
  controller.observed = [&](const Observation& seen) {
    if (seen.spaced) spaced.push_back(seen);
  };
  step_ = controller.frames_changed(of_size(100), 0);
  run(controller, kWhile);
  EXPECT_TRUE(spaced.empty());
  step_ = controller.set_objective({Metric::latency});
  EXPECT_TRUE(controller.training());
  run(controller, kWhile);
  EXPECT_TRUE(std::ranges::any_of(spaced, [](const Observation& seen) {
    return seen.configuration == Configuration{{7, kStages}, Granularity::coarse, 1};
  })) << "the device alone, with one lane";
  EXPECT_EQ(decisions_.back().reason, Reason::objective);
  step_ = controller.set_objective({});
  step_ = controller.set_objective({Metric::latency});
  run(controller, kWhile);
  EXPECT_EQ(controller.totals().trainings, 2) << "it is known now";
}

TEST_P(ControllerLatencyTest, FramesThatTakeLongerAreNoticed) {
  Controller controller = trained();
  const double expected_s = controller.predicted().latency_s;
  chip_.slow_down(1.6);
  run(controller, kWhile);
  ASSERT_GE(decisions_.size(), 2U);
  EXPECT_EQ(decisions_[1].reason, Reason::drift);
  EXPECT_NEAR(controller.predicted().latency_s, 1.6 * expected_s, 0.2 * expected_s);
  chip_.slow_down(1);
  run(controller, kWhile);
  EXPECT_NEAR(controller.predicted().latency_s, expected_s, 0.2 * expected_s);
  EXPECT_LE(controller.totals().trainings, 2) << "where looks say that what was learnt is over";
}

TEST_P(ControllerLatencyTest, ASizeThatComesBackRunsWhatAnsweredSoonest) {
  Controller controller = trained();
  const std::string chosen = to_string(step_.configuration);
  step_ = controller.frames_changed(of_size(200), 0);
  EXPECT_EQ(decisions_.back().reason, Reason::derived);
  EXPECT_TRUE(known(decisions_.back().predicted.latency_s));
  EXPECT_GT(decisions_.back().predicted.latency_s, decisions_.front().predicted.latency_s);
  run(controller, 100);
  step_ = controller.frames_changed(of_size(100), 0);
  EXPECT_EQ(decisions_.back().reason, Reason::remembered);
  EXPECT_EQ(to_string(step_.configuration), chosen);
  EXPECT_EQ(decisions_.back().choice.objective.metric, Metric::latency);
}

INSTANTIATE_TEST_SUITE_P(Chips, ControllerLatencyTest, testing::Values(1, 2, 3, 4, 5, 6));

}  // namespace
}  // namespace tandem
