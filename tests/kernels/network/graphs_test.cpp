// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/network/graphs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "kernels/network/network_cpu.h"
#include "tests/kernels/network/device_frame.h"
#include "tests/kernels/support/opencl_device.h"

namespace tandem::network {
namespace {

constexpr double kTolerance = 1e-4;  // of the largest value

using Results = std::vector<test::Elements>;
using Computes = std::function<Results(const test::Graph&)>;

std::vector<check::Elements> aligned(const Results& values) {
  std::vector<check::Elements> all;
  for (const test::Elements& value : values) {
    all.emplace_back(value.size());
    std::copy(value.begin(), value.end(), all.back().data());
  }
  return all;
}

Results unaligned(const std::vector<check::Elements>& values) {
  Results all;
  for (const check::Elements& value : values)
    all.emplace_back(value.data(), value.data() + value.size());
  return all;
}

Results on_cores(const test::Graph& graph) {
  const NetworkCpu cores(std::make_shared<const Network>(graph.network));
  check::Elements memory(cores.memory_bytes() / sizeof(float) + 1);
  const std::vector<check::Elements> inputs = aligned(graph.inputs);
  std::vector<check::Elements> outputs = check::room_for_outputs(graph.network);
  EXPECT_TRUE(cores.run(check::read_only(inputs), check::writable(outputs), memory.data(), {}));
  return unaligned(outputs);
}

Results on_device(const test::Graph& graph, const std::shared_ptr<opencl::Context>& context) {
  const NetworkOpenCL device(*context, std::make_shared<const Network>(graph.network));
  return unaligned(check::DeviceFrame(context, device, graph.network).run(aligned(graph.inputs)));
}

// make_graphs.py writes the graphs into TANDEM_GRAPHS before.
void expect_results(const Computes& computes) {
  const char* const folder = std::getenv("TANDEM_GRAPHS");
  if (!folder) GTEST_SKIP() << "needs package: python3-onnx";
  const std::vector<std::string> paths = test::graphs_in(folder);
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    try {
      const test::Graph graph = test::read_graph(path);
      const Results results = computes(graph);
      for (std::size_t o = 0; o < results.size(); ++o)
        EXPECT_LE(test::difference(graph.expected[o], results[o]), kTolerance)
            << path << ", output " << o;
    } catch (const std::exception& error) {
      ADD_FAILURE() << path << ": " << error.what();
    }
  }
  testing::Test::RecordProperty("graphs", static_cast<int>(paths.size()));
}

TEST(Graphs, ReferenceComputesWhatNumPyDoes) {
  expect_results(
      [](const test::Graph& graph) { return test::reference(graph.network, graph.inputs); });
}

TEST(Graphs, CoresComputeWhatNumPyDoes) { expect_results(on_cores); }

TEST(Graphs, DeviceComputesWhatNumPyDoes) {
  const auto context = opencl::test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  expect_results([&](const test::Graph& graph) { return on_device(graph, context); });
}

}  // namespace
}  // namespace tandem::network
