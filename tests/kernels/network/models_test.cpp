// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kernels/network/network.h"
#include "tests/kernels/network/opencv_dnn.h"
#include "tests/kernels/network/tensors.h"

namespace tandem::network {
namespace {

using test::Elements;

constexpr double kTolerance = 1e-4;  // of the largest value

struct Model {
  const char* file;
  std::size_t steps;
  Shape input, output;
};

class Models : public testing::TestWithParam<Model> {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("TANDEM_TEST_DATA");
    if (!data) GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/models";
    path_ = std::string(data) + "/models/" + GetParam().file;
  }
  std::string path_;
};

TEST_P(Models, HaveTheirSteps) {
  const Network network = read_network(path_);
  EXPECT_EQ(network.steps.size(), GetParam().steps);
  ASSERT_EQ(network.inputs.size(), 1u);
  ASSERT_EQ(network.outputs.size(), 1u);
  EXPECT_EQ(network.of(network.inputs[0]).shape, GetParam().input);
  EXPECT_EQ(network.of(network.outputs[0]).shape, GetParam().output);
}

TEST_P(Models, ComputeWhatOpenCvDoes) {
  const Network network = read_network(path_);
  const Elements input = test::noise(elements(GetParam().input));
  const auto expected = test::opencv_dnn(path_, GetParam().input, input);
  if (!expected) GTEST_SKIP() << "needs package: libopencv-dev";
  EXPECT_LE(test::difference(*expected, test::reference(network, {input})[0]), kTolerance);
}

// Steps: convolutions with their activations and residuals, and what moves elements.
INSTANTIATE_TEST_SUITE_P(
    All, Models,
    testing::Values(Model{"nanodet-416.onnx", 57, {1, 3, 416, 416}, {1, 124, 3549}},
                    Model{"ssd-mobilenetv2-300.onnx", 100, {1, 3, 300, 300}, {1, 1917, 28}}),
    [](const auto& model) { return model.index == 0 ? "NanoDet" : "Ssd"; });

}  // namespace
}  // namespace tandem::network
