// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <thread>

#include "kernels/network/network_opencl.h"
#include "tests/kernels/network/device_frame.h"
#include "tests/kernels/network/random_network.h"
#include "tests/kernels/support/device_profile.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

using network::NetworkOpenCL;

class NetworkOnDevice : public testing::TestWithParam<OpenCLDevice> {
 protected:
  void expect_agreement(const RandomCase& made) {
    const auto& context = GetParam().context;
    const NetworkOpenCL computes(*context, made.network);
    DeviceFrame frame(context, computes, *made.network);
    EXPECT_TRUE(close_to(*made.network, reference_outputs(*made.network, made.inputs),
                         frame.run(made.inputs)));
  }
};

INSTANTIATE_TEST_SUITE_P(OpenCL, NetworkOnDevice, testing::ValuesIn(opencl_devices()),
                         [](const auto& device) { return device.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NetworkOnDevice);

TEST_P(NetworkOnDevice, EachOperation) {
  std::mt19937 random = generator(1);
  for (std::size_t o = 0; o < std::variant_size_v<network::Operation>; ++o)
    for (int i = 0; i < repetitions(o == 0 ? 120 : 40); ++i)
      expect_agreement(random_step(random, o));
}

struct ConvolutionCase {
  int channels, height, width, out_channels, kernel, stride, dilation, groups;
};

TEST_P(NetworkOnDevice, ConvolutionsOfEverySize) {
  std::mt19937 random = generator(4);
  for (const ConvolutionCase& of : {
           ConvolutionCase{70, 9, 7, 130, 3, 1, 1, 1},  // more depths than a panel has
           {300, 30, 31, 66, 1, 1, 1, 1},               // many tiles
           {600, 1, 1, 100, 1, 1, 1, 1},
           {3, 40, 37, 20, 11, 4, 1, 1},
           {5, 33, 29, 9, 3, 2, 6, 1},
           {12, 17, 23, 24, 5, 3, 2, 4},
           {3, 5, 1300, 3, 3, 1, 1, 3},  // wider than a padded tile
           {4, 300, 9, 4, 7, 2, 1, 4},
           {2, 150, 150, 2, 31, 1, 4, 2},  // no padded tile holds the window
           {40, 1, 1, 40, 3, 1, 1, 40},
       }) {
    network::Convolution convolution;
    convolution.groups = of.groups;
    network::Window& w = convolution.window;
    w.kernel = {of.kernel, of.kernel};
    w.stride = {of.stride, of.stride};
    w.dilation = {of.dilation, of.dilation};
    w.before = w.after = {of.kernel / 2 * of.dilation, of.kernel / 2 * of.dilation};
    NetworkBuilder builder(random);
    const int image = builder.input({1, of.channels, of.height, of.width});
    auto made = builder.finish({builder.convolution(image, of.out_channels, convolution)});
    std::vector<Elements> inputs = random_inputs(random, *made);
    expect_agreement({std::move(made), std::move(inputs)});
  }
}

TEST_P(NetworkOnDevice, ConvolutionsWriteTheOutputsOfHeads) {
  std::mt19937 random = generator(6);
  NetworkBuilder builder(random);
  network::Convolution plain, depthwise;
  depthwise.groups = 6;
  depthwise.window.kernel = {3, 3};
  depthwise.window.before = depthwise.window.after = {1, 1};
  std::vector<int> boxes, scores;
  for (const int size : {19, 7, 1}) {
    const int image = builder.input({1, 6, size, size + 2});
    const int64_t pixels = size * (size + 2);
    const int box = builder.convolution(image, 12, plain);
    const int last = builder.step(network::Transpose{{0, 2, 3, 1}}, {box}, {1, size, size + 2, 12});
    boxes.push_back(builder.step(network::Reshape{}, {last}, {1, pixels * 3, 4}));
    const int score = builder.convolution(image, 6, size == 7 ? depthwise : plain);
    scores.push_back(builder.step(network::Reshape{}, {score}, {1, 6, pixels}));
  }
  const int64_t places = 19 * 21 + 7 * 9 + 1 * 3;
  const int all_boxes = builder.step(network::Concat{1}, boxes, {1, places * 3, 4});
  const int all_scores = builder.step(network::Concat{2}, scores, {1, 6, places});
  // One that another step reads too stays as it is.
  const int image = builder.convolution(builder.input({1, 5, 8, 8}), 7, plain);
  const int swapped = builder.step(network::Transpose{{0, 3, 1, 2}}, {image}, {1, 8, 7, 8});
  const int other = builder.step(network::Unary{}, {image}, {1, 7, 8, 8},
                                 {network::Activation::Kind::relu, 0, 0});
  auto made = builder.finish({all_boxes, all_scores, swapped, other});

  const auto& context = GetParam().context;
  const NetworkOpenCL computes(*context, made);
  DeviceFrame frame(context, computes, *made);
  EXPECT_EQ(profile_commands(frame.queue(), 1, [&] { frame.enqueue(); }).launches, 6 + 3);
  std::vector<Elements> inputs = random_inputs(random, *made);
  expect_agreement({std::move(made), std::move(inputs)});
}

TEST_P(NetworkOnDevice, Networks) {
  std::mt19937 random = generator(2);
  for (int i = 0; i < repetitions(40); ++i) expect_agreement(random_network(random, 10));
}

// PoCL prints the number of warnings for users to see, at each start.
TEST_P(NetworkOnDevice, KernelsCompileWithoutWarnings) {
  std::mt19937 random = generator(5);
  const RandomCase made = random_network(random, 4);
  const auto context = opencl::Context::open("any");  // one that has built nothing
  testing::internal::CaptureStderr();
  const NetworkOpenCL computes(*context, made.network);
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("warning"), std::string::npos);
}

TEST_P(NetworkOnDevice, TwoQueuesAtOnce) {
  std::mt19937 random = generator(3);
  const RandomCase made = random_network(random, 12);
  const auto& context = GetParam().context;
  const NetworkOpenCL computes(*context, made.network);
  const auto expected = reference_outputs(*made.network, made.inputs);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      DeviceFrame frame(context, computes, *made.network);
      for (int i = 0; i < repetitions(20); ++i)
        EXPECT_TRUE(close_to(*made.network, expected, frame.run(made.inputs)));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tandem::check
