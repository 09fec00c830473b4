// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/write/features.h"

#include <gtest/gtest.h>

#include "pipelines/generate/generate.h"

namespace tandem::generate {
namespace {

TEST(Polynomial, ReadsWhatItWrites) {
  const Polynomial width(Affine::of("width")), height(Affine::of("height"));
  const Polynomial p =
      width * width * height * Polynomial(0.5) + height * Polynomial(-3) + Polynomial(8);
  EXPECT_EQ(p.text(), "0.5*width*width*height-3*height+8");
  EXPECT_EQ(p.at(4, 5), 0.5 * 80 - 15 + 8);
  EXPECT_EQ(Polynomial::read(p.text()).text(), p.text());
  EXPECT_EQ(Polynomial().text(), "0");
  EXPECT_THROW(Polynomial::read("2*depth"), std::invalid_argument);
  EXPECT_THROW(Polynomial::read("width"), std::invalid_argument);
}

TEST(Features, OfAStencil) {
  const std::string code =
      "void own(int h, int w, const float in[h][w], float out[restrict h][w]) {\n"
      "#pragma omp parallel for\n"
      "for (int i = 1; i < h - 1; i++)\nfor (int j = 0; j < w; j++)\n"
      "out[i][j] = in[i - 1][j] + in[i + 1][j];\n}\n";
  const Generated made = generate_stage(code, "own.c", {});
  EXPECT_EQ(made.layout.kind, Layout::Kind::kFrame);
  EXPECT_EQ(made.file.parts.at(0).reads.at(1).halo, 1);
  const auto features = read_features(made.text, 100, 50);
  const std::map<std::string, double> wanted{{"access-1", 0},
                                             {"access-2", 3},
                                             {"device-to-host", 4 * 5000},
                                             {"host-to-device", 2 * 4 * 5000},
                                             {"instructions", 4 * 48 * 100},
                                             {"least-task", 100},
                                             {"loop-count", 48},
                                             {"loop-nest", 0},
                                             {"most-tasks", 50},
                                             {"redundant-transfer", 2 * 4 * 100},
                                             {"transfer", 3 * 4 * 5000},
                                             {"transfers", 3}};
  EXPECT_EQ(features, wanted) << made.text;
}

TEST(Features, OfAProductWithAWholeVector) {
  const std::string code =
      "void own(int n, int m, const float A[n][m], const float x[m], float y[restrict n]) {\n"
      "#pragma omp parallel for\nfor (int i = 0; i < n; i++) {\nfloat sum = 0;\n"
      "for (int j = 0; j < m; j++) sum += A[i][j] * x[j];\ny[i] = sum;\n}\n}\n";
  const Generated made = generate_stage(code, "own.c", {.values = {{"n", 32}, {"m", 20}}});
  EXPECT_EQ(made.layout.kind, Layout::Kind::kFixed);
  const auto features = read_features(made.text, 1, 1);
  EXPECT_EQ(features.at("access-1"), 1) << "y";
  EXPECT_EQ(features.at("access-2"), 1) << "A";
  EXPECT_EQ(features.at("redundant-transfer"), 4 * 20) << "x; each task has rows of A alone";
  EXPECT_EQ(features.at("host-to-device"), 4 * (32 * 20 + 20));
  EXPECT_EQ(features.at("instructions"), 3 * 32 * 20 + 32) << "with the comparisons of the loop";
}

TEST(Layouts, FollowTheReads) {
  const auto kind = [](const std::string& read) {
    return generate_stage(
               "void own(int n, const float a[n], float b[restrict n]) {\n"
               "#pragma omp parallel for\nfor (int i = 0; i < n; i++) b[i] = a[" +
                   read + "];\n}\n",
               "own.c", {.values = {{"n", 50}}})
        .layout.kind;
  };
  EXPECT_EQ(kind("i"), Layout::Kind::kFlat);
  EXPECT_EQ(kind("i + 3"), Layout::Kind::kRows);
  EXPECT_EQ(kind("i - 64"), Layout::Kind::kRows);
  EXPECT_EQ(kind("i + 65"), Layout::Kind::kFixed) << "farther than a halo goes";
  EXPECT_EQ(kind("2 * i"), Layout::Kind::kFixed);
  EXPECT_EQ(kind("0"), Layout::Kind::kFixed);
}

}  // namespace
}  // namespace tandem::generate
