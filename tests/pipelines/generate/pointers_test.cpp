// SPDX-License-Identifier: LGPL-2.1-or-later
// Pointers that a loop declares for rows and elements of arrays.
#include <gtest/gtest.h>

#include "pipelines/generate/generate.h"

namespace tandem::generate {
namespace {

/// The stage of a loop over rows, the body of which is in line 6, or why there is none.
std::string with_pointers(const std::string& body, const GenerateOptions& options = {}) {
  try {
    return generate_stage(
               "typedef unsigned char byte;\nfloat twice(const float *p) { return 2 * *p; }\n"
               "void own(int h, int w, const float *restrict in, const float *more, float "
               "*restrict "
               "out, const float grid[h][w], const int *k) {\n"
               "#pragma omp parallel for\nfor (int y = 1; y < h; y++) {\n" +
                   body + "\n}\n}\n",
               "own.c", options)
        .text;
  } catch (const Refusal& refused) {
    return refused.what();
  }
}

std::string code_of(const std::string& stage) {
  const std::size_t at = stage.find("out = out_in");
  return at == stage.npos ? stage : stage.substr(at);
}

void expect_code(const std::string& body, const std::string& part) {
  const std::string code = code_of(with_pointers(body + " out[y * w + x] = p[x]; }"));
  EXPECT_NE(code.find(part), code.npos) << body << '\n' << code;
}

TEST(Pointers, AreRowsOfFlatArrays) {
  const std::string loop = " for (int x = 0; x < w; x++) {";
  for (const char* const row :
       {"const float *p = in + y * w;", "const float *p = y * w + in;",
        "const float *p = &in[y * w];", "const float *p = (const float *)(in + w * y);",
        "const float *p = &(in + w)[(y - 1) * w];", "const float *restrict p = in + y * w - w + w;",
        "const float *above = &in[(y - 1) * w], *p = above + w;",
        "const float *above = in + y * w - w; const float *p = &above[w];"})
    expect_code(row + loop, "out = in(0, 0);");
  expect_code("const float *p = in + (y - 1) * w;" + loop, "out = in(0, -1);");
  expect_code("const float *p = grid[y - 1];" + loop, "out = grid(0, -1);");
}

TEST(Pointers, AreElementsAndOutputs) {
  const std::string read =
      "const float *p = &in[y * w + x]; out[y * w + x] = *p + p[0] + *(p + 0);";
  const std::string write = "float *o = &out[y * w]; o[x] = in[y * w + x];";
  const std::string moved = "float *o = out + y * w + x; *o = in[y * w + x]; o[0] += 1;";
  for (const std::string& body : {read, write, moved}) {
    const std::string stage = with_pointers("for (int x = 0; x < w; x++) { " + body + " }");
    EXPECT_NE(stage.find("// frame: width=w height=h"), stage.npos) << stage;
  }
}

TEST(Pointers, ThatMoveNeedSizes) {
  const GenerateOptions options{.values = {{"w", 8}, {"h", 4}}, .sizes = {{"in", "w*h"}}};
  const std::string stage = with_pointers(
      "for (int x = 0; x < w; x++) { const float *p = in + y; float s = 0; "
      "for (int i = 0; i < 3; i++) s += *p++; out[y * w + x] = s; }",
      options);
  EXPECT_NE(stage.find("s += in[p++];"), stage.npos) << stage;
}

TEST(Pointers, AreRefusedWithWhatToWrite) {
  EXPECT_EQ(
      with_pointers("const float *p;\nout[y] = p[0];"),
      "own.c:6:1: which array the pointer 'p' points into is not clear: write p = in + y * w, "
      "and p[x] for its elements");
  EXPECT_EQ(
      with_pointers("const float *p = in;\np = more;\nout[y] = p[y];"),
      "own.c:7:5: the pointer 'p' points into 'in' and into 'more': give each array a pointer "
      "of its own");
  EXPECT_EQ(with_pointers("const float *p = h > 9 ? in : more;\nout[y] = p[y];").substr(0, 30),
            "own.c:6:1: which array the poi");
  EXPECT_EQ(with_pointers("const float *p = in, v = 1;\nout[y] = p[y] + v;"),
            "own.c:6:1: a pointer is declared together with other variables: give it a declaration "
            "of its own");
  EXPECT_EQ(with_pointers("const float *p = in + y;\nout[y] = twice(p);"),
            "own.c:7:16: a function that is given a pointer: give it the numbers that it needs, as "
            "in f(row[x])");
  EXPECT_EQ(
      with_pointers("const byte *p = (const byte *)(k + y);\nout[y] = p[0];"),
      "own.c:6:17: a pointer to elements of another type: read the element and convert it, as "
      "in (int)in[i]");
  EXPECT_EQ(with_pointers("const float *p = in + y;\nif (p) out[y] = p[0];"),
            "own.c:7:5: a pointer cannot be a condition, because all arrays of a stage exist");
  EXPECT_EQ(with_pointers("const float *p = in + y;\nout[y] = p != 0 ? p[0] : 1;").substr(0, 36),
            "own.c:7:10: a pointer cannot be a co");
  EXPECT_EQ(with_pointers("const float *p = more;\nin += w; out[y] = p[y];"),
            "own.c:7:1: an array of the function is moved: declare a pointer for it, as in const "
            "float *row = in + y * w");
  EXPECT_EQ(with_pointers("const float *p = grid[y];\np++; out[y] = p[0];"),
            "own.c:7:1: a pointer into a row of an array with several dimensions cannot be moved: "
            "write its whole index, as in in[y][x]");
  EXPECT_EQ(with_pointers("const float *p = in;\n{ int in = 3; out[y] = p[y + in]; }"),
            "own.c:6:1: 'in' is the name of an array that a pointer points into, and of another "
            "variable: give that another name");
}

// Behind pointers, too.
TEST(Pointers, LeavePlacesAsTheyAre) {
  EXPECT_EQ(with_pointers("const float *p = in + y, *q = &in[y]; out[y] = p[0] + q[0] * 0.5;"),
            "own.c:6:48: this is computed in double: a stage has float, as in 0.5f and sqrtf()");
}

}  // namespace
}  // namespace tandem::generate
