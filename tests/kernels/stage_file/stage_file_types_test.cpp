// SPDX-License-Identifier: LGPL-2.1-or-later
// Arguments of other types than a function has: OpenCL C knows several versions of each function
// and takes none for two types, and C converts.
#include <gtest/gtest.h>

#include <string>

#include "tests/kernels/stage_file/stage_file_runner.h"

namespace tandem::check {
namespace {

// Whole results, so that all of them are equal. `k` is -2 to 2, `f` half of it, `u` 0 to 4.
constexpr const char* kExpressions[] = {
    // functions of floats with whole numbers
    "sqrt(u * u)", "floor(k) + ceil(k) + trunc(u) + rint(k) + round(x)", "fabs(k)",
    "fmin(f, 1) * 2", "fmax(k, u)", "fma(k, 2, u)", "mad(k, 2, f) * 2", "mix(k, u, 1)",
    "hypot(3 * u, 4 * u)", "(int)(rsqrt(1) + exp(0) + log(1) + cos(0) + exp2(u) + log2(8) + 0.5f)",
    "(int)(pow(2, u) + 0.5f)", "(int)(atan(0) + atan2(0, 1) + tanh(0) + tan(0) + sin(0))",
    "fmod(7, 1 + u)", "copysign(u, k)", "(int)(cbrt(8) + log10(100) + cosh(0) + 0.5f)",
    "(int)(acos(1) + asin(0) + sinh(0))",
    // two types
    "min(k, f) * 2", "max(u, k)", "min(u, (uchar)2)", "max(u, 3)", "clamp(k, u, 3)",
    "clamp(f, 0, 1) * 2", "min((long)k << 40, 5L << 40) >> 40", "max((ulong)u << 40, 3) >> 40",
    "min((uint)k, 7u)", "min((short)k, u)",
    // whole numbers
    "abs(f * 4)", "abs(u - 3)", "(k * 7) / 3 + (k * 7) % 3", "(k * 9) >> 1", "1 << u", "~k",
    "(char)(u + 200)", "(int)(char)(200 + u)", "(uchar)k", "(ushort)k", "k < (uint)1",
    "(bool)f + (bool)k + true", "(size_t)u + 1", "10u / (uint)(u + 1)", "sizeof(int) + u",
    "'a' + k", "k ? f * 2 : u",
    // conversions
    "convert_int_rte(16777217 + k)", "convert_int(f)", "convert_uchar_sat(k * 1000)",
    "convert_uchar_sat((uint)k)", "convert_uchar_sat((long)k << 33)", "convert_uchar_sat_rte(k)",
    "convert_float(k)", "convert_uchar(u)"};

TEST(StageFileOfTypes, ConvertsTheSameOnBothSides) {
  const int count = std::ssize(kExpressions);
  std::string text = "//!STAGE own\n//!WRITE to int32 shape=" + std::to_string(count) +
                     ",5\n//!MAP\nconst int k = x - 2;\nconst float f = k * 0.5f;\n"
                     "const uchar u = x;\n";
  for (int row = 0; row < count; ++row)
    text += "if (y == " + std::to_string(row) + ") to = " + kExpressions[row] + ";\n";
  const StageRunner runner(parse_stage_file(text, "own.cl"), any_context());
  ASSERT_TRUE(runner.has_host());
  if (!runner.has_device()) GTEST_SKIP() << "no device";
  StageMemory host = runner.memory(5, 4), device = runner.memory(5, 4);
  EXPECT_EQ(runner.run_host(host), "");
  EXPECT_EQ(runner.run_device(device), "");
  const auto cores = host.values<int>("to"), others = device.values<int>("to");
  for (std::size_t i = 0; i < cores.size(); ++i)
    EXPECT_EQ(cores[i], others[i]) << kExpressions[i / 5] << " in column " << i % 5;
}

}  // namespace
}  // namespace tandem::check
