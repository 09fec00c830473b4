// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/kernels/network/graphs.h"

namespace tandem::network {
namespace {

constexpr double kTolerance = 1e-4;     // of the largest value
constexpr std::size_t kLeastPath = 40;  // bytes of a long path that a message has
// ONNX has more or fewer in each version, and some of types and sizes that are not supported.
constexpr int kLeastComputed = 100;
// ONNX computes this one with an output of 2.4 columns; other programs have whole columns.
constexpr const char* kOddCase = "test_resize_downsample_scales_linear_align_corners";

// onnx_cases.py writes the cases into TANDEM_GRAPHS before.
TEST(OnnxCases, AreComputedOrRefused) {
  const char* const folder = std::getenv("TANDEM_GRAPHS");
  if (!folder) GTEST_SKIP() << "needs package: python3-onnx";
  int computed = 0;
  for (const std::string& path : test::graphs_in(folder)) {
    if (path.find(kOddCase) != path.npos) continue;
    try {
      const test::Graph graph = test::read_graph(path);
      const auto results = test::reference(graph.network, graph.inputs);
      for (std::size_t o = 0; o < results.size(); ++o)
        EXPECT_LE(test::difference(graph.expected[o], results[o]), kTolerance)
            << path << ", output " << o;
      ++computed;
    } catch (const std::runtime_error& error) {
      std::cout << "refused: " << error.what() << '\n';
      EXPECT_NE(std::string(error.what()).find(path.substr(0, kLeastPath)), std::string::npos);
    }
  }
  EXPECT_GE(computed, kLeastComputed);
}

}  // namespace
}  // namespace tandem::network
