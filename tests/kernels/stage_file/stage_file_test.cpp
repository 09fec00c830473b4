// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/stage_file/run/first_error.h"
#include "tests/kernels/stage_file/stage_file_runner.h"

namespace tandem::check {
namespace {

constexpr char kSobel[] = R"(//!STAGE sobel
//!PARAM threshold int 128 0..2040 Least gradient
//!READ luma halo=1
//!WRITE edges uint8
//!MAP
int gx = luma(1,-1) + 2*luma(1,0) + luma(1,1) - luma(-1,-1) - 2*luma(-1,0) - luma(-1,1);
int gy = luma(-1,1) + 2*luma(0,1) + luma(1,1) - luma(-1,-1) - 2*luma(0,-1) - luma(1,-1);
edges = abs(gx) + abs(gy) >= threshold ? 255 : 0;
)";

/// Why a file is refused; empty: it is not.
std::string problem_of(const std::string& text) {
  try {
    plan_stage(parse_stage_file(text, "own.cl"));
    return {};
  } catch (const StageFileError& error) {
    return error.what();
  }
}

std::string with_body(const std::string& directives,
                      const std::string& body = "to = luma(0,0);\n") {
  return "//!STAGE own\n" + directives + "//!MAP\n" + body;
}

TEST(StageFile, ReadsDirectives) {
  const StageFile file = parse_stage_file(kSobel, "sobel.cl");
  EXPECT_EQ(file.name, "sobel");
  ASSERT_EQ(file.parameters.size(), 1U);
  EXPECT_EQ(file.parameters[0].blurb, "Least gradient");
  EXPECT_EQ(file.parameters[0].most, 2040);
  ASSERT_EQ(file.parts.size(), 1U);
  EXPECT_EQ(file.parts[0].reads[0].halo, 1);
  EXPECT_EQ(file.parts[0].body.line, 6);
}

TEST(StageFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem_of("int x;\n"), "own.cl:1:1: a stage file begins with //!STAGE and a name");
  EXPECT_EQ(problem_of(""), "own.cl:1:1: a stage file begins with //!STAGE and a name");
  EXPECT_EQ(problem_of(with_body("//!WRITE to byte\n")),
            "own.cl:2:13: unknown type 'byte': use uint8, int32 or float32");
  EXPECT_EQ(problem_of(with_body("//!READ luma halo=-1\n//!WRITE to uint8\n")),
            "own.cl:2:19: '-1' is not a whole number from 0 to 64");
  EXPECT_EQ(problem_of(with_body("//!READ cb size=1/4\n//!WRITE to uint8\n")),
            "own.cl:2:1: 'cb' needs size=1/2 or size=1/1");
  EXPECT_EQ(problem_of(with_body("//!READ luma\n//!WRITE cr\n")),
            "own.cl:3:4: 'cr' can be read but not written");
  EXPECT_EQ(problem_of(with_body("//!FETCH luma\n")), "own.cl:2:4: unknown directive 'FETCH'");
  EXPECT_EQ(problem_of(with_body("//!READ luma\n//!WRITE to uint8 smooth\n")),
            "own.cl:3:19: WRITE does not accept 'smooth'");
  EXPECT_EQ(problem_of(with_body("//!PARAM to int 11 0..10\n")),
            "own.cl:2:17: the default 11 is not within 0..10");
  EXPECT_EQ(problem_of("//!STAGE own\n//!READ luma\n//!WRITE to uint8\n"),
            "own.cl:3:1: no MAP, REDUCE or LOOP follows the last READ or WRITE");
}

TEST(StageFile, ANameIsUsedOnce) {
  EXPECT_EQ(problem_of(with_body("//!PARAM to int 1 0..10\n//!READ luma\n//!WRITE to uint8\n")),
            "own.cl:4:1: the name 'to' is already used in line 2");
  EXPECT_EQ(problem_of(with_body("//!READ luma\n//!READ to uint8\n//!WRITE to uint8\n")),
            "own.cl:3:1: the name 'to' is already used in line 4");
  EXPECT_EQ(problem_of(with_body("//!READ luma\n//!READ luma\n//!WRITE to uint8\n")),
            "own.cl:3:1: the part reads 'luma' twice");
  EXPECT_EQ(problem_of(with_body("//!READ luma\n//!WRITE width uint8\n")),
            "own.cl:3:10: 'width' is a reserved word");
}

TEST(StageFile, AnOutputThatIsNotWrittenIsNamed) {
  EXPECT_EQ(
      problem_of(with_body("//!READ luma\n//!WRITE to uint8\n", "int a = luma(0,0); // to\n")),
      "own.cl:3:1: the code of the part never writes 'to'");
}

TEST(StageFile, CodeStaysWithinItsBody) {
  const std::string directives = "//!READ luma\n//!WRITE to uint8\n";
  EXPECT_EQ(problem_of(with_body(directives, "to = 1; }\n")), "own.cl:5:1: '}' without '{'");
  EXPECT_EQ(problem_of(with_body(directives, "to = 1;\nif (to) {\n")),
            "own.cl:6:1: '{' without '}'");
  EXPECT_EQ(problem_of(with_body(directives, "to = 1;\nreturn;\n")),
            "own.cl:6:1: 'return' is not allowed in the body of a part");
  EXPECT_EQ(problem_of(with_body(directives, "to = 1;\n#include <stdio.h>\n")),
            "own.cl:6:1: #include is not allowed: a stage is one file");
}

constexpr char kThreeMaps[] = R"(//!STAGE three
//!READ luma
//!WRITE a float32 private
//!MAP
a = luma(0,0) * 2.0f;
//!READ a
//!WRITE b float32 private
//!MAP
b = a(0,0) + 1.0f;
//!READ b
//!READ luma
//!WRITE c float32
//!MAP
c = b(0,0) * b(0,0) - luma(0,0);
)";

TEST(StageFile, MapsOfTheirOwnElementAreOneLoop) {
  const StageFile file = parse_stage_file(kThreeMaps, "three.cl");
  const StagePlan plan = plan_stage(file);
  EXPECT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.tensors.size(), 2U) << "luma and c: what lies between needs no memory";
  EXPECT_TRUE(plan.has_bands());
  const StageRunner runner(file, any_context());
  for (const bool device : {false, true}) {
    if (device && !runner.has_device()) continue;
    StageMemory memory = runner.memory(33, 5);
    const auto luma = random_luma(33, 5, 1);
    memory.set(memory.index("luma"), luma.data());
    EXPECT_EQ(device ? runner.run_device(memory) : runner.run_host(memory), "");
    const auto c = memory.values<float>("c");
    for (std::size_t i = 0; i < c.size(); ++i) {
      const float b = 2.0F * luma[i] + 1;
      ASSERT_EQ(c[i], b * b - luma[i]);
    }
  }
}

TEST(StageFile, MapsOfNeighboursAreLoopsOfTheirOwn) {
  std::string text = kThreeMaps;
  text.replace(text.find("//!READ b"), 9, "//!READ b halo=1");
  EXPECT_EQ(plan_stage(parse_stage_file(text, "three.cl")).steps.size(), 2U);
}

TEST(StageFile, ACompilersErrorIsALineWithWords) {
  EXPECT_EQ(first_error("a warning\nx.cl:1:2: error: this\nmore", "none"), "x.cl:1:2: error: this");
  EXPECT_EQ(first_error("\n  \r\nkilled\nmore", "none"), "killed");
  for (const char* const silent : {"", "\n", " \r\n\t"})
    EXPECT_EQ(first_error(silent, "none"), "none");
}

TEST(StageFile, BothSidesSayWhereCodeIsWrong) {
  const StageFile file = parse_stage_file(
      with_body("//!READ luma\n//!WRITE to uint8\n", "to = 1;\nto = lumen(0, 0);\n"), "own.cl");
  const auto complaint = [&](auto&& make) -> std::string {
    try {
      make();
      return "none";
    } catch (const StageFileError& error) {
      return error.what();
    }
  };
  const StagePlan plan = plan_stage(file);
  EXPECT_NE(complaint([&] { HostStage(file, plan); }).find("own.cl:6:6: error:"), std::string::npos)
      << complaint([&] { HostStage(file, plan); });
  if (const auto context = any_context()) {
    // NVIDIA's compiler only warns there, and its linker names the function that is missing.
    const std::string said = complaint([&] { StageFileOpenCL(*context, file, plan); });
    EXPECT_TRUE(said.find("own.cl:6:6") != said.npos ||
                said.find("Unresolved extern function 'lumen'") != said.npos)
        << said;
  }
}

// What Sobel is, written down once more.
std::vector<uint8_t> sobel_by_hand(const std::vector<uint8_t>& luma, int width, int height,
                                   int threshold) {
  std::vector<uint8_t> edges(luma.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto at = [&](int dx, int dy) {
        return static_cast<int>(
            luma[std::clamp(y + dy, 0, height - 1) * width + std::clamp(x + dx, 0, width - 1)]);
      };
      const int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      const int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      edges[y * width + x] = std::abs(gx) + std::abs(gy) >= threshold ? 255 : 0;
    }
  }
  return edges;
}

TEST(StageFile, ComputesWhatItSaysOnBothSides) {
  const StageRunner runner(parse_stage_file(kSobel, "sobel.cl"), any_context());
  // Rows of one block and of several on the cores, with and without a rest.
  for (const auto& [width, height] : {std::pair{1, 1},
                                      {2, 3},
                                      {5, 1},
                                      {1, 7},
                                      {64, 5},
                                      {65, 2},
                                      {66, 2},
                                      {67, 3},
                                      {130, 2},
                                      {333, 77}}) {
    const auto luma = random_luma(width, height, 7);
    const auto expected = sobel_by_hand(luma, width, height, 300);
    for (const bool device : {false, true}) {
      if (device && !runner.has_device()) continue;
      StageMemory memory = runner.memory(width, height);
      memory.set(memory.index("luma"), luma.data());
      memory.parameter("threshold").whole = 300;
      EXPECT_EQ(device ? runner.run_device(memory) : runner.run_host(memory), "");
      EXPECT_EQ(memory.values<uint8_t>("edges"), expected) << width << "x" << height;
    }
  }
}

TEST(StageFile, ElementsThatAreNotWrittenAre0) {
  const StageRunner runner(
      parse_stage_file(with_body("//!READ luma\n//!WRITE to uint8\n//!WRITE real float32\n",
                                 "if (luma(0,0) > 128) { to = 1; real = 0.5f; }\n"),
                       "own.cl"),
      any_context());
  const auto luma = random_luma(67, 3, 7);
  for (const bool device : {false, true}) {
    if (device && !runner.has_device()) continue;
    StageMemory memory = runner.memory(67, 3);
    memory.set(memory.index("luma"), luma.data());
    memory.set(memory.index("to"), std::vector<uint8_t>(luma.size(), 9).data());
    memory.set(memory.index("real"), std::vector<float>(luma.size(), 9).data());
    EXPECT_EQ(device ? runner.run_device(memory) : runner.run_host(memory), "");
    const auto to = memory.values<uint8_t>("to");
    const auto real = memory.values<float>("real");
    for (std::size_t i = 0; i < luma.size(); ++i) {
      ASSERT_EQ(to[i], luma[i] > 128 ? 1 : 0);
      ASSERT_EQ(real[i], luma[i] > 128 ? 0.5F : 0.0F);
    }
  }
}

}  // namespace
}  // namespace tandem::check
