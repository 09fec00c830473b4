// SPDX-License-Identifier: LGPL-2.1-or-later
// Controllers that share a machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "scheduler/learn/run/controller.h"
#include "tests/scheduler/learn/paper_chip.h"

namespace tandem {
namespace {

constexpr int kStages = 3, kCores = 8;
constexpr double kUsual = 0.2;  // of the chip's times: a frame takes some milliseconds

// Bins on chips of one kind. None slows down the others: what they may use is what is tested.
class NeighboursTest : public testing::Test {
 protected:
  struct Bin {
    Bin(NeighboursTest& test, const std::string& frames, int cores = kCores)
        : chip(kStages, kCores, 3),
          controller(
              chain(cores), std::make_shared<Knowledge>(), [this] { return chip.probe(); },
              {test.shared_, std::make_shared<Seat>(test.shared_->machine, [] { return 0.0; })}) {
      chip.slow_down(kUsual);
      chip.wait_until(static_cast<uint64_t>(1e9 * test.now_s_));
      controller.decided = [this](const Decision& decision) { decisions.push_back(decision); };
      controller.set_rules({});
      step = controller.frames_changed({frames}, 0);
    }
    static Chain chain(int cores) {
      Chain chain;
      chain.stages = kStages;
      chain.cores = cores;
      chain.device_capable = (1u << kStages) - 1;
      return chain;
    }
    void next() {
      if (const auto next = next_frame(controller, chip, step)) step = *next;
    }
    double now_s() const { return seconds_of(chip.probe()); }
    static double seconds_of(const Probe& probe) {
      return 1e-9 * static_cast<double>(probe.now_ns);
    }
    int trainings() const { return controller.totals().trainings; }
    bool has(Reason reason) const {
      return std::ranges::any_of(decisions, [&](const Decision& d) { return d.reason == reason; });
    }

    PaperChip chip;
    Controller controller;
    std::vector<Decision> decisions;
    Step step;
  };

  // All have their next frame in the order of their clocks.
  void run(const std::vector<Bin*>& bins, double for_s) {
    const double until_s = now_s_ + for_s;
    for (;;) {
      Bin* next = *std::ranges::min_element(bins, {}, &Bin::now_s);
      if (next->now_s() > until_s) break;
      next->next();
    }
    now_s_ = until_s;
  }

  const std::shared_ptr<Neighbourhood> shared_ = std::make_shared<Neighbourhood>(kCores);
  double now_s_ = Bin::seconds_of(PaperChip(1, 1, 0).probe());
};

TEST_F(NeighboursTest, OneOfThemTrainsAndAllKnow) {
  Bin a(*this, "frames"), b(*this, "frames"), c(*this, "frames"), d(*this, "frames");
  run({&a, &b, &c, &d}, 30);
  EXPECT_EQ(a.trainings() + b.trainings() + c.trainings() + d.trainings(), 1);
  for (const Bin* bin : {&a, &b, &c, &d}) {
    EXPECT_FALSE(bin->controller.training());
    EXPECT_EQ(to_string(bin->step.configuration), to_string(a.step.configuration));
    EXPECT_LE(bin->step.configuration.threads, kCores / 4 + 1) << "a part of the cores";
    EXPECT_NE(bin->step.configuration.granularity, Granularity::medium) << "takes all cores";
  }
  EXPECT_TRUE(b.has(Reason::waits));
  EXPECT_TRUE(b.has(Reason::remembered));
}

TEST_F(NeighboursTest, OtherFramesAreLearntOneAfterTheOther) {
  Bin a(*this, "small"), b(*this, "large");
  for (int i = 0; i < 120; ++i) {
    run({&a, &b}, 0.5);
    ASSERT_FALSE(a.controller.training() && b.controller.training());
  }
  EXPECT_EQ(a.trainings(), 1);
  EXPECT_EQ(b.trainings(), 1);
}

TEST_F(NeighboursTest, WhoStopsWhileItTrainsHoldsUpNoOther) {
  Bin a(*this, "small"), b(*this, "large");
  run({&a, &b}, 0.05);
  ASSERT_TRUE(a.controller.training());
  ASSERT_FALSE(b.controller.training());
  run({&b}, 60);
  EXPECT_EQ(b.trainings(), 1);
}

TEST_F(NeighboursTest, WhoComesLaterUsesWhatIsKnownOfMoreCores) {
  Bin a(*this, "frames");
  run({&a}, 30);
  ASSERT_EQ(a.trainings(), 1);
  Bin b(*this, "frames");
  run({&a, &b}, 20);
  EXPECT_EQ(b.trainings(), 0);
  EXPECT_TRUE(a.has(Reason::neighbours));
  EXPECT_LE(a.step.configuration.threads, kCores / 2 + 1);
  EXPECT_EQ(to_string(a.step.configuration), to_string(b.step.configuration));
}

// What slow frames are expected to do was derived from what was learnt with all cores.
TEST_F(NeighboursTest, AnotherOneBeginsWhileFramesAreSlow) {
  Bin a(*this, "frames");
  run({&a}, 30);
  a.chip.slow_down(1.6 * kUsual);
  run({&a}, 10);
  ASSERT_TRUE(a.has(Reason::drift));
  ASSERT_EQ(a.trainings(), 1);
  Bin b(*this, "others");
  run({&a, &b}, 30);
  EXPECT_TRUE(a.has(Reason::neighbours));
  EXPECT_LE(a.step.configuration.threads, kCores / 2 + 1);
  EXPECT_FALSE(a.controller.training());
  EXPECT_EQ(b.trainings(), 1);
}

TEST_F(NeighboursTest, WhoIsAloneAgainRunsWhatItRanAlone) {
  Bin a(*this, "frames");
  run({&a}, 30);
  const std::string alone = to_string(a.step.configuration);
  {
    Bin b(*this, "frames");
    run({&a, &b}, 20);
  }
  run({&a}, 20);
  EXPECT_EQ(to_string(a.step.configuration), alone);
  EXPECT_EQ(a.trainings(), 1);
}

TEST_F(NeighboursTest, WhatTrainingOfOthersDoesIsNoDrift) {
  Bin a(*this, "frames");
  run({&a}, 30);
  Bin b(*this, "other frames");
  run({&a, &b}, 1);
  ASSERT_TRUE(b.controller.training());
  a.chip.slow_down(2 * kUsual);
  while (b.controller.training()) run({&a, &b}, 0.5);
  EXPECT_FALSE(a.has(Reason::drift));
  run({&a, &b}, 60);
  EXPECT_FALSE(a.has(Reason::drift)) << "slower since others changed what they run";
  a.chip.slow_down(4 * kUsual);
  run({&a, &b}, 200);
  EXPECT_TRUE(a.has(Reason::drift)) << "slower, and nobody changed anything";
}

// Frames become slower, most of all where many threads feed the device: what both learnt does not
// hold, and one of them may not train.
TEST_F(NeighboursTest, WhoMakesDoTakesUpWhatAnotherLearns) {
  Bin a(*this, "frames"), b(*this, "frames");
  run({&a, &b}, 30);
  ASSERT_EQ(a.trainings() + b.trainings(), 1);
  a.step = a.controller.set_rules({.max_overhead = 1e-6});
  b.step = b.controller.set_rules({.max_overhead = 0.9});
  run({&a, &b}, 20);
  const auto slow_down = [](Bin& bin) {
    bin.chip.slow_down(1.6 * kUsual);
    bin.chip.crowd(2, 0.2);
  };
  slow_down(a);
  run({&a, &b}, 60);
  EXPECT_TRUE(a.has(Reason::drift));
  slow_down(b);
  const auto remembered = [&a] {
    return std::ranges::count(a.decisions, Reason::remembered, &Decision::reason);
  };
  const auto before = remembered();
  run({&a, &b}, 100);
  EXPECT_EQ(a.trainings() + b.trainings(), 2);
  EXPECT_EQ(remembered(), before + 1);
  EXPECT_EQ(to_string(a.step.configuration), to_string(b.step.configuration));
}

TEST_F(NeighboursTest, RulesThatComeWithAnotherShareDoNotHideIt) {
  auto b = std::make_unique<Bin>(*this, "other frames");
  Bin a(*this, "frames");
  while (!a.controller.training()) run({&a, b.get()}, 0.1);
  b.reset();
  a.step = a.controller.set_rules({});
  run({&a}, 60);
  ASSERT_FALSE(a.controller.training());
  EXPECT_EQ(a.controller.learnt()->findings.measurements.cores, kCores);
}

TEST_F(NeighboursTest, WithoutTheDeviceWhatOthersLearntHoldsForTheCores) {
  Bin a(*this, "frames"), b(*this, "frames");
  b.step = b.controller.device_failed();
  run({&a, &b}, 30);
  EXPECT_EQ(a.trainings(), 1);
  EXPECT_EQ(b.trainings(), 0);
  EXPECT_FALSE(b.step.configuration.mapping.any_device());
}

}  // namespace
}  // namespace tandem
