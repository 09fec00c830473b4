// SPDX-License-Identifier: LGPL-2.1-or-later
// What cannot be a stage is refused, with its place and the reason.
#include <gtest/gtest.h>
#include <malloc.h>

#include "pipelines/generate/generate.h"

namespace tandem::generate {
namespace {

std::string refusal(const std::string& code) {
  try {
    const Generated made = generate_stage(code, "own.c", {.values = {{"n", 64}, {"m", 8}}});
    return "taken: " + made.text;
  } catch (const Refusal& refused) {
    return refused.what();
  }
}

/// A function of one parallel loop in line 3, whose body is in line 4.
std::string loop(const std::string& body, const std::string& clauses = "",
                 const std::string& more = "") {
  return more +
         "void own(int n, int m, float f, const float a[n], float b[restrict n], int k[restrict "
         "n]) {\n"
         "#pragma omp parallel for" +
         clauses +
         "\n"
         "  for (int i = 0; i < n; i++) {\n" +
         body + "\n  }\n}\n";
}

TEST(Refusals, WhatIterationsShare) {
  EXPECT_EQ(refusal(loop("b[0] = a[i];")),
            "own.c:4:1: the iterations of 'i' write the same element of 'b': its index needs that "
            "variable, as in b[i]");
  EXPECT_EQ(refusal(loop("b[i / 2] = a[i];")),
            "own.c:4:1: the index at which 'b' is written is not a sum of the loops' variables and "
            "numbers: write out[i + 1] or out[y * w + x], or a reduction(+ : out[:n])");
  EXPECT_EQ(refusal(loop("b[k[i]] = a[i];")),
            "own.c:4:1: the index at which 'b' is written is not a sum of the loops' variables and "
            "numbers: write out[i + 1] or out[y * w + x], or a reduction(+ : out[:n])");
  EXPECT_EQ(refusal(loop("b[i] = b[n - 1 - i];")),
            "own.c:4:8: an iteration reads an element of 'b' that another one writes: write to "
            "another array and read this one");
  EXPECT_EQ(refusal(loop("b[i] = a[i]; b[i + 1] = a[i];")),
            "own.c:4:14: one iteration writes several elements of 'b': give each a loop of its "
            "own, or write them in an inner loop that has nothing else");
  EXPECT_EQ(refusal(loop("f = a[i]; b[i] = f;")),
            "own.c:4:1: the iterations share 'f', which this one assigns: declare it in the loop, "
            "or name it in a reduction");
  EXPECT_EQ(refusal(loop("for (int j = 0; j < i; j++) b[j] = a[j];")),
            "own.c:4:29: the iterations of 'i' write the same element of 'b': its index needs that "
            "variable, as in b[i]");
  EXPECT_EQ(refusal("void own(int n, float a[restrict n][n]) {\n#pragma omp parallel for\n"
                    "for (int i = 0; i < n; i++) {\nfloat s = 0;\n"
                    "for (int j = 0; j < n; j++) { s += j; a[i][j] = s; }\n}\n}\n"),
            "own.c:5:39: one iteration writes several elements of 'a', and 's' goes from one to "
            "the next: compute it from the loops' variables");
}

TEST(Refusals, SumsOverRows) {
  EXPECT_EQ(refusal("void own(int n, int m, const float a[n][m], float b[restrict m]) {\n"
                    "#pragma omp parallel for\nfor (int i = 0; i < n; i++)\n"
                    "for (int j = 0; j < m; j++) b[j] += a[i][j];\n}\n"),
            "own.c:4:29: the iterations of 'i' write the same element of 'b': write the loop of "
            "the element around the one that sums, or add reduction(+ : b[:n])");
}

TEST(Refusals, IndicesThatMayMeet) {
  // 3 i + j with j up to 4 is the same for (0, 3) and (1, 0).
  EXPECT_EQ(
      refusal("void own(int n, float a[restrict 3 * n + 8]) {\n#pragma omp parallel for\n"
              "for (int i = 0; i < n; i++)\nfor (int j = 0; j < 5; j++) a[3 * i + j] = j;\n}\n"),
      "own.c:3:1: several iterations may write one element of 'a': write an index that each has "
      "alone");
}

TEST(Refusals, ArraysThatMayOverlap) {
  EXPECT_EQ(
      refusal("void own(int n, const float a[n], float b[n]) {\n#pragma omp parallel for\n"
              "for (int i = 0; i < n; i++) b[i] = a[i];\n}\n"),
      "own.c:1:35: 'b', which is written, may overlap 'a': write restrict, as in *restrict b or "
      "b[restrict n]");
}

TEST(Refusals, PragmasWithoutACounterpart) {
  EXPECT_EQ(refusal(loop("#pragma omp barrier\nb[i] = a[i];")).substr(0, 12), "own.c:4:1: r");
  EXPECT_EQ(refusal(loop("#pragma omp critical\nb[i] = a[i];")),
            "own.c:4:13: 'omp critical' has no counterpart in a stage: write 'omp parallel for', "
            "with a reduction for what iterations share");
  EXPECT_EQ(refusal(loop("#pragma omp atomic\nb[i] += a[i];")),
            "own.c:4:13: 'omp atomic' has no counterpart in a stage: write 'omp parallel for', "
            "with a reduction for what iterations share");
  EXPECT_EQ(
      refusal("void own(int n, float b[restrict n]) {\nint last;\n"
              "#pragma omp parallel for lastprivate(last)\n"
              "for (int i = 0; i < n; i++) { last = i; b[i] = last; }\n}\n"),
      "own.c:3:26: 'lastprivate' has no meaning, because iterations have no order: leave it out");
  EXPECT_EQ(refusal(loop("b[i] = a[i];", " nonsense")).substr(0, 10), "own.c:2:26")
      << "what libclang says of the pragma";
}

TEST(Refusals, CodeWithoutACounterpart) {
  EXPECT_EQ(refusal(loop("b[i] = unknown(a[i]);", "", "float unknown(float v);\n")),
            "own.c:5:8: unknown() cannot be called: a stage has the functions of this file and "
            "those of <math.h> for float, as sqrtf()");
  EXPECT_EQ(refusal(loop("b[i] = 0.5 * a[i];")),
            "own.c:4:8: this is computed in double: a stage has float, as in 0.5f and sqrtf()");
  EXPECT_EQ(refusal(loop("if (a[i] < 0) break; b[i] = 1;")).substr(0, 10), "own.c:4:15");
  EXPECT_EQ(refusal(loop("while (1) break; if (a[i] < 0) goto end; end: b[i] = 1;")),
            "own.c:4:32: 'goto' cannot be in a loop: write if and else");
  EXPECT_EQ(refusal(loop("b[i] = state;", "", "float state;\n")),
            "own.c:1:1: 'state' of the file may change: make it const");
  EXPECT_EQ(refusal(loop("static int calls; b[i] = calls++;")),
            "own.c:4:1: a variable that outlives its iteration: leave static and extern out");
  EXPECT_EQ(refusal(loop("switch (k[i]) { default: b[i] = 1; }")).substr(0, 10), "own.c:4:1:");
  EXPECT_EQ(refusal(loop("printf(\"%d\\n\", i); b[i] = 1;", "", "#include <stdio.h>\n")),
            "own.c:5:1: printf() cannot be called: a stage has the functions of this file and "
            "those of <math.h> for float, as sqrtf()");
  EXPECT_EQ(refusal(loop("b[i] = abs(k[i]);")),
            "own.c:4:8: abs() is not declared: add #include <stdlib.h>");
  EXPECT_EQ(refusal(loop("b[i] = \"ab\"[k[i]];")), "own.c:4:8: the indexed value is not an array");
  EXPECT_EQ(refusal(loop("b[i] = nowhere;")), "own.c:4:8: use of undeclared identifier 'nowhere'");
}

TEST(Refusals, WordsThatWouldMeanSomethingElse) {
  EXPECT_EQ(refusal(loop("b[i] = N;", "", "#define N 8\n#undef N\n#define N 9\n")),
            "own.c:2:1: the macro 'N' is defined twice or undefined: give each value its own name");
  EXPECT_EQ(
      refusal(loop("k[i] = INT_MAX;", "", "#include <limits.h>\n")),
      "own.c:5:8: the macro 'INT_MAX' is of another file: write its value, or define it here");
  EXPECT_EQ(refusal(loop("const real v = a[i]; b[i] = v;", "", "typedef float real;\n")),
            "own.c:5:7: the type 'real' is not supported: write float, int or unsigned char");
  EXPECT_EQ(refusal(loop("b[i] = half(a[i]);", "",
                         "static float half(float v) { return v > 1 ? half(v / 2) : v; }\n")),
            "own.c:1:45: the function 'half' calls itself: write a loop");
  EXPECT_EQ(refusal(loop("#if 1\nb[i] = 1;\n#else\nb[i] = 2;\n#endif")),
            "own.c:4:1: a line of the preprocessor inside of code: leave it out");
  EXPECT_EQ(refusal(loop("b[i] = twice(i);", "",
                         "static int twice(int v) {\n#ifdef N\nv++;\n#endif\nreturn 2 * v; }\n")),
            "own.c:2:1: a line of the preprocessor inside of code: leave it out");
  EXPECT_EQ(refusal("void own(int n, float b[restrict n]) {\n#pragma omp parallel for\n"
                    "for (unsigned i = 0; i < n; i++) b[i] = i / 2;\n}\n")
                .substr(0, 10),
            "own.c:3:1:");
  EXPECT_EQ(refusal("float own(int n, const float a[n]) {\nfloat sum = 0;\n"
                    "const float early = 2 * sum;\n#pragma omp parallel for reduction(+ : sum)\n"
                    "for (int i = 0; i < n; i++) sum += a[i];\nreturn sum + early;\n}\n"),
            "own.c:3:1: 'early' needs 'sum' before it is reduced: declare it behind the loop");
}

TEST(Refusals, LoopsWithoutACounterpart) {
  EXPECT_EQ(
      refusal("void own(int n, float b[restrict n]) {\nfor (int i = 0; i < n; i++) b[i] = 0;\n"
              "#pragma omp parallel for\nfor (int i = 0; i < n; i++) b[i] = 0;\n}\n"),
      "own.c:2:1: this loop has no '#pragma omp parallel for' and holds none: write the line above "
      "it");
  EXPECT_EQ(refusal("void own(int n, float b[restrict n]) {\nb[0] = 1;\n"
                    "#pragma omp parallel for\nfor (int i = 0; i < n; i++) b[i] = 0;\n}\n"),
            "own.c:2:1: between parallel loops a function declares variables, and nothing else: "
            "write int n = 1, or another loop");
  EXPECT_EQ(refusal("void own(int n, float b[restrict n]) {\n#pragma omp parallel for\n"
                    "for (int i = n - 1; i >= 0; i -= 2) b[i] = 0;\n}\n"),
            "own.c:3:1: a parallel loop that counts down by more than 1: write it upwards");
  EXPECT_EQ(refusal("void own(int own, float b[restrict own]) {\n#pragma omp parallel for\n"
                    "for (int i = 0; i < own / 2; i++) b[i] = 0;\n}\n"),
            "own.c:3:1: a bound of the parallel loop is not known: write sums and products of int "
            "parameters and numbers. With --set for each parameter in it (--set w=640 --set h=480) "
            "others such as w / 2 are known");
  EXPECT_EQ(refusal("void own(int n, float** restrict b) {\n#pragma omp parallel for\n"
                    "for (int i = 0; i < n; i++) b[i][0] = 0;\n}\n"),
            "own.c:1:17: 'b' is a pointer to pointers or lacks a size: write b[h][w]");
  EXPECT_EQ(refusal("void own(int n) {}\n"),
            "own.c:1:1: no function has a loop with '#pragma omp parallel for': write the line "
            "above one");
}

TEST(Refusals, SizesWithoutAValue) {
  EXPECT_EQ(
      refusal("void own(int rows, int cols, const float a[rows][cols], float b[restrict rows]) {\n"
              "#pragma omp parallel for\nfor (int i = 0; i < rows; i++) b[i] = a[i][0];\n}\n"),
      "own.c:1:10: the sizes 'rows', 'cols' have no whole numbers: --set rows=64 --set cols=64 "
      "with the sizes of your frames, or a line '// data: rows=64 cols=64' in the file");
  EXPECT_EQ(
      refusal("void own(int rows, const float a[rows][9], float b[restrict rows]) {\n"
              "#pragma omp parallel for\nfor (int i = 0; i < rows; i++) b[i] = a[i][0];\n}\n"),
      "own.c:1:10: the size 'rows' has no whole number: --set rows=64 with the sizes of your "
      "frames, or a line '// data: rows=64' in the file");
}

TEST(Refusals, SizesThatATensorCannotHave) {
  const auto sized = [](double n, const std::string& size) {
    try {
      const std::string code =
          "void own(int n, const float a[" + size +
          "], float b[restrict 4]) {\n"
          "#pragma omp parallel for\nfor (int i = 0; i < 4; i++) b[i] = a[i * n];\n}\n";
      return generate_stage(code, "own.c", {.values = {{"n", n}}}).text;
    } catch (const Refusal& refused) {
      return std::string(refused.what());
    }
  };
  const std::string most =
      "own.c:1:17: 'a' has more than 268435456 elements, the most of a tensor: "
      "--set smaller sizes";
  EXPECT_EQ(sized(65536, "n * n * 4"),
            "own.c:1:1: a number of the loops' sizes or indices is beyond 2147483648: --set "
            "smaller sizes");
  EXPECT_EQ(sized(46340, "n * n"), most);
  EXPECT_EQ(sized(2147483647, "n"), most);
  EXPECT_EQ(sized(0, "n"),
            "own.c:1:17: 'a' has a size of 0: --set sizes with which it has elements");
  EXPECT_EQ(
      sized(1048583, "n"),
      "own.c:1:17: 'a' has a size of 1048583, and tensors have 1048576 at most: --set a smaller "
      "one, or one with factors");
  EXPECT_EQ(sized(4294967297, "n"),
            "own.c:1:10: the size 'n' is too large: --set n to 1048576 at most");
  EXPECT_EQ(sized(2, "9223372036854775807 * n").substr(0, 11), "own.c:1:31:");
  EXPECT_NE(sized(4, "n * n").find("//!READ a float32 shape=4,4"), std::string::npos);
}

// Memory that was given back holds '=' here: who looks at an operator there takes it for an
// assignment.
TEST(Refusals, NoOperatorFarFromItsOperands) {
  mallopt(M_PERTURB, '=');
  const std::string far(2000, ' ');  // more than the allocator keeps for a thread
  const std::string taken = refusal(loop("b[i] = 2.0f" + far + "*" + far + "a[i];"));
  mallopt(M_PERTURB, 0);
  EXPECT_EQ(taken.substr(0, 6), "taken:") << taken;
}

}  // namespace
}  // namespace tandem::generate
