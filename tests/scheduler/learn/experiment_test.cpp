// SPDX-License-Identifier: LGPL-2.1-or-later
// The experiments that the model is made of, on a chip on paper.
#include "scheduler/learn/facts/experiment.h"

#include <gtest/gtest.h>

#include "scheduler/learn/belief/next_experiment.h"
#include "tests/scheduler/learn/paper_chip.h"

namespace tandem {
namespace {

// Makes all of them; `change` may alter a frame's times.
template <class Change>
Findings measure(PaperChip& chip, const Chain& chain, double counter_s, const ReadProbe& probe,
                 Change&& change) {
  Facts facts{chain, {}};
  Findings findings = interpret({}, chain);
  for (;;) {
    const Next next = next_experiment(facts, findings, {}, {});
    if (!next.plan || (is_trial(next.plan->kind) && !next.plan->rest)) return findings;
    Experiment experiment(*next.plan, chain, counter_s, probe);
    const Step step = next.plan->step();
    for (bool over = false; !over;) {
      FrameTimes times = chip.frame(step);
      change(times);
      over = experiment.take(times, chip.device_stages());
    }
    facts.observations.push_back(experiment.observation());
    findings = interpret(facts.observations, chain);
  }
}

constexpr auto kAsItIs = [](FrameTimes&) {};

TEST(ExperimentTest, TheDevicesStagesAreWhatWholeFramesLeaveOfThem) {
  PaperChip chip(3, 2, 4);
  const Measurements& truth = chip.truth();
  double device_s = 0;
  for (const StageMeasurements& stage : truth.stages) device_s += stage.device.seconds;
  chip.wait_for_stages(device_s / 9);  // in all, a third of what a frame takes without
  const Findings found = measure(
      chip, chain_of(2, 7), 0, [&chip] { return chip.probe(); }, kAsItIs);
  const Configuration alone{{7, 3}, Granularity::coarse, 1};
  EXPECT_NEAR(predict(found.measurements, alone).throughput_fps,
              predict(truth, alone).throughput_fps, 0.05 * predict(truth, alone).throughput_fps);
}

// Frames of 4 ms that leave 1 ms after they are done, among others that were not spaced.
TEST(ExperimentTest, SpacedFramesTakeWhatTheyTakeFromPadToPad) {
  const Configuration device{{7, 3}, Granularity::coarse, 1};
  const Configuration split{{7, 3, Side::s}, Granularity::medium, 3, 1, 1, 30};
  for (const auto& [configuration, kind] : {std::pair{device, Observation::Kind::experiment},
                                            {device, Observation::Kind::look},
                                            {split, Observation::Kind::experiment}}) {
    const Plan plan =
        as_in_service({configuration, kind}, chain_of(2, 7), Objective{Metric::latency});
    EXPECT_TRUE(plan.step().spaced);
    Experiment experiment(plan, chain_of(2, 7), 0, [] { return Probe{}; });
    uint64_t now_ns = 1'000'000'000;
    bool over = false;
    for (int i = 0; i < 1000 && !over; ++i) {
      FrameTimes times;
      times.configuration = configuration;
      times.spaced = i % 4 != 0;
      times.begin_ns = now_ns += 100'000;
      times.waking_ns = 100'000;
      times.end_ns = now_ns += times.spaced ? 4'000'000 : 1'000'000;
      times.split_device_ns = configuration == split ? 3'000'000 : 0;
      times.ready_ns = now_ns += 900'000;
      now_ns += 7'000'000;  // until the next one comes
      over = experiment.take(times, 7);
    }
    ASSERT_TRUE(over);
    const Observation seen = experiment.observation();
    EXPECT_TRUE(seen.spaced);
    EXPECT_NEAR(seen.frame_s, 5e-3, 1e-5);
    EXPECT_NEAR(seen.latency_s, 5e-3, 2e-4);
  }
}

TEST(ExperimentTest, WhatHasSeveralFramesAtATimeIsNotSpaced) {
  const Chain chain = chain_of(4, 7);
  const Objective latency{Metric::latency};
  const auto spaced = [&](const Configuration& c, const Objective& by) {
    return as_in_service({c}, chain, by).spaced;
  };
  const Configuration device{{7, 3}, Granularity::coarse, 1};
  EXPECT_TRUE(spaced(device, latency));
  EXPECT_TRUE(spaced({{0, 3}, Granularity::coarse, 1}, latency));
  EXPECT_TRUE(spaced({{0, 3}, Granularity::medium, 5}, latency));
  EXPECT_FALSE(spaced({{7, 3}, Granularity::coarse, 2}, latency));
  EXPECT_FALSE(spaced({{7, 3}, Granularity::coarse, 1, 2}, latency));
  EXPECT_FALSE(spaced({{1, 3}, Granularity::medium, 5}, latency));
  EXPECT_FALSE(spaced(device, {}));
  EXPECT_FALSE(spaced(device, {.target_latency_s = 0.01}));
  EXPECT_FALSE(as_in_service({device, Observation::Kind::stages}, chain, latency).spaced);
}

TEST(ExperimentTest, ThreadsThatStarveAreNoFasterThanTheCores) {
  PaperChip chip(3, 2, 4);
  const auto starve = [](FrameTimes& times) {
    times.starved = true;
    times.begin_ns = times.end_ns - 1'000'000;  // a thread alone has all that it needs
  };
  const Findings found = measure(
      chip, chain_of(2, 0), 0, [&chip] { return chip.probe(); }, starve);
  const std::vector<Cost>& cg = found.measurements.cg;
  EXPECT_NEAR(cg[1].seconds, 5e-4, 1e-6);
  EXPECT_NEAR(cg[2].seconds, 5e-4, 1e-6);
  EXPECT_TRUE(found.starved);
}

TEST(ExperimentTest, ASourceThatGetsNoCoreIsNoSlowSource) {
  for (const double cores_busy : {1.5, 1.9}) {
    PaperChip chip(3, 2, 4);
    const auto probe = [&] {
      Probe busy = chip.probe();
      busy.cpu_s = 1e-9 * cores_busy * static_cast<double>(busy.now_ns);
      busy.processors = 2;
      return busy;
    };
    const auto starve = [](FrameTimes& times) {
      times.starved = true;
      times.end_ns = times.begin_ns + 1'000'000;  // none of which tells what the source lets pass
    };
    const Findings found = measure(chip, chain_of(2, 0), 0, probe, starve);
    const double passed_s = chip.truth().cg[1].seconds;
    EXPECT_EQ(found.starved, cores_busy < 1.8);
    EXPECT_NEAR(found.measurements.cg[1].seconds, cores_busy < 1.8 ? 5e-4 : passed_s,
                0.05 * passed_s);
  }
}

// Threads that leave a source too little of the cores starve, however fast it is.
TEST(ExperimentTest, ASourceThatBringsLessThanItDidIsNoSlowSource) {
  for (const double source_fps : {0.0, 1050.0, 1500.0}) {
    Plan plan{{{0, 3}, Granularity::coarse, 2}};
    plan.source_fps = source_fps;
    FrameTimes times{.configuration = plan.configuration, .end_ns = 1'000'000'000, .starved = true};
    Experiment experiment(plan, chain_of(2, 0), 0, [&] { return Probe{times.begin_ns}; });
    do {
      times.begin_ns = times.end_ns - 200'000;  // each takes 1.2 ms, 1 ms after the one before
      times.end_ns = times.begin_ns + 1'200'000;
    } while (!experiment.take(times, 0));
    EXPECT_NEAR(experiment.observation().frame_s, source_fps == 1500 ? 1e-3 : 6e-4, 1e-6);
  }
}

TEST(ExperimentTest, WhatTakesTheCoresAgainAndAgainCountsAndAHiccupDoesNot) {
  const auto measured = [](int every) {
    PaperChip chip(3, 4, 4);
    chip.stall(every, 10 * chip.truth().cg[3].seconds);
    Chain chain = chain_of(4, 0);
    chain.domains.c = Domain::dominant;  // as the counter needs a while, so do experiments
    const Findings found = measure(
        chip, chain, 200 * chip.truth().cg[3].seconds, [&chip] { return chip.probe(); }, kAsItIs);
    return found.measurements.cg[3].seconds / chip.truth().cg[3].seconds;
  };
  EXPECT_GT(measured(20), 1.3);
  EXPECT_NEAR(measured(350), 1, 0.05);
}

TEST(ExperimentTest, FramesThatWereBegunBeforeDoNotCount) {
  PaperChip chip(3, 2, 4);
  const Configuration one{{0, 3}, Granularity::coarse, 1}, two{{0, 3}, Granularity::coarse, 2};
  Experiment experiment({two}, chain_of(2, 0), 0, [&chip] { return chip.probe(); });
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(experiment.take(chip.frame({one}), 0));
  int frames = 1;
  while (!experiment.take(chip.frame({two}), 0)) ++frames;
  EXPECT_EQ(experiment.observation().frames, frames - 2) << "one a thread warms up";
}

TEST(ExperimentTest, ALookTellsTheRateOf60Frames) {
  PaperChip chip(3, 2, 4);
  chip.slow_down(0.006 / chip.truth().cg[1].seconds);  // 42 of them last as long as a look has to
  const Configuration two{{0, 3}, Granularity::coarse, 2};
  Experiment look({two, Observation::Kind::look}, chain_of(2, 0), 0,
                  [&chip] { return chip.probe(); });
  while (!look.take(chip.frame({two}), 0)) {
  }
  const Observation seen = look.observation();
  EXPECT_NEAR(seen.frame_s, 0.006, 0.0003);
  EXPECT_NEAR(seen.frames, 60, 3);
}

TEST(ExperimentTest, AGlanceLastsAsLongAsFramesAreLate) {
  const auto lasted_s = [](double latency_s) {
    PaperChip chip(3, 2, 4);
    chip.slow_down(0.01);  // 50 frames are soon over
    const Configuration two{{0, 3}, Granularity::coarse, 2};
    Experiment glance({two, Observation::Kind::glance, latency_s}, chain_of(2, 0), 0,
                      [&chip] { return chip.probe(); });
    while (!glance.take(chip.frame({two}), 0)) {
    }
    return glance.observation().lasted_s;
  };
  EXPECT_NEAR(lasted_s(0.08), 3 * 0.08, 0.01) << "two latencies after it has filled";
  EXPECT_NEAR(lasted_s(0.5), 2 * 0.5, 0.01) << "one that is long";
}

// One frame after the other, of 3 ms as long as they make memory, which the first `making` do, and
// of 1 ms after that. They leave at once, or all that are done each `burst_s`.
Observation glance_at_fresh_memory(const Configuration& configuration, int making,
                                   double burst_s = 0, double slow_fps = 0) {
  std::vector<FrameTimes> frames(1000);
  uint64_t now_ns = 1'000'000'000, made = 0;
  for (int i = 0; i < 1000; ++i) {
    FrameTimes& times = frames[static_cast<std::size_t>(i)];
    times.configuration = configuration;
    times.begin_ns = now_ns;
    times.end_ns = now_ns += i < making ? 3'000'000 : 1'000'000;
    const auto burst_ns = static_cast<uint64_t>(1e9 * burst_s);
    times.ready_ns = burst_ns == 0 ? now_ns : (now_ns / burst_ns + 1) * burst_ns;
  }
  const auto probe = [&] { return Probe{.now_ns = now_ns, .buffers_made = made}; };
  Experiment glance({configuration, Observation::Kind::glance, 0, slow_fps}, chain_of(16, 3), 0,
                    probe);
  for (const FrameTimes& times : frames) {
    now_ns = times.ready_ns;
    while (made < static_cast<uint64_t>(making) && frames[made].begin_ns <= now_ns) ++made;
    if (glance.take(times, configuration.mapping.device_stages())) break;
  }
  return glance.observation();
}

TEST(ExperimentTest, AGlanceCountsWhenARoundOfFramesMakesLittleMemory) {
  const Configuration two{{0, 2}, Granularity::coarse, 2};
  EXPECT_NEAR(glance_at_fresh_memory(two, 0).frame_s, 1e-3, 0.02e-3);
  EXPECT_LT(glance_at_fresh_memory(two, 0).lasted_s, 0.105) << "nothing is waited for";
  EXPECT_NEAR(glance_at_fresh_memory(two, 20).frame_s, 1e-3, 0.02e-3) << "for 60 ms";
  EXPECT_NEAR(glance_at_fresh_memory(two, 1000).frame_s, 3e-3, 0.1e-3) << "for long";
  EXPECT_NEAR(glance_at_fresh_memory(two, 1000).lasted_s, 0.1 + 50 * 3e-3, 0.02)
      << "no longer than 0.1 s";
  EXPECT_NEAR(glance_at_fresh_memory(two, 20, 20e-3).frame_s, 1e-3, 0.2e-3) << "in bursts";
  for (const int lanes : {1, 2, 4, 8}) {
    const Configuration alone{{3, 2}, Granularity::coarse, 1, lanes};
    EXPECT_NEAR(glance_at_fresh_memory(alone, 20).frame_s, 1e-3, 0.02e-3) << lanes;
  }
  EXPECT_LT(glance_at_fresh_memory(two, 20, 0, 450).lasted_s, 0.06) << "333 a second are too few";
}

TEST(ExperimentTest, ARestIsShorterThanAGlanceAndThatThanALook) {
  const auto lasted_s = [](Observation::Kind kind, bool rest) {
    PaperChip chip(3, 2, 4);
    chip.slow_down(0.05);  // 50 frames are soon over
    const Chain chain = chain_of(2, 0);
    Plan plan{{{0, 3}, Granularity::coarse, 2}, kind};
    plan.rest = rest;
    Experiment experiment(plan, chain, 0, [&chip] { return chip.probe(); });
    while (!experiment.take(chip.frame(plan.step()), 0)) {
    }
    return experiment.observation().lasted_s;
  };
  const double rest_s = lasted_s(Observation::Kind::glance, true);
  const double glance_s = lasted_s(Observation::Kind::glance, false);
  EXPECT_GE(rest_s, 0.05);
  EXPECT_LT(rest_s, 0.1);
  EXPECT_GE(glance_s, 0.1);
  EXPECT_GE(lasted_s(Observation::Kind::look, false), 0.25);
}

TEST(ExperimentTest, ATrialThatIsTooSlowIsSoonOver) {
  PaperChip chip(3, 2, 4);
  chip.slow_down(1e-3);  // a frame takes less than 1 ms
  const double fps = 1e3 / chip.truth().cg[1].seconds;
  const Configuration two{{0, 3}, Granularity::coarse, 2}, one{{0, 3}, Granularity::coarse, 1};
  const auto look = [&](double slow_fps) {
    Experiment trial({two, Observation::Kind::look, 0.2, slow_fps}, chain_of(2, 0), 0,
                     [&chip] { return chip.probe(); });
    // What was begun before it makes its first frames slow, and does not count.
    FrameTimes before = chip.frame({one});
    before.end_ns += 100'000'000;
    EXPECT_FALSE(trial.take(before, 0));
    while (!trial.take(chip.frame({two}), 0)) {
    }
    return trial.observation();
  };
  EXPECT_GT(look(0.9 * fps).lasted_s, 0.4);
  const Observation slow = look(1.1 * fps);
  EXPECT_NEAR(slow.lasted_s, 0.15, 0.01);
  EXPECT_NEAR(1 / slow.frame_s, fps, 0.05 * fps);
}

TEST(ExperimentTest, CoresBesideTheDeviceAreSeenAlone) {
  PaperChip chip(3, 4, 4);
  const Configuration both{{7, 3}, Granularity::coarse, 3};
  Experiment experiment({both, Observation::Kind::beside}, chain_of(4, 7), 0,
                        [&chip] { return chip.probe(); });
  for (bool over = false; !over;) {
    const FrameTimes times = chip.frame({both});
    over = experiment.take(times, chip.device_stages());
  }
  const Observation seen = experiment.observation();
  EXPECT_NEAR(seen.service_s, 2 * chip.truth().cg[1].seconds, 0.05 * seen.service_s);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(seen.stages[k].seconds, chip.truth().stages[k].cg.seconds,
                0.05 * seen.stages[k].seconds);
  EXPECT_NEAR(1 / seen.frame_s, predict(chip.truth(), both).throughput_fps, 0.05 / seen.frame_s);
}

TEST(ExperimentTest, ManyFramesInPartsAreEnough) {
  const auto lasts_s = [](double faster, Observation::Kind kind) {
    PaperChip chip(3, 2, 4);
    chip.slow_down(faster);
    const Configuration device{{7, 3}, Granularity::coarse, 1};
    const Plan plan{device, kind};
    Experiment experiment(plan, chain_of(2, 7), 0, [&chip] { return chip.probe(); });
    while (!experiment.take(chip.frame(plan.step()), 7)) {
    }
    return experiment.observation().lasted_s;
  };
  using Kind = Observation::Kind;
  EXPECT_LT(lasts_s(0.01, Kind::stages), 0.06);
  EXPECT_GE(lasts_s(1, Kind::stages), 0.15) << "of slow frames as many as of whole ones";
  EXPECT_GE(lasts_s(0.01, Kind::experiment), 0.15) << "clocks rise";
}

TEST(ExperimentTest, FewLongFramesAreEnough) {
  const auto frames = [](double slower, int threads) {
    PaperChip chip(3, 2, 4);
    const Configuration cores{{0, 3}, Granularity::coarse, threads};
    chip.slow_down(slower * 0.3 / chip.truth().cg[0].seconds);
    Experiment experiment({cores}, chain_of(2, 0), 0, [&chip] { return chip.probe(); });
    while (!experiment.take(chip.frame({cores}), 0)) {
    }
    return experiment.observation().frames;
  };
  EXPECT_EQ(frames(1, 1), 2) << "of 0.3 s";
  EXPECT_EQ(frames(4, 1), 2);
  EXPECT_EQ(frames(4, 2), 3) << "one round of the threads and a frame";
  EXPECT_GE(frames(0.2, 1), 5);
}

// Of two threads whose frames take 0.3 s one begins with a frame of 1.35 s. Frames leave in order.
TEST(ExperimentTest, FramesBesideAFirstOneThatTouchesItsMemoryDoNotCount) {
  const Configuration two{{0, 3}, Granularity::coarse, 2};
  const auto rate_fps = [&](double first_s) {
    Experiment experiment({two}, chain_of(2, 0), 0, [] { return Probe{}; });
    double free_s[] = {1, 1.01};
    for (int number = 0; number < 100; ++number) {
      double& thread_s = free_s[free_s[1] < free_s[0] ? 1 : 0];
      FrameTimes times;
      times.configuration = two;
      times.begin_ns = static_cast<uint64_t>(1e9 * thread_s);
      thread_s += number == 0 ? first_s : 0.3;
      times.end_ns = times.ready_ns = static_cast<uint64_t>(1e9 * thread_s);
      if (experiment.take(times, 0)) return 1 / experiment.observation().frame_s;
    }
    return 0.0;
  };
  EXPECT_NEAR(rate_fps(0.3), 2 / 0.3, 0.2);
  EXPECT_NEAR(rate_fps(1.35), 2 / 0.3, 0.2);
}

TEST(ExperimentTest, ADeviceThatTakesNoFrameIsGivenUp) {
  PaperChip chip(3, 2, 4);
  const Configuration device{{7, 3}, Granularity::coarse, 1};
  Experiment experiment({device}, chain_of(2, 7), 0, [&chip] { return chip.probe(); });
  int frames = 1;
  while (!experiment.take(chip.frame({device}), 0)) ASSERT_LT(++frames, 100000);
  EXPECT_TRUE(experiment.observation().in_vain);
}

// Of an experiment with a core beside a device that takes all frames except every `core_frame`-th.
Observation beside_a_fast_device(int core_frame) {
  PaperChip chip(3, 2, 4);
  chip.slow_down(1e-3);
  const Configuration both{{3, 3}, Granularity::coarse, 2};
  Experiment beside({both, Observation::Kind::beside}, chain_of(2, 3), 0,
                    [&chip] { return chip.probe(); });
  int frames = 1;
  while (!beside.take(chip.frame({both}), frames % core_frame == 0 ? 0 : 3) && frames < 100'000)
    ++frames;
  EXPECT_LT(frames, 100'000);
  return beside.observation();
}

TEST(ExperimentTest, CoresThatGetNoFrameBesideTheDeviceAreSoonGivenUp) {
  const Observation seen = beside_a_fast_device(1'000'000);
  EXPECT_TRUE(seen.in_vain);
  EXPECT_LT(seen.lasted_s, 0.2) << "no second is lost on it";
}

// A source that is hardly faster than the device leaves the cores a frame now and then.
TEST(ExperimentTest, FewFramesOnCoresBesideAFastDeviceAreEnough) {
  const Observation seen = beside_a_fast_device(5000);
  EXPECT_LT(seen.lasted_s, 0.2);
  EXPECT_FALSE(seen.in_vain);
  EXPECT_TRUE(known(seen.service_s));
}

}  // namespace
}  // namespace tandem
