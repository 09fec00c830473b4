// SPDX-License-Identifier: LGPL-2.1-or-later
// Split frames whose sides get slower and faster.
#include <cstdlib>

#include "tests/scheduler/learn/controller/controller_fixture.h"

namespace tandem {
namespace {

constexpr int kStages = 3, kCores = 4;

class ControllerBalanceTest : public ControllerTest {
 protected:
  // Trains on a mapping that is split, and runs what it chose for a while.
  Controller trained(AdaptRules rules = {.max_overhead = 0.9}) {
    if (!rules.allowed.mapping) rules.allowed.mapping = Mapping{7, kStages, Side::s};
    return trained_by({}, rules);
  }

  Controller trained_by(const Objective& objective, const AdaptRules& rules) {
    Chain chain;
    chain.stages = kStages;
    chain.cores = kCores;
    chain.device_capable = chain.can_split = 7;
    Controller controller(chain, std::make_shared<Knowledge>(), [this] { return chip_.probe(); });
    controller.set_rules(rules);
    controller.set_objective(objective);
    controller.decided = [this](const Decision& decision) { decisions_.push_back(decision); };
    step_ = controller.frames_changed({"a"}, 0);
    run(controller, 5000);
    return controller;
  }

  int share() const { return step_.configuration.cpu_share; }

  // Where both sides take as long.
  double balanced(double left = 1) const {
    double cores_s = 0, device_s = 0;
    for (const StageMeasurements& stage : chip_.truth().stages) {
      cores_s += stage.mg.seconds / left;
      device_s += stage.device.seconds;
    }
    return 100 * device_s / (cores_s + device_s);
  }

  void run(Controller& controller, int frames) {
    for (int frame = 0; frame < frames; ++frame)
      if (const auto next = next_frame(controller, chip_, step_)) step_ = *next;
  }

  PaperChip chip_{kStages, kCores, 3};
  Step step_;
};

TEST_F(ControllerBalanceTest, TwoExperimentsFindTheShare) {
  Controller controller = trained();
  ASSERT_EQ(decisions_.size(), 1U);
  EXPECT_EQ(decisions_[0].reason, Reason::caps);
  EXPECT_TRUE(step_.configuration.mapping.any_split()) << to_string(step_.configuration);
  EXPECT_NEAR(share(), balanced(), 5);
  const Measured measured = controller.measured();
  EXPECT_NEAR(controller.predicted().throughput_fps, measured.throughput_fps,
              0.05 * measured.throughput_fps);
}

TEST_F(ControllerBalanceTest, ABurnerMovesTheShareAndItComesBack) {
  constexpr int kLookAndMoves = 100;  // frames: a look that is under way comes to its end first
  Controller controller = trained();
  const int before = share();
  chip_.burn(0.5);
  run(controller, kLookAndMoves);
  ASSERT_EQ(decisions_.size(), 3U) << "half of the way, then the rest";
  EXPECT_EQ(decisions_[1].reason, Reason::balanced);
  EXPECT_STREQ(to_string(decisions_[1].reason), "balanced");
  EXPECT_EQ(decisions_[1].before.cpu_share, before);
  EXPECT_LT(decisions_[1].after.cpu_share, before);
  EXPECT_NEAR(share(), balanced(0.5), 3);
  run(controller, 2000);
  EXPECT_NEAR(share(), balanced(0.5), 3);
  chip_.burn(0);
  run(controller, kLookAndMoves);
  EXPECT_NEAR(share(), before, 3);
  EXPECT_EQ(controller.totals().trainings, 1);
}

TEST_F(ControllerBalanceTest, ASteadyStreamKeepsItsShare) {
  Controller controller = trained();
  run(controller, 10'000);
  EXPECT_EQ(decisions_.size(), 1U);
}

// What shares of one size took says nothing of another one.
TEST_F(ControllerBalanceTest, FramesThatChangeBetweenTheExperimentsBeginAnew) {
  AdaptRules rules{.max_overhead = 0.9};
  rules.allowed.mapping = Mapping{7, kStages, Side::s};
  Chain chain;
  chain.stages = kStages;
  chain.cores = kCores;
  chain.device_capable = chain.can_split = 7;
  Controller controller(chain, std::make_shared<Knowledge>(), [this] { return chip_.probe(); });
  controller.set_rules(rules);
  step_ = controller.frames_changed({"a"}, 0);
  std::vector<int> shares;
  controller.observed = [&](const Observation& seen) {
    if (seen.configuration.mapping.any_split()) shares.push_back(seen.configuration.cpu_share);
  };
  while (shares.empty()) run(controller, 1);
  ASSERT_TRUE(controller.training()) << "the second experiment is under way";
  step_ = controller.frames_changed({"b"}, 0);
  run(controller, 20'000);
  ASSERT_GT(shares.size(), 2U) << "one of a, the others of b";
  EXPECT_EQ(shares[1], shares[0]) << "half of the rows of b";
  EXPECT_EQ(controller.totals().trainings, 2) << "the one that was given up counts";
  EXPECT_NEAR(share(), balanced(), 5);
}

TEST_F(ControllerBalanceTest, AShareThatIsFixedStays) {
  AdaptRules rules{.max_overhead = 0.9};
  rules.allowed.cpu_share = 50;
  rules.allowed.mapping = Mapping{7, kStages, Side::s};
  Controller controller = trained(rules);
  chip_.burn(0.5);
  run(controller, 200);
  EXPECT_EQ(share(), 50);
  EXPECT_EQ(controller.totals().trainings, 0);
}

// Throughput does not split frames; the least latency may.
TEST_F(ControllerBalanceTest, AnotherObjectiveMeasuresTheSplitsThatItLacks) {
  AdaptRules rules{.max_overhead = 0.9};
  rules.allowed.granularity = Granularity::medium;
  Controller controller = trained_by({Metric::throughput}, rules);
  const auto measured = [&] {
    return known(controller.learnt()->findings.measurements.split.device.rows_s);
  };
  EXPECT_FALSE(measured());
  step_ = controller.set_objective({Metric::latency});
  run(controller, 5000);
  EXPECT_TRUE(measured());
  EXPECT_EQ(controller.totals().trainings, 2);
  step_ = controller.set_objective({Metric::throughput});
  step_ = controller.set_objective({Metric::latency});
  run(controller, 5000);
  EXPECT_EQ(controller.totals().trainings, 2) << "it is known now";
}

// Where no training is allowed the objective is followed with what is known.
TEST_F(ControllerBalanceTest, AnotherObjectiveDoesNotWaitForTheSplitsThatItLacks) {
  AdaptRules rules{.max_overhead = 0.9};
  rules.allowed.granularity = Granularity::medium;
  Controller controller = trained_by({Metric::throughput}, rules);
  rules.max_overhead = 1e-9;
  step_ = controller.set_rules(rules);
  step_ = controller.set_objective({Metric::latency});
  EXPECT_EQ(decisions_.back().reason, Reason::objective);
  run(controller, 1000);
  EXPECT_EQ(controller.totals().trainings, 1);
}

TEST_F(ControllerBalanceTest, NothingIsSplitWhereThatIsNotAllowed) {
  AdaptRules rules{.max_overhead = 0.9};
  rules.allowed.cpu_share = 0;
  rules.allowed.mapping = Mapping{7, kStages};
  Controller controller = trained(rules);
  EXPECT_FALSE(step_.configuration.mapping.any_split());
}

}  // namespace
}  // namespace tandem
