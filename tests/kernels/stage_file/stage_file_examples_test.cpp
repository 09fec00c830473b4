// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of pipelines/stages on both sides, against what they say that they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/kernels/stage_file/stage_file_ways.h"

namespace tandem::check {
namespace {

TEST(ExampleStages, PyramidBlursAndHalves) {
  const StageRunner runner = runner_of("pyramid");
  run_each_way(runner, [&](const auto& run) {
    for (const auto& [width, height] : kSizes) {
      StageMemory memory = runner.memory(width, height);
      const auto luma = random_luma(width, height, 3);
      memory.set(memory.index("luma"), luma.data());
      EXPECT_EQ(run(memory), "");
      const auto level = memory.values<float>("level");
      constexpr double kWeights[5] = {1, 4, 6, 4, 1};
      const int columns = (width + 1) / 2, rows = (height + 1) / 2;
      ASSERT_EQ(level.size(), static_cast<std::size_t>(columns) * rows);
      for (int i = 0; i < columns * rows; ++i) {
        double sum = 0;
        for (int k = 0; k < 25; ++k) {
          const int y = std::clamp(2 * (i / columns) + k / 5 - 2, 0, height - 1);
          const int x = std::clamp(2 * (i % columns) + k % 5 - 2, 0, width - 1);
          sum += kWeights[k / 5] * kWeights[k % 5] / 256 * luma[y * width + x];
        }
        ASSERT_NEAR(level[i], sum, 1e-4) << i << " of " << width << "x" << height;
      }
    }
  });
}

TEST(ExampleStages, HistogramCounts) {
  const StageRunner runner = runner_of("histogram");
  run_each_way(runner, [&](const auto& run) {
    for (const auto& [width, height] : kSizes) {
      StageMemory memory = runner.memory(width, height);
      const auto luma = random_luma(width, height, 5);
      memory.set(memory.index("luma"), luma.data());
      EXPECT_EQ(run(memory), "");
      std::vector<int> expected(256);
      for (const uint8_t level : luma) ++expected[level];
      EXPECT_EQ(memory.values<int>("histogram"), expected) << width << "x" << height;
    }
  });
}

// Too large for a work-item's share of local memory, and without COMBINE.
TEST(ExampleStages, PairsOfLevelsAreCounted) {
  const StageRunner runner(
      parse_stage_file("//!STAGE own\n//!READ luma halo=1\n//!WRITE pairs int32 shape=16,256\n"
                       "//!REDUCE\npairs[(luma(1, 0) >> 4) * 256 + luma(0, 0)] += 1;\n",
                       "own.cl"),
      any_context());
  ASSERT_EQ(local_items(runner.plan(), runner.plan().steps[0]), 0);
  run_each_way(runner, [&](const auto& run) {
    for (const auto& [width, height] : kSizes) {
      StageMemory memory = runner.memory(width, height);
      const auto luma = random_luma(width, height, 5);
      memory.set(memory.index("luma"), luma.data());
      EXPECT_EQ(run(memory), "");
      std::vector<int> expected(16 * 256);
      for (int i = 0; i < width * height; ++i)
        ++expected[(luma[i % width + 1 < width ? i + 1 : i] >> 4) * 256 + luma[i]];
      EXPECT_EQ(memory.values<int>("pairs"), expected) << width << "x" << height;
    }
  });
}

TEST(ExampleStages, BackgroundKeepsItsMean) {
  const StageRunner runner = runner_of("background");
  run_each_way(runner, [&](const auto& run) {
    StageMemory memory = runner.memory(50, 21);
    memory.parameter("rate").real = 0.25F;
    std::vector<float> mean;
    for (unsigned frame = 0; frame < 4; ++frame) {
      const auto luma = random_luma(50, 21, frame);
      memory.set(memory.index("luma"), luma.data());
      EXPECT_EQ(run(memory), "");
      mean.resize(luma.size());
      for (std::size_t i = 0; i < luma.size(); ++i)
        mean[i] = frame == 0 ? luma[i] : mean[i] + 0.25F * (luma[i] - mean[i]);
      EXPECT_EQ(memory.values<float>("mean"), mean) << "frame " << frame;
      const auto moving = memory.values<uint8_t>("moving");
      for (std::size_t i = 0; i < luma.size(); ++i)
        ASSERT_EQ(moving[i], std::fabs(luma[i] - mean[i]) > 20 ? 255 : 0);
    }
  });
}

// A ramp whose steps are weak edges, one of which meets a strong one.
TEST(ExampleStages, HysteresisFollowsWeakEdges) {
  const StageRunner runner = runner_of("hysteresis");
  constexpr int kWidth = 40, kHeight = 30;
  std::vector<uint8_t> luma(kWidth * kHeight, 0);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) luma[y * kWidth + x] = x < 10 ? 0 : x < 30 ? 60 : 120;
  for (int x = 0; x < 10; ++x) luma[x] = 255;  // what the weak edge at 10 meets
  run_each_way(runner, [&](const auto& run) {
    StageMemory memory = runner.memory(kWidth, kHeight);
    memory.set(memory.index("luma"), luma.data());
    EXPECT_EQ(run(memory), "");
    const auto edges = memory.values<uint8_t>("edges");
    EXPECT_EQ(edges[(kHeight - 1) * kWidth + 10], 255) << "the edge that meets a strong one";
    EXPECT_EQ(edges[(kHeight - 1) * kWidth + 30], 0) << "the edge that meets none";
  });
}

TEST(ExampleStages, SidesAgreeOnHysteresisOfNoise) {
  const StageRunner runner = runner_of("hysteresis");
  if (!runner.has_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  StageMemory host = runner.memory(123, 45), device = runner.memory(123, 45);
  for (StageMemory* memory : {&host, &device})
    memory->set(memory->index("luma"), random_luma(123, 45, 9).data());
  EXPECT_EQ(runner.run_host(host), "");
  EXPECT_EQ(runner.run_device(device), "");
  EXPECT_EQ(host.values<uint8_t>("edges"), device.values<uint8_t>("edges"));
}

// A part for each skeleton, the loop with an odd and an even number of passes.
TEST(ExampleStages, ThreadsShareStepsAndPasses) {
  for (const char* passes : {"5", "6", "40 settle"}) {
    const StageRunner runner(
        parse_stage_file("//!STAGE own\n//!READ luma halo=1\n//!WRITE sum int32 private\n//!MAP\n"
                         "sum = luma(-1, 0) + luma(1, 1);\n"
                         "//!READ sum\n//!WRITE spread int32 halo=1\n//!LOOP " +
                             std::string(passes) +
                             "\nspread = max(sum(0, 0), max(spread(-1, 0), spread(0, 1)));\n"
                             "again = spread != spread(0, 0);\n"
                             "//!READ spread\n//!WRITE total int32 shape=1\n//!REDUCE\n"
                             "total[0] += spread(0, 0);\n",
                         "own.cl"),
        nullptr);
    for (const auto& [width, height] : {std::pair{1, 1}, {70, 9}, {201, 150}}) {
      StageMemory alone = runner.memory(width, height), together = runner.memory(width, height);
      for (StageMemory* memory : {&alone, &together})
        memory->set(memory->index("luma"), random_luma(width, height, 2).data());
      const std::string problem = runner.run_host(alone);
      for (int frame = 0; frame < 20; ++frame) {
        EXPECT_EQ(runner.run_threads(together, 4), problem);
        ASSERT_EQ(together.values<int>("spread"), alone.values<int>("spread"));
        ASSERT_EQ(together.values<int>("total"), alone.values<int>("total"));
      }
    }
  }
}

TEST(ExampleStages, ALoopThatDoesNotEndSaysSo) {
  const StageRunner runner(parse_stage_file("//!STAGE own\n//!READ luma\n//!WRITE to uint8\n"
                                            "//!LOOP 7 settle\nto = luma(0,0);\nagain = 1;\n",
                                            "own.cl"),
                           any_context());
  run_each_way(runner, [&](const auto& run) {
    StageMemory memory = runner.memory(20, 10);
    EXPECT_EQ(run(memory),
              "own.cl:4:1: the loop has not settled after 7 passes: `again` is still set");
  });
}

// The device is not handed passes that have nothing to do.
TEST(ExampleStages, ALoopThatHasEndedIsLeftAlone) {
  const StageRunner runner(
      parse_stage_file("//!STAGE own\n//!READ luma\n//!WRITE to int32\n//!LOOP 10000 settle\n"
                       "to = pass < 100 ? to(0,0) + 1 : to(0,0);\nagain = to != to(0,0);\n",
                       "own.cl"),
      any_context());
  if (!runner.has_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  StageMemory memory = runner.memory(3, 2);
  opencl::fail_after(400);
  EXPECT_NO_THROW(EXPECT_EQ(runner.run_device(memory), ""));
  opencl::fail_after(-1);
  EXPECT_EQ(memory.values<int>("to"), std::vector<int>(6, 100));
}

// Passes are counted, and each reads what the one before wrote, whatever their number.
TEST(ExampleStages, ALoopPassesAsOftenAsItSays) {
  for (const int passes : {1, 2, 3, 8}) {
    for (const char* settle : {"", " settle"}) {
      const StageRunner runner(
          parse_stage_file(
              "//!STAGE own\n//!READ luma\n//!WRITE to int32\n//!LOOP 9" + std::string(settle) +
                  "\nto = " +
                  (*settle ? "pass < " + std::to_string(passes) + " ? to(0,0) + 1 : to(0,0)"
                           : "to(0,0) + 1") +
                  ";\nagain = to != to(0,0);\n",
              "own.cl"),
          any_context());
      run_each_way(runner, [&](const auto& run) {
        StageMemory memory = runner.memory(3, 2);
        EXPECT_EQ(run(memory), "");
        EXPECT_EQ(memory.values<int>("to"), std::vector<int>(6, *settle ? passes : 9));
      });
    }
  }
}

}  // namespace
}  // namespace tandem::check
