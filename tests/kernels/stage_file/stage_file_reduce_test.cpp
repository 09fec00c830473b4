// SPDX-License-Identifier: LGPL-2.1-or-later
// How partial results become one, and which loops GPUs unroll.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/stage_file/parse/names.h"
#include "tests/kernels/stage_file/stage_file_runner.h"

namespace tandem::check {
namespace {

// Smallest and largest frames of the list leave pieces without an element, or have many.
constexpr std::pair<int, int> kImages[] = {{1, 1}, {37, 3}, {640, 360}};

template <typename Check>
void reduce(const StageFile& file, Check&& check) {
  const StageRunner runner(file, any_context());
  for (const auto& [width, height] : kImages) {
    for (const bool device : {false, true}) {
      if (device && !runner.has_device()) continue;
      SCOPED_TRACE(std::to_string(width) + (device ? " device" : " cores"));
      StageMemory memory = runner.memory(width, height);
      const std::vector<uint8_t> luma = random_luma(width, height, 5);
      memory.set(memory.index("luma"), luma.data());
      EXPECT_EQ(device ? runner.run_device(memory) : runner.run_host(memory), "");
      check(memory, luma);
    }
  }
}

TEST(StageFileReduces, AddsWhatHasManyElementsSideBySide) {
  for (const int shift : {0, 2, 3, 5, 8}) {  // 256 ... 1 levels
    const int levels = 256 >> shift;
    const std::string count = std::to_string(levels);
    const StageFile file = parse_stage_file(
        "//!STAGE own\n//!READ luma\n//!WRITE histogram int32 shape=" + count +
            "\n//!WRITE sums float32 shape=" + count + "\n//!REDUCE\nhistogram[luma(0, 0) >> " +
            std::to_string(shift) + "] += 1;\nsums[luma(0, 0) >> " + std::to_string(shift) +
            "] += 0.5f;\n",
        "own.cl");
    const StagePlan plan = plan_stage(file);
    EXPECT_EQ(adds_elements(file, plan, plan.steps[0]), levels >= 32);
    reduce(file, [&](StageMemory& memory, const std::vector<uint8_t>& luma) {
      std::vector<int> wanted(static_cast<std::size_t>(levels));
      for (const uint8_t level : luma) ++wanted[static_cast<std::size_t>(level >> shift)];
      EXPECT_EQ(memory.values<int>("histogram"), wanted) << levels;
      std::vector<float> halves;
      for (const int n : wanted) halves.push_back(0.5F * static_cast<float>(n));
      EXPECT_EQ(memory.values<float>("sums"), halves) << levels;
    });
  }
}

// 40 elements would be added side by side; here the file says what is to be done with them.
TEST(StageFileReduces, CombinesAsTheFileSays) {
  const StageFile file = parse_stage_file(
      "//!STAGE own\n//!READ luma\n//!WRITE greatest int32 shape=40\n//!REDUCE\n"
      "greatest[x % 40] = max(greatest[x % 40], (int)luma(0, 0));\n//!COMBINE\n"
      "for (int i = 0; i < 40; ++i) greatest[i] = max(greatest[i], "
      "greatest_other[i]);\n",
      "own.cl");
  reduce(file, [](StageMemory& memory, const std::vector<uint8_t>& luma) {
    std::vector<int> wanted(40);
    for (std::size_t i = 0; i < luma.size(); ++i) {
      int& greatest = wanted[i % static_cast<std::size_t>(memory.width()) % 40];
      greatest = std::max<int>(greatest, luma[i]);
    }
    EXPECT_EQ(memory.values<int>("greatest"), wanted);
  });
}

TEST(StageFileLoops, AreShortWithFewConstantPasses) {
  for (const char* code :
       {"sum = 1;", "for (int k = 0; k < 100; ++k) sum += k;",
        "for (int dy = -2; dy <= 2; ++dy)\n  for (int dx = -2; dx <= 2; dx++) sum += dx;",
        "for (int k = 7; k >= -1; --k) { sum += k; }",
        "for (int i = 0; i < 16; ++i) for (int k = 1; k <= 16; ++k) sum += k;"})
    EXPECT_TRUE(has_short_loops(code)) << code;
  for (const char* code :
       {"for (int k = 0; k < 1000; ++k) sum += k;", "for (int k = 0; k < width; ++k) sum += k;",
        "for (int i = 0; i < 16; ++i) for (int k = 0; k < 17; ++k) sum += k;",
        "for (;;) { break; }", "int k; for (k = 0; k < 3; ++k) sum += k;", "while (sum < 3) ++sum;",
        "for (int k = 0; k < 2 * n; ++k) sum += k;", "for (int k = 0"})
    EXPECT_FALSE(has_short_loops(code)) << code;
}

}  // namespace
}  // namespace tandem::check
