// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows and sizes of arrays such as `const float *in` with `in[y * w + x]`.
#include <gtest/gtest.h>

#include "pipelines/generate/generate.h"

namespace tandem::generate {
namespace {

/// The stage of a loop over the rows and columns of a picture, or why there is none.
std::string flat_stage(const std::string& body, const GenerateOptions& options = {},
                       const std::string& x_bounds = "x = 0; x < w") {
  try {
    return generate_stage(
               "void own(int w, int h, const float *restrict in, float *restrict out) {\n"
               "#pragma omp parallel for\n"
               "for (int y = 1; y < h - 1; y++)\nfor (int " +
                   x_bounds + "; x++) {\n" + body + "\n}\n}\n",
               "own.c", options)
        .text;
  } catch (const Refusal& refused) {
    return refused.what();
  }
}

void expect_in_flat_stage(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(FlatArrays, ArePlanesWhereRowsAreClear) {
  const std::string stage = flat_stage("out[y * w + x] = in[(y + 1) * w + x] + in[y * w + x - w];");
  expect_in_flat_stage("// frame: width=w height=h\n", stage);
  expect_in_flat_stage("//!READ in float32 halo=1\n", stage);
  expect_in_flat_stage("= in(0, 1) + in(0, -1);\n", stage);
  expect_in_flat_stage("= in(1, 0);\n",
                       flat_stage("out[x + w * y] = in[w * y + (x + 1)];", {}, "x = 0; x < w - 1"));
  expect_in_flat_stage("= in(-1, 1);\n",
                       flat_stage("const int row = (y + 1) * w;\nout[y * w + x] = in[row + x - 1];",
                                  {}, "x = 1; x < w"));
}

TEST(FlatArrays, AreNumbersWhereRowsAreLeft) {
  const std::string body = "out[y * w + x] = in[y * w + x - 1];";  // the row above, where x is 0
  expect_in_flat_stage(
      "own.c:5:18: column 'x - 1' of 'in' goes from -1 to w - 2, and a row from 0 to w - 1: keep "
      "the loops inside, or write in[h * w] and --set the sizes",
      flat_stage(body));
  const std::string stage = flat_stage(body, {.values = {{"w", 30}, {"h", 20}}});
  expect_in_flat_stage("// frame: any\n", stage);
  expect_in_flat_stage("//!WRITE out float32 shape=19,30", stage);
  expect_in_flat_stage("in[y * w + x - 1];\n", stage);
}

TEST(FlatArrays, HaveTheSizesOfOptions) {
  const std::string body = "int at = x;\nif (at > 3) at = 3;\nout[y * w + x] = in[at];";
  GenerateOptions options{.values = {{"w", 30}, {"h", 20}}};
  expect_in_flat_stage(
      "own.c:7:18: the size of 'in' is not clear: write in[h * w], or --size in=h*w with --set for "
      "both",
      flat_stage(body, options));
  options.sizes["in"] = "2*w";
  expect_in_flat_stage("//!READ in float32 shape=60\n", flat_stage(body, options));
  options.sizes["in"] = "w+1";
  expect_in_flat_stage(
      "own.c:1:24: the size 'w+1' of 'in' is not a product of numbers and parameters, as in w*h",
      flat_stage(body, options));
  options.sizes = {{"im", "w"}};
  expect_in_flat_stage("own.c:1:1: there is no array 'im' among the parameters",
                       flat_stage(body, options));
}

TEST(FlatArrays, KeepRowsByConditions) {
  const std::string sum = "out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1];";
  for (const std::string before : {"if (x > 0 && x < w - 1)", "if (!(x < 1 || x + 2 > w))",
                                   "if (x == 0 || x == w - 1) { out[y * w + x] = 0; continue; }"})
    expect_in_flat_stage("= in(-1, 0) + in(1, 0);\n", flat_stage(before + "\n" + sum));
  expect_in_flat_stage("= x > 0 ? in(-1, 0) : 0;\n",
                       flat_stage("out[y * w + x] = x > 0 ? in[y * w + x - 1] : 0;"));
  for (const std::string before : {"if (x > 0 || x < w - 1)", "if (x > 0 && x < w)",
                                   "if (x == 0 || x == w - 1) { out[y * w + x] = 0; }"})
    expect_in_flat_stage(" goes from ", flat_stage(before + "\n" + sum));
}

TEST(FlatArrays, HaveTheSizesOfReductions) {
  const std::string stage =
      generate_stage(
          "#define BINS 256\nvoid own(const unsigned char *in, int *restrict bins, int n) {\n"
          "#pragma omp parallel for reduction(+ : bins[:BINS])\n"
          "for (int i = 0; i < n; i++) bins[in[i]]++;\n}\n",
          "own.c", {})
          .text;
  expect_in_flat_stage("//!READ bins_in int32 shape=256\n", stage);
}

TEST(FlatArrays, TellWhatNoSizeWouldMend) {
  expect_in_flat_stage("own.c:5:34: an iteration reads an element of 'out' that another one writes",
                       flat_stage("out[y * w + x] = in[y * w + x] + out[(y - 1) * w + x];"));
}

TEST(FlatArrays, WriteOneRow) {
  expect_in_flat_stage(
      "own.c:5:1: which row of 'out' is written is not clear: write out[y * w + x] in loops with "
      "0 <= x and x < w",
      flat_stage("out[y * w + x + 1] = in[y * w + x];"));
}

}  // namespace
}  // namespace tandem::generate
