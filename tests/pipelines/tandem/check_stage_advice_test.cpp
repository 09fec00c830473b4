// SPDX-License-Identifier: LGPL-2.1-or-later
// What check-stage says of mistakes that a first stage file has.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

class CheckStageAdvice : public testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  CommandResult check(const std::string& text, const char* device = "none") {
    write_file(folder_ + "/own.cl", "//!STAGE own\n" + text + "\n");
    return run_tandem(
        {"check-stage", folder_ + "/own.cl", "--size", "64x64", "--opencl-device", device});
  }
  /// The errors about a file; it is refused.
  std::string refused(const std::string& text) {
    const CommandResult result = check(text);
    EXPECT_EQ(result.status, 1) << result.output;
    return result.errors;
  }
  static void has(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  std::string folder_;
};

const std::string kByte = "//!READ luma\n//!WRITE to uint8\n//!MAP\n";

// C leaves open what becomes of such a number: processors and GPUs differ.
TEST_F(CheckStageAdvice, WarnsOfFloatsBeyondTheirNumber) {
  const auto output = [&](const std::string& text) {
    const CommandResult result = check(text);
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    return result.output;
  };
  const std::string bytes = output(kByte + "to = 1.5 * luma(0, 0);");
  has(bytes, "own.cl:5:");
  has(bytes, " is beyond 'unsigned char', and devices convert it differently");
  has(bytes, "convert_uchar_sat() keeps it within; frame ");
  has(output("//!PARAM gain float 1 0..4\n//!READ luma\n//!WRITE to uint8\n"
             "//!WRITE wide float32\n//!MAP\nto = gain * luma(0, 0);\nwide = gain;"),
      ", gain=2");
  has(output("//!READ luma\n//!WRITE sum int32 shape=2\n//!REDUCE\n"
             "sum[1] += (int)(-1e9f * luma(0, 0));"),
      " is beyond 'int', and devices convert it differently; frame 1 of ");
  const std::string within = output(
      "//!READ luma\n//!WRITE a uint8\n//!WRITE b uint8\n//!WRITE c uint8\n//!WRITE d uint8\n"
      "//!WRITE e uint8\n//!MAP\n"
      "a = convert_uchar_sat(1e20 * (luma(0, 0) - 128.0));\n"
      "b = convert_uchar_sat_rte(1.5 * luma(0, 0));\n"
      "c = luma(0, 0) > 9 ? luma(0, 0) : convert_uchar_sat(NAN);\n"
      "d = 2 * luma(0, 0);\n"
      "e = luma(0, 0) + 0.9;\n");
  EXPECT_EQ(within.find("warning"), std::string::npos) << within;
}

TEST_F(CheckStageAdvice, SaysWhichReadIsMissing) {
  has(refused("//!WRITE to uint8\n//!MAP\nto = luma(0, 0);"),
      "own.cl:4:1: the part has no 'READ luma'");
  has(refused(kByte + "to = 1;\nto = cr(0, 0);"), "own.cl:6:1: the part has no 'READ cr'");
  has(refused("//!READ luma\n//!WRITE a uint8\n//!MAP\na = luma(0, 0);\n//!READ luma\n"
              "//!WRITE b uint8\n//!MAP\nb = a(1, 0);"),
      "own.cl:9:1: the part has no 'READ a'");
  has(refused("//!READ luma\n//!WRITE a uint8\n//!WRITE b uint8\n//!MAP\na = luma(0, 0);\n"
              "b = a(1, 0);"),
      "own.cl:7:1: 'a' is written by this part: only a later part can read it");
}

TEST_F(CheckStageAdvice, AFunctionMayHaveAnyName) {
  EXPECT_EQ(
      check("int luma(int v) { return v; }\n//!WRITE to uint8\n//!MAP\nto = luma(x % 9);").status,
      0);
}

TEST_F(CheckStageAdvice, SaysWhatOftenMakesTheSidesDiffer) {
  const CommandResult most = check(
      "//!READ luma\n//!WRITE top int32 shape=1\n//!REDUCE\n"
      "top[0] = max(top[0], (int)luma(0, 0));",
      "any");
  if (most.output.find("no device") != std::string::npos) GTEST_SKIP() << most.output;
  has(most.output, ": without COMBINE the results of a REDUCE are added to each other");
  const CommandResult place = check(
      "//!READ luma\n//!WRITE best int32 shape=2\n//!REDUCE\n"
      "if (luma(0, 0) > best[0]) { best[0] = luma(0, 0); best[1] = y * width + x; }\n//!COMBINE\n"
      "if (best_other[0] > best[0]) { best[0] = best_other[0]; best[1] = best_other[1]; }",
      "any");
  has(place.output,
      ": a REDUCE visits its elements in any order; on a tie it must select the same one in each "
      "order");
  const CommandResult mean = check(
      "//!READ luma\n//!WRITE mean float32 shape=1\n//!REDUCE\nmean[0] += luma(0, 0) / 255.0;",
      "any");
  has(mean.output, "so WRITE needs a tolerance");
}

}  // namespace
}  // namespace tandem::test
