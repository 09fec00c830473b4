// SPDX-License-Identifier: LGPL-2.1-or-later
// What a training costs where the device is far ahead of the cores.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "scheduler/learn/belief/next_experiment.h"
#include "tests/support/slowness.h"
#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

// Under sanitizers one training takes as long as all of them otherwise.
#ifdef TANDEM_SANITIZED
constexpr unsigned kSeeds = 1;
constexpr bool kSearches = false;
constexpr Metric kMetrics[] = {Metric::throughput};
#else
constexpr unsigned kSeeds = 5;
constexpr bool kSearches = true;
constexpr Metric kMetrics[] = {Metric::throughput, Metric::efficiency};
#endif
constexpr int kMostFrames = 1'000'000;
constexpr int kCounterValues = 3;
constexpr double kColdSeconds = 20;

struct Outcome {
  Configuration chosen;
  double training_s = 0, slow_s = 0;
  int frames = 0, experiments = 0, trials = 0;
};

/// A training without a controller, which shows each of its facts.
Outcome train(const Chip& chip, unsigned seed, Metric metric) {
  Simulation simulation(chip, seed);
  Facts facts;
  facts.chain.stages = static_cast<int>(chip.stages.size());
  facts.chain.cores = chip.cores;
  facts.chain.device_capable = chip.device_capable();
  for (int k = 0; k < facts.chain.stages; ++k)
    facts.chain.serial_stages |= chip.stages[k].serial ? 1u << k : 0;
  for (const int lanes : chip.lanes())
    if (lanes > 1) facts.chain.lanes.push_back(lanes);
  facts.chain.domains = {Domain::dominant, Domain::dominant, Domain::dominant};
  facts.chain.window = Dispatch::kMaxWindow;
  // What runs while a bin opens the device.
  simulation.configure({{0, facts.chain.stages}, Granularity::coarse, 3 * chip.cores / 4});
  for (int frame = 0; frame < chip.cores; ++frame) simulation.next();
  const double begin_s = simulation.now_s();
  const double counter_s =
      metric == Metric::throughput ? 0 : kCounterValues * chip.meter_resolution_s;
  const auto probe = [&] {
    return Probe{static_cast<uint64_t>(1e9 * simulation.now_s()), simulation.cpu_s(),
                 simulation.energy().reading(), chip.cores};
  };
  Slowness slowness(begin_s);
  Outcome outcome;
  double best_fps = 0;
  for (;;) {
    const Findings findings = interpret(facts.observations, facts.chain);
    const Next next = next_experiment(facts, findings, {metric}, {});
    if (!next.plan) {
      outcome.chosen = next.choice.best().configuration;
      break;
    }
    (is_trial(next.plan->kind) ? outcome.trials : outcome.experiments) += 1;
    const double since_s = simulation.now_s();
    simulation.configure(next.plan->configuration, next.plan->step().time_stages);
    Experiment experiment(*next.plan, facts.chain, counter_s, probe);
    for (bool over = false; !over;) {
      const Simulation::Frame frame = simulation.next();
      slowness.frame_done(simulation.now_s(), best_fps);
      over = experiment.take(frame.times, frame.device_stages);
      if (++outcome.frames > kMostFrames) return outcome;
    }
    facts.observations.push_back(experiment.observation());
    const Observation& seen = facts.observations.back();
    if (known(seen.frame_s)) best_fps = std::max(best_fps, 1 / seen.frame_s);
    if (std::getenv("TANDEM_TEST_VERBOSE"))
      std::printf("%7.3f s  %-8s %-12s %8.1f fps (%.1f) in %.3f s\n", since_s - begin_s,
                  seen.kind == Observation::Kind::stages   ? "stages"
                  : seen.kind == Observation::Kind::glance ? "glance"
                  : seen.kind == Observation::Kind::look   ? "look"
                                                           : "measure",
                  to_string(seen.configuration).c_str(), 1 / seen.frame_s,
                  predict(findings.measurements, seen.configuration).throughput_fps,
                  simulation.now_s() - since_s);
  }
  outcome.training_s = simulation.now_s() - begin_s;
  outcome.slow_s = slowness.longest_s();
  return outcome;
}

/// Of enough configurations, each for so long that a frame on a core is no burst.
double best_value(const Chip& chip, Metric metric) {
  double best = 0;
  for (const Configuration& c : all_configurations(static_cast<int>(chip.stages.size()), chip.cores,
                                                   chip.device_capable(), chip.lanes()))
    if (c.granularity == Granularity::medium || c.threads < 3 || c.threads % 4 == 0)
      best = std::max(best, run_steadily(chip, c, 1, 2000).value(metric));
  return best;
}

/// What is asked of a training, in seconds, on average of all, each no more than a tenth longer,
/// and of the first 20 s.
struct Bars {
  double training_s, lost_s, slow_s, cold = 0.95;
};

void expect(const Chip& chip, Metric metric, const Bars& bars) {
  const double best = kSearches ? best_value(chip, metric) : 0;
  double trainings_s = 0, values = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Outcome outcome = train(chip, seed, metric);
    trainings_s += outcome.training_s;
    const Steady chosen = run_steadily(chip, outcome.chosen, 1, 20000);
    const double fps = chosen.throughput_fps;
    const double cold =
        (outcome.frames + fps * (kColdSeconds - outcome.training_s)) / (fps * kColdSeconds);
    std::printf("| %s, %s | %s | %.2f | %d | %d + %d | %.2f | %.2f | %.3f | %.3f |\n",
                chip.name.c_str(), metric == Metric::throughput ? "throughput" : "efficiency",
                to_string(outcome.chosen).c_str(), outcome.training_s, outcome.frames,
                outcome.experiments, outcome.trials, outcome.training_s - outcome.frames / fps,
                outcome.slow_s, cold, chosen.value(metric) / best);
    EXPECT_LE(outcome.training_s, 1.1 * bars.training_s);
    EXPECT_LE(outcome.training_s - outcome.frames / fps, bars.lost_s);
    EXPECT_GE(cold, bars.cold);
    EXPECT_LE(outcome.slow_s, bars.slow_s);
    EXPECT_GE(chosen.value(metric), 0.9 * best);
    values += chosen.value(metric);
  }
  EXPECT_GE(values / kSeeds, (metric == Metric::throughput ? 0.97 : 0.93) * best);
  EXPECT_LE(trainings_s / kSeeds, bars.training_s);
}

TEST(LargeDevice, ATrainingIsShort) {
  std::printf(
      "| chip, objective | chosen | training, s | frames | experiments + trials | lost, s | slow, "
      "s "
      "| of the first 20 s | of the best |\n");
  const LargeDevice chips = large_device_chips();
  for (const Metric metric : kMetrics) {
    expect(chips.vivid_small, metric, {2, 1, 0.1});
    expect(chips.vivid, metric, {4, 1, 0.1});
    expect(chips.tracking, metric, {4, 1, 0.1});
    // Beside busy cores the driver starves: many numbers of threads come into question.
    expect(chips.srad, metric, {4, 1.2, 0.1, 0.94});
    expect(chips.crowded_srad, metric, {3.3, 1, 0.1});
    expect(chips.scene_small, metric, {2, 1, 0.1});
    // A frame lasts 0.4 s there, and only part of it on the device, which waits for the rest. What
    // draws less has to be measured under medium grain too, which waits for all that is under way.
    expect(chips.scene, metric,
           metric == Metric::throughput ? Bars{3.1, 0.4, 0.4, 0.98} : Bars{6.5, 1.2, 1.2, 0.94});
  }
}

// They run out before the window does that the bin knows of. A frame lasts 0.06 s on a core, and
// medium grain tells it.
TEST(LargeDevice, NoCoreHoldsUpASourceOf64Buffers) {
  Chip chip = large_device_chips().vivid;
  chip.window = 64;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Outcome outcome = train(chip, seed, Metric::throughput);
    EXPECT_LE(outcome.slow_s, 0.16) << seed;
    EXPECT_EQ(outcome.experiments, 5) << "the device in two halves, two numbers of lanes, medium";
  }
}

TEST(LargeDevice, WhenItFailsFramesGoOnSideBySide) {
  const Chip chip = large_device_chips().vivid;
  SimulatedBin bin(chip, 1, {});
  bin.frames_changed("frames");
  ASSERT_TRUE(bin.run_to_decision(kMostFrames));
  bin.device_failed();
  const Decision& decision = bin.decisions().back();
  EXPECT_EQ(decision.reason, Reason::device_failed);
  EXPECT_EQ(decision.after.granularity, Granularity::coarse);
  EXPECT_GE(decision.after.threads, chip.cores);
}

// A core computes the last stage sooner than the device, and frames of 96 ms in all.
TEST(LargeDevice, AShortStageIsLeftToTheCores) {
  Chip chip = large_device_chips().vivid;
  chip.cores = 8;
  const Chip::Stage long_stage{.core_s = 32e-3, .medium_s = 4.2e-3, .device_s = 60e-6};
  for (const double device_s : {0.1e-3, 0.25e-3, 0.5e-3}) {
    chip.stages = {long_stage,
                   long_stage,
                   long_stage,
                   {.core_s = 20e-6, .medium_s = 20e-6, .device_s = device_s}};
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const Mapping chosen = train(chip, seed, Metric::throughput).chosen.mapping;
      EXPECT_EQ(chosen.device_stages(), 7U) << device_s << " " << seed;
    }
  }
}

// Medium grain does 1670 frames/s, and each core a stage of its own 1980.
TEST(LargeDevice, CoresThatWereTakenForAMomentAreMeasuredOnceMore) {
  Chip chip = large_device_chips().scene_small;
  for (Chip::Stage& stage : chip.stages) stage.medium_s = 0.6e-3;
  for (const double taken_s : {0.05, 0.1, 0.2}) {
    SimulatedBin bin(chip, 0, {});
    bin.simulation().set_others(24);
    bin.frames_changed("frames");
    bin.run_until(bin.simulation().now_s() + taken_s);
    bin.simulation().set_others(0);
    ASSERT_TRUE(bin.run_to_decision(kMostFrames));
    EXPECT_EQ(bin.decisions().back().after.granularity, Granularity::coarse) << taken_s;
  }
}

// It lets 25 frames a second through, whatever is on the device.
TEST(LargeDevice, WhereAllWaitForASerialStageATrainingIsShort) {
  Chip chip = large_device_chips().vivid;
  chip.window = 64;
  chip.stages = {{.core_s = 0.2, .medium_s = 0.02, .device_s = 2e-3},
                 {.core_s = 40e-3, .medium_s = 40e-3, .serial = true, .has_device = false}};
  const Outcome outcome = train(chip, 0, Metric::throughput);
  EXPECT_LE(outcome.experiments, 2);
  EXPECT_LE(outcome.training_s, 10);
  EXPECT_NEAR(run_steadily(chip, outcome.chosen, 1, 1000).throughput_fps, 25, 0.5);
}

TEST(LargeDevice, HalfAnExperimentIsOneWhereItIsAll) {
  const LargeDevice chips = large_device_chips();
  SimulatedBin bin(chips.scene, 1, {});
  std::vector<Observation::Kind> kinds;
  bin.trained([&](const Conditions&, const Learnt& learnt) {
    for (const Observation& seen : learnt.facts.observations)
      if (!is_trial(seen.kind)) kinds.push_back(seen.kind);
  });
  bin.frames_changed("frames");
  ASSERT_TRUE(bin.run_to_decision(kMostFrames));
  EXPECT_EQ(kinds, std::vector{Observation::Kind::stages});
  EXPECT_EQ(bin.decisions().back().experiments, 1);
}

}  // namespace
}  // namespace tandem::test
