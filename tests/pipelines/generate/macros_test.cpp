// SPDX-License-Identifier: LGPL-2.1-or-later
// Macros of the loops' file: the stage has what they stand for.
#include <gtest/gtest.h>

#include "pipelines/generate/generate.h"

namespace tandem::generate {
namespace {

/// The stage of `out[i] = VALUE` with these macros, or why there is none.
std::string stage_with(const std::string& macros, const std::string& value) {
  try {
    return generate_stage(macros +
                              "void own(int n, const float a[n], float out[restrict n]) {\n"
                              "#pragma omp parallel for\n"
                              "for (int i = 0; i < n; i++) out[i] = " +
                              value + ";\n}\n",
                          "own.c", {.values = {{"n", 64}}})
        .text;
  } catch (const Refusal& refused) {
    return refused.what();
  }
}

void expect_in_macros_stage(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Macros, TakeElementsAsArguments) {
  expect_in_macros_stage("out = ((a(0, 0)) * (a(0, 0)));\n",
                         stage_with("#define SQ(v) ((v) * (v))\n", "SQ(a[i])"));
  expect_in_macros_stage("out = ((a(0, 0) + 2) < 1 ? (a(0, 0) + 2) : 1);\n",
                         stage_with("#define LESS(v, w) (v < w ? v : w)\n#define TWO(v) (v + 2)\n",
                                    "LESS(TWO(a[i]), 1)"));
}

TEST(Macros, HoldElementsAndIndices) {
  expect_in_macros_stage("out = (a(1, 0));\n",
                         stage_with("#define A(k) (a[k])\n#define NEXT (i + 1)\n", "A(NEXT)"));
  expect_in_macros_stage("out = a(0, 0) + a(-1, 0);\n",
                         stage_with("#define A(k) a[i k]\n", "A() + A(- 1)"));
}

TEST(Macros, KeepNamesOfNumbers) {
  const std::string stage = stage_with("#define GAIN 1.5f\n#define LOW (-1)\n#define x 3\n",
                                       "GAIN * a[i] + LOW - -LOW * x");
  expect_in_macros_stage("#define GAIN 1.5f\n#define LOW (-1)\n", stage);
  expect_in_macros_stage("out = GAIN * a(0, 0) + LOW - -LOW * 3;\n", stage);
}

TEST(Macros, KeepWordsApart) {
  expect_in_macros_stage("out = - -a(0, 0);\n", stage_with("#define MINUS -\n", "MINUS-a[i]"));
  expect_in_macros_stage("out = 1 + 2 * a(0, 0);\n",
                         stage_with("#define ADD(v) 1 + v /* both */\n", "ADD(2) * a[i]"));
}

TEST(Macros, RefusalsNameTheirUse) {
  EXPECT_EQ(stage_with("#define HALF(v) (0.5 * (v))\n", "1 + HALF(a[i])"),
            "own.c:4:38: this is computed in double: a stage has float, as in 0.5f and sqrtf()");
  EXPECT_EQ(stage_with("#define TWICE(v) (2 * (v))\n#define A a\n", "TWICE(\n3) > 5 || A"),
            "own.c:6:11: 'a' without indices: write one of its elements")
      << "behind a macro of two lines";
  EXPECT_EQ(stage_with("#define CALL(f) f##f(1)\n", "CALL(sqrt)").substr(0, 40),
            "own.c:4:38: the macro 'CALL' has # or '.");
  EXPECT_EQ(stage_with("float f(float v);\n#define f(v) f(v)\n", "f(a[i])"),
            "own.c:5:38: the macro 'f' stands for itself: give it another name");
}

}  // namespace
}  // namespace tandem::generate
