// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages with bytes and floats: the cores compute some of them with ints in place of bytes.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/stage_file/codegen/codegen.h"
#include "kernels/stage_file/codegen/wide_bytes.h"
#include "tests/kernels/stage_file/stage_file_runner.h"

namespace tandem::check {
namespace {

const std::string kHead =
    "//!STAGE own\n//!READ luma halo=1\n//!WRITE sum float32\n//!WRITE low uint8\n//!MAP\n";

StageFile file_of(const std::string& code, const std::string& head = kHead) {
  return parse_stage_file(head + code, "own.cl");
}

bool widens(const StageFile& file) {
  const StagePlan plan = plan_stage(file);
  return tandem::widens(file, plan, plan.steps[0]);
}

// Lengths of rows around those of vectors and chunks.
constexpr int kWidths[] = {1, 3, 16, 18, 19, 65, 257, 258, 273, 274, 275, 540};

template <typename Check>
void on_each_side(const StageFile& file, Check&& check) {
  const StageRunner runner(file, any_context());
  for (const int width : kWidths) {
    for (const bool device : {false, true}) {
      // A CPU's driver compiles again for each size of a work-group.
      if (device && (!runner.has_device() || (width != 19 && width != 275))) continue;
      SCOPED_TRACE(std::to_string(width) + (device ? " device" : " cores"));
      StageMemory memory = runner.memory(width, 5);
      const std::vector<uint8_t> luma = random_luma(width, 5, 7);
      memory.set(memory.index("luma"), luma.data());
      EXPECT_EQ(device ? runner.run_device(memory) : runner.run_host(memory, {0, 2}), "");
      check(memory, [&, width](int x, int y) -> int {
        return luma[static_cast<std::size_t>(std::clamp(y, 0, 4) * width +
                                             std::clamp(x, 0, width - 1))];
      });
    }
  }
}

// What is written keeps its lowest 8 bits, as a uchar does.
TEST(StageFileOfBytes, BytesWrapWhereTheyAreStored) {
  const StageFile file = file_of(
      "sum = luma(-1, -1) + 3.0f * luma(1, 0) + luma(0, 1);\nif (x > 1) low = 3 * luma(0, -1);\n");
  EXPECT_TRUE(widens(file));
  on_each_side(file, [](StageMemory& memory, const auto& luma) {
    const auto sums = memory.values<float>("sum");
    const auto lows = memory.values<uint8_t>("low");
    for (std::size_t i = 0; i < lows.size(); ++i) {
      const int y = static_cast<int>(i) / memory.width(), x = static_cast<int>(i) % memory.width();
      const int sum = luma(x - 1, y - 1) + 3 * luma(x + 1, y) + luma(x, y + 1);
      ASSERT_EQ(sums[i], static_cast<float>(sum)) << i;
      ASSERT_EQ(lows[i], x > 1 ? static_cast<uint8_t>(3 * luma(x, y - 1)) : 0) << i;
    }
  });
}

TEST(StageFileOfBytes, AByteIsReadAsItWasWritten) {
  const StageFile file = file_of("low = 3 * luma(0, 0);\nsum = low;\n");
  EXPECT_FALSE(widens(file));
  on_each_side(file, [](StageMemory& memory, const auto& luma) {
    const auto sums = memory.values<float>("sum");
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const int y = static_cast<int>(i) / memory.width(), x = static_cast<int>(i) % memory.width();
      ASSERT_EQ(sums[i], static_cast<float>(static_cast<uint8_t>(3 * luma(x, y)))) << i;
    }
  });
}

// Code that could see an int in place of a byte.
TEST(StageFileOfBytes, AreBytesWhereCodeCouldTell) {
  for (const char* code : {
           "sum = low = 3 * luma(0, 0);",
           "sum = (low = 3 * luma(0, 0));",
           "low = 1; low += luma(0, 0); sum = 0;",
           "sum = luma(0, 0); low = sum > 4; if (low == 1) sum = 2;",
           "low = 3; sum = 1; sum += low;",
           "uchar v = 3 * luma(0, 0); sum = v; low = 1;",
           "sum = convert_uchar(3 * luma(0, 0)); low = 1;",
           "#define wraps sum = low\nsum = 0;\nlow = 3 * luma(0, 0);\nwraps;",
       }) {
    EXPECT_FALSE(widens(file_of(std::string(code) + "\n"))) << code;
  }
  const char* const other = "sum = luma(0, 0);\nlow = luma(0, 0) > 3 ? 255 : 0;\n";
  EXPECT_TRUE(widens(file_of(other)));
  EXPECT_FALSE(widens(file_of(other,
                              "//!STAGE own\n//!READ luma\n//!WRITE sum int32\n//!WRITE low "
                              "uint8\n//!MAP\n")));
  EXPECT_FALSE(widens(file_of("sum = luma(0, 0) * table[x % 4];\n",
                              "//!STAGE own\n//!READ luma\n//!READ table uint8 shape=4\n//!WRITE "
                              "sum float32\n//!MAP\n")));
  EXPECT_FALSE(widens(file_of("sum = low(0, 0);\n",
                              "//!STAGE own\n//!READ luma\n//!WRITE low uint8\n//!MAP\nlow = 3 * "
                              "luma(0, 0);\n//!READ low\n//!WRITE sum float32\n//!MAP\n")));
}

// Half as many columns, whose luma is read two apart.
TEST(StageFileOfBytes, AreReadFromALargerPlane) {
  const StageFile file =
      file_of("sum = luma(-1, 0) + luma(1, 1);\n",
              "//!STAGE own\n//!READ luma halo=1\n//!WRITE sum float32 size=1/2\n//!MAP\n");
  EXPECT_TRUE(widens(file));
  on_each_side(file, [](StageMemory& memory, const auto& luma) {
    const int columns = (memory.width() + 1) / 2;
    const auto sums = memory.values<float>("sum");
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const int y = static_cast<int>(i) / columns * 2, x = static_cast<int>(i) % columns * 2;
      ASSERT_EQ(sums[i], static_cast<float>(luma(x - 1, y) + luma(x + 1, y + 1))) << i;
    }
  });
}

// A large table is no constant to the C compiler. The line of an error is that of the file.
TEST(StageFileOfBytes, LargeTablesAreMemory) {
  std::string table = "constant float large[300] = {0";
  for (int i = 1; i < 300; ++i) table += ", " + std::to_string(i) + ".5f";
  const std::string small = "constant float small[2] = {1, 2};\n";
  const StageFile file = file_of(
      "sum = large[luma(0, 0)] + small[1];\n",
      "//!STAGE own\n" + small + table + "};\n//!READ luma\n//!WRITE sum float32\n//!MAP\n");
  const std::string text = common_c_text(file);
  EXPECT_NE(text.find("constant float small"), text.npos);
  EXPECT_NE(text.find("unknown_ float large"), text.npos);
  on_each_side(file, [](StageMemory& memory, const auto& luma) {
    const auto sums = memory.values<float>("sum");
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const int y = static_cast<int>(i) / memory.width(), x = static_cast<int>(i) % memory.width();
      const int level = luma(x, y);
      ASSERT_EQ(sums[i], static_cast<float>(level) + (level > 0 ? 0.5F : 0.0F) + 2) << i;
    }
  });
}

// Of a NaN and a number the number, whichever comes first.
TEST(StageFileOfBytes, GreatestAndLeastOfANumberAndNone) {
  const StageFile file = file_of(
      "float none = sqrt(-1.0f - luma(0, 0));\n"
      "sum = fmax(none, 3) + 10 * fmax(4, none) + 100 * fmin(none, 5) + 1000 * fmin(6, none)"
      ";\n",
      "//!STAGE own\n//!READ luma\n//!WRITE sum float32\n//!MAP\n");
  on_each_side(file, [](StageMemory& memory, const auto&) {
    for (const float sum : memory.values<float>("sum")) ASSERT_EQ(sum, 6543);
  });
}

// In chunks of a row, of which the last one is longer, and at both ends of a row.
template <typename Value>
void expect_smaller_plane_is_read(const std::string& type, int size, int halo) {
  const std::string far = std::to_string(halo), back = std::to_string(-halo);
  const StageRunner runner(
      parse_stage_file("//!STAGE own\n//!READ a " + type + " size=1/" + std::to_string(size) +
                           " halo=" + far + "\n//!WRITE to int32\n//!MAP\nto = a(" + far + ", " +
                           back + ") - 3 * a(" + back + ", 0);\n",
                       "own.cl"),
      any_context());
  for (const auto& [width, height] : {std::pair{1, 1}, {13, 4}, {70, 3}, {533, 5}, {700, 7}}) {
    SCOPED_TRACE(type + " 1/" + std::to_string(size) + " of " + std::to_string(width));
    const int columns = (width + size - 1) / size, rows = (height + size - 1) / size;
    const auto levels = random_luma(columns, rows, 3);
    const std::vector<Value> a(levels.begin(), levels.end());
    std::vector<int> wanted;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto at = [&](int dx, int dy) {
          const int row = std::clamp(y / size + dy, 0, rows - 1);
          return static_cast<int>(levels[static_cast<std::size_t>(
              row * columns + std::clamp(x / size + dx, 0, columns - 1))]);
        };
        wanted.push_back(at(halo, -halo) - 3 * at(-halo, 0));
      }
    }
    for (const bool device : {false, true}) {
      if (device && !runner.has_device()) continue;
      StageMemory memory = runner.memory(width, height);
      memory.set(memory.index("a"), a.data());
      EXPECT_EQ(device ? runner.run_device(memory) : runner.run_host(memory), "");
      EXPECT_EQ(memory.values<int>("to"), wanted);
    }
  }
}

TEST(StageFileBytes, SmallerPlanesAreReadByEachType) {
  expect_smaller_plane_is_read<uint8_t>("uint8", 2, 2);
  expect_smaller_plane_is_read<uint8_t>("uint8", 3, 0);
  expect_smaller_plane_is_read<int>("int32", 4, 1);
  expect_smaller_plane_is_read<float>("float32", 2, 1);
}

}  // namespace
}  // namespace tandem::check
