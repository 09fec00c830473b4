// SPDX-License-Identifier: LGPL-2.1-or-later
// Threads that compute one frame together.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>

#include "kernels/network/network_cpu.h"
#include "tests/kernels/network/random_network.h"
#include "tests/kernels/support/implementation.h"

namespace tandem::check {
namespace {

using network::Network;
using network::NetworkCpu;

/// Divides the smallest layers too.
constexpr network::Sharing kFine{.threads = 4, .least_work = 0};

/// A frame that any number of threads compute.
class SharedFrame {
 public:
  SharedFrame(const NetworkCpu& cores, const RandomCase& made)
      : cores_(cores),
        network_(*made.network),
        inputs_(read_only(made.inputs)),
        outputs_(room_for_outputs(network_)),
        written_(writable(outputs_)),
        memory_(cores.memory_bytes() / sizeof(float) + 1) {
    std::fill_n(memory_.data(), memory_.size(), std::nanf(""));
  }

  void share(Stop stop = {}) { cores_.share(frame_, inputs_, written_, memory_.data(), stop); }
  bool is_done() const { return cores_.is_done(frame_); }
  testing::AssertionResult is(const std::vector<Elements>& expected) const {
    return close_to(network_, expected, outputs_);
  }
  std::vector<Elements>& outputs() { return outputs_; }

 private:
  const NetworkCpu& cores_;
  const Network& network_;
  const std::vector<const float*> inputs_;
  std::vector<Elements> outputs_;
  const std::vector<float*> written_;
  Elements memory_;
  NetworkCpu::Frame frame_;
};

/// Does something whenever a thread asks whether it is to stop: between two parts.
struct Asked {
  std::function<bool(int)> does;  ///< with the number of times that it was asked before
  int times = 0;
  Stop stop() {
    return Stop(
        [](const void* of) {
          auto* const asked = static_cast<Asked*>(const_cast<void*>(of));
          return asked->does(asked->times++);
        },
        this);
  }
};

/// Convolutions that are divided on each machine, the second one where its channels end within a
/// block.
RandomCase divided_network(std::mt19937& random) {
  NetworkBuilder builder(random);
  int image = builder.input({1, 3, 24, 20});
  for (const int channels : {64, 60, 64}) {
    network::Convolution c;
    c.window = {{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    image = builder.convolution(image, channels, c);
  }
  auto network = builder.finish({image});
  std::vector<Elements> inputs = random_inputs(random, *network);
  return {std::move(network), std::move(inputs)};
}

/// How often a thread is asked whether it is to stop: once more than it has parts. `helps`: another
/// thread has come before, and does nothing.
int parts_of(const NetworkCpu& cores, const RandomCase& made, bool helps = false) {
  SharedFrame frame(cores, made);
  Asked asked{[](int) { return false; }};
  Asked other{[&](int times) {
    if (times == 0) std::thread([&] { frame.share(asked.stop()); }).join();
    return false;
  }};
  frame.share(helps ? other.stop() : asked.stop());
  EXPECT_TRUE(frame.is_done());
  return asked.times;
}

TEST(SharedNetwork, LayersAreDividedForSeveralThreads) {
  std::mt19937 random = generator(30);
  const RandomCase made = divided_network(random);
  const NetworkCpu whole(made.network, {.threads = 1}), divided(made.network, kFine);
  const int layers = parts_of(whole, made);
  EXPECT_EQ(parts_of(whole, made, true), layers);
  EXPECT_GE(parts_of(divided, made, true), layers + 3);
  EXPECT_LE(divided.memory_bytes(), whole.memory_bytes());
}

TEST(SharedNetwork, AThreadAloneDividesTheFirstLayerOnly) {
  std::mt19937 random = generator(37);
  const RandomCase made = divided_network(random);
  const int layers = parts_of(NetworkCpu(made.network, {.threads = 1}), made);
  EXPECT_EQ(parts_of(NetworkCpu(made.network, {.threads = 2, .least_work = 0}), made), layers + 1);
}

TEST(SharedNetwork, ManyThreadsComputeOneFrame) {
  std::mt19937 random = generator(31);
  for (int i = 0; i < repetitions(100); ++i) {
    const RandomCase made =
        i % 10 == 0 ? divided_network(random) : random_network(random, random_int(random, 1, 16));
    const NetworkCpu cores(made.network, kFine);
    const auto expected = reference_outputs(*made.network, made.inputs);
    for (int again = 0; again < 3; ++again) {
      SharedFrame frame(cores, made);
      in_threads(4, 4, [&](Rows) { frame.share(); });
      ASSERT_TRUE(frame.is_done());
      ASSERT_TRUE(frame.is(expected)) << describe(*made.network);
    }
  }
}

TEST(SharedNetwork, OneThreadAloneComputesAll) {
  std::mt19937 random = generator(32);
  const RandomCase made = divided_network(random);
  const NetworkCpu cores(made.network, kFine);
  const auto expected = reference_outputs(*made.network, made.inputs);
  SharedFrame frame(cores, made);
  frame.share();
  EXPECT_TRUE(frame.is_done());
  EXPECT_TRUE(frame.is(expected));

  // Those that come afterwards leave it as it is.
  for (Elements& output : frame.outputs()) std::fill_n(output.data(), output.size(), 7.0f);
  for (int late = 0; late < 2 * SharedRows::kMostThreads; ++late) frame.share();
  EXPECT_TRUE(frame.is_done());
  EXPECT_EQ(frame.outputs()[0][0], 7.0f);
}

TEST(SharedNetwork, ALateThreadComputesTheRest) {
  std::mt19937 random = generator(33);
  const RandomCase made = divided_network(random);
  const NetworkCpu cores(made.network, kFine);
  const auto expected = reference_outputs(*made.network, made.inputs);
  const int parts = parts_of(cores, made);
  for (int before = 0; before < parts; ++before) {
    SharedFrame frame(cores, made);
    Asked asked{[&](int times) {
      if (times != before) return false;
      std::thread([&] { frame.share(); }).join();
      EXPECT_TRUE(frame.is_done());
      return false;
    }};
    frame.share(asked.stop());
    EXPECT_EQ(asked.times, before + 1);
    EXPECT_TRUE(frame.is(expected));
  }
}

TEST(SharedNetwork, StopEndsItForAll) {
  std::mt19937 random = generator(34);
  const RandomCase made = divided_network(random);
  const NetworkCpu cores(made.network, kFine);
  const int parts = parts_of(cores, made);
  for (int before = 0; before < parts - 1; ++before) {
    SharedFrame frame(cores, made);
    Asked asked{[&](int times) { return times >= before; }};
    frame.share(asked.stop());
    EXPECT_FALSE(frame.is_done());
    frame.share();
    EXPECT_FALSE(frame.is_done());
  }
}

TEST(SharedNetwork, AnExceptionEndsItForAll) {
  std::mt19937 random = generator(35);
  const RandomCase made = divided_network(random);
  const NetworkCpu cores(made.network, kFine);
  const int parts = parts_of(cores, made);
  for (int before = 0; before < parts - 1; ++before) {
    SharedFrame frame(cores, made);
    Asked asked{[&](int times) -> bool {
      if (times < before) return false;
      throw std::bad_alloc();
    }};
    frame.share(asked.stop());
    EXPECT_FALSE(frame.is_done());
    frame.share();
    EXPECT_FALSE(frame.is_done());
  }
}

/// The detectors of the test data.
class SharedModels : public testing::TestWithParam<const char*> {};

TEST_P(SharedModels, TwoThreadsAgreeWithOne) {
  const char* const data = std::getenv("TANDEM_TEST_DATA");
  if (!data) GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/models";
  std::mt19937 random = generator(36);
  const auto network = std::make_shared<const Network>(
      network::read_network(std::string(data) + "/models/" + GetParam() + ".onnx"));
  const RandomCase made{network, random_inputs(random, *network)};
  const NetworkCpu whole(network, {.threads = 1}), divided(network, {.threads = 2});
  EXPECT_EQ(divided.memory_bytes(), whole.memory_bytes());
  SharedFrame expected(whole, made);
  expected.share();
  for (int again = 0; again < 3; ++again) {
    SharedFrame frame(divided, made);
    in_threads(2, 2, [&](Rows) { frame.share(); });
    EXPECT_TRUE(frame.is(expected.outputs()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SharedModels, testing::Values("nanodet-416", "ssd-mobilenetv2-300"),
                         [](const auto& model) { return std::string(model.param).substr(0, 3); });

}  // namespace
}  // namespace tandem::check
