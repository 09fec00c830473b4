// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/kernels/network/graphs.h"
#include "tests/kernels/network/onnx/model_mutator.h"
#include "tests/kernels/network/onnx/refused.h"

/// Damaged graphs: each is refused with an error that names the file, or is a network that the
/// reference computes.
namespace tandem::network {
namespace {

// Elements, and products, of a network that is computed.
constexpr int64_t kMostWork = 1'000'000;
// What any file of a few kilobytes may take: parsed, and constants that are computed.
constexpr long kMostMegabytes = 1024;

class Fuzz : public test::RefusedModels {
 protected:
  static int64_t work_of(const Network& network) {
    int64_t work = 0;
    for (const Step& step : network.steps) {
      int64_t window = 1;
      if (const auto* const pool = std::get_if<Pool>(&step.operation))
        window = int64_t{pool->window.kernel[0]} * pool->window.kernel[1];
      work += multiply_adds(network, step) + elements(network.of(step.output).shape) * window;
      for (const int input : step.inputs)
        if (input != kAbsent) work += elements(network.of(input).shape);
      if (work > kMostWork) break;
    }
    return work;
  }

  static void compute(const Network& network) {
    std::vector<test::Elements> inputs;
    for (const int input : network.inputs)
      inputs.push_back(test::noise(elements(network.of(input).shape)));
    test::reference(network, inputs);
  }
};

TEST_F(Fuzz, DamagedGraphsAreRefusedOrComputed) {
  const char* const folder = std::getenv("TANDEM_GRAPHS");
  if (!folder) GTEST_SKIP() << "needs package: python3-onnx";
  const char* const files = std::getenv("TANDEM_FUZZ_FILES");
  const int count = files ? std::atoi(files) : 300;
  std::vector<std::string> corpus;
  for (const std::string& graph : test::graphs_in(folder)) {
    std::ifstream file(graph, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  test::ModelMutator mutator(corpus, 1);
  int refused = 0, computed = 0;
  for (int n = 0; n < count; ++n) {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << mutator.make();
    try {
      const Network network = read_network(path());
      if (work_of(network) > kMostWork) continue;
      compute(network);
      ++computed;
    } catch (const std::runtime_error& error) {
      ++refused;
      ASSERT_NE(std::string(error.what()).find(path()), std::string::npos) << error.what();
    }
  }
  std::cout << count << " files: " << refused << " refused, " << computed << " computed\n";
  EXPECT_GT(refused, count / 3);
  EXPECT_GT(computed, count / 20);
#ifndef TANDEM_SANITIZED
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss / 1024, kMostMegabytes);
#endif
}

}  // namespace
}  // namespace tandem::network
