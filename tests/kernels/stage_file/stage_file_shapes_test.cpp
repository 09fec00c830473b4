// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages over tensors with a shape alone: their grid is not the frame's.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/kernels/stage_file/stage_file_runner.h"

namespace tandem::check {
namespace {

std::vector<int> counted(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

template <typename Check>
void on_each_side(const StageRunner& runner, Check&& check) {
  check([&](StageMemory& memory) { return runner.run_host(memory); });
  if (runner.has_device()) check([&](StageMemory& memory) { return runner.run_device(memory); });
}

TEST(StageFileOfShapes, ReducesOverATensorThatIsNoPlane) {
  const StageRunner runner(
      parse_stage_file("//!STAGE own\n//!READ a int32 shape=7,30\n//!READ b int32 shape=210\n"
                       "//!WRITE sum int32 shape=1\n//!REDUCE\n"
                       "sum[0] += a[y * 30 + x] * b[y * 30 + x];\n",
                       "own.cl"),
      any_context());
  on_each_side(runner, [&](const auto& run) {
    StageMemory memory = runner.memory(5, 4);
    for (const char* name : {"a", "b"}) memory.set(memory.index(name), counted(210).data());
    EXPECT_EQ(run(memory), "");
    EXPECT_EQ(memory.values<int>("sum"), std::vector<int>{210 * 211 * 421 / 6});
  });
}

TEST(StageFileOfShapes, APassReadsAnyElementOfThePassBefore) {
  for (const int passes : {3, 4}) {
    const StageRunner runner(
        parse_stage_file("//!STAGE own\n//!READ a int32 shape=50\n//!WRITE to int32 shape=50\n"
                         "//!LOOP " +
                             std::to_string(passes) +
                             "\nto = pass == 0 ? a[49 - x] : to_before[(x + 1) % 50];\n",
                         "own.cl"),
        any_context());
    on_each_side(runner, [&](const auto& run) {
      StageMemory memory = runner.memory(5, 4);
      memory.set(memory.index("a"), counted(50).data());
      EXPECT_EQ(run(memory), "");
      std::vector<int> wanted(50);
      for (int x = 0; x < 50; ++x) wanted[static_cast<std::size_t>(x)] = 50 - (x + passes - 1) % 50;
      EXPECT_EQ(memory.values<int>("to"), wanted) << passes;
    });
  }
}

TEST(StageFileOfShapes, TheNameOfWhatWasBeforeIsTaken) {
  EXPECT_THROW(parse_stage_file("//!STAGE own\n//!READ to_before int32 shape=50\n"
                                "//!WRITE to int32 shape=50\n//!LOOP 3\nto = to_before[0];\n",
                                "own.cl"),
               StageFileError);
}

std::string problem_of_shape(const std::string& shape, const std::string& skeleton = "MAP") {
  try {
    parse_stage_file("//!STAGE own\n//!READ luma\n//!WRITE to uint8 shape=" + shape + "\n//!" +
                         skeleton + "\nto" + (skeleton == "MAP" ? "" : "[0]") + " = 1;\n",
                     "own.cl");
  } catch (const StageFileError& error) {
    return error.what();
  }
  return {};
}

// Products of sizes that 32 or 64 bits do not hold, some of which were 0 or small in them.
TEST(StageFileOfShapes, HaveABound) {
  const std::string bound =
      "own.cl:3:25: a tensor can have at most 268435456 elements: reduce one of its sizes";
  for (const char* const shape :
       {"65536,65536,65536,65536", "46341,46341,1", "1048576,1048576,4096,1", "32768,32768,4",
        "1048576,1048576,1048576,1048576", "1,1048576,257"}) {
    EXPECT_EQ(problem_of_shape(shape), bound) << shape;
    EXPECT_EQ(problem_of_shape(shape, "REDUCE"), bound) << shape;
  }
  EXPECT_EQ(problem_of_shape("1048576,256"), "");
  EXPECT_EQ(problem_of_shape("1048576,1", "REDUCE"),
            "own.cl:3:1: REDUCE can write at most 65536 elements");
  EXPECT_EQ(problem_of_shape("256,256", "REDUCE"), "");
}

TEST(StageFileOfShapes, InputsHaveABoundToo) {
  EXPECT_THROW(parse_stage_file("//!STAGE own\n//!READ a float32 shape=65536,65536,65536,65536\n"
                                "//!WRITE to float32 shape=4\n//!MAP\nto = a[x];\n",
                                "own.cl"),
               StageFileError);
}

}  // namespace
}  // namespace tandem::check
