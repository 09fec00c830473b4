// SPDX-License-Identifier: LGPL-2.1-or-later
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "kernels/network/network_cpu.h"
#include "tests/kernels/network/random_network.h"
#include "tests/kernels/support/implementation.h"

namespace tandem::check {
namespace {

using network::Network;
using network::NetworkCpu;

/// A frame's memory.
Elements memory_for(const NetworkCpu& cores) { return Elements(cores.memory_bytes() / 4 + 1); }

std::vector<Elements> outputs_of(const NetworkCpu& cores, const Network& network,
                                 const std::vector<Elements>& inputs, Elements& memory) {
  std::vector<Elements> outputs = room_for_outputs(network);
  EXPECT_TRUE(cores.run(read_only(inputs), writable(outputs), memory.data(), {}));
  return outputs;
}

/// What frames before left in the memory does not matter.
void spoil(Elements& memory) { std::fill_n(memory.data(), memory.size(), std::nanf("")); }

void expect_agreement(const RandomCase& made) {
  const NetworkCpu cores(made.network);
  Elements memory = memory_for(cores);
  const auto expected = reference_outputs(*made.network, made.inputs);
  for (int again = 0; again < 2; ++again) {
    spoil(memory);
    ASSERT_TRUE(
        close_to(*made.network, expected, outputs_of(cores, *made.network, made.inputs, memory)));
  }
}

class EachOperation : public testing::TestWithParam<std::size_t> {};

TEST_P(EachOperation, AgreesWithTheReference) {
  std::mt19937 random = generator(static_cast<uint32_t>(GetParam()));
  for (int i = 0; i < repetitions(150); ++i) {
    expect_agreement(random_step(random, GetParam()));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EachOperation,
                         testing::Range<std::size_t>(0, std::variant_size_v<network::Operation>));

TEST(NetworkCpu, NetworksOfImagesAgreeWithTheReference) {
  std::mt19937 random = generator(20);
  for (int i = 0; i < repetitions(200); ++i) {
    expect_agreement(random_network(random, random_int(random, 1, 16)));
    if (HasFatalFailure()) return;
  }
}

TEST(NetworkCpu, ManyThreadsShareOneObject) {
  std::mt19937 random = generator(21);
  for (int i = 0; i < repetitions(10); ++i) {
    const RandomCase made = random_network(random, 10);
    const NetworkCpu cores(made.network);
    const auto expected = reference_outputs(*made.network, made.inputs);
    in_threads(6, 6, [&](Rows) {
      Elements memory = memory_for(cores);
      for (int frame = 0; frame < 20; ++frame)
        EXPECT_TRUE(close_to(*made.network, expected,
                             outputs_of(cores, *made.network, made.inputs, memory)));
    });
  }
}

/// The detectors of the test data.
class Models : public testing::TestWithParam<const char*> {};

TEST_P(Models, AgreeWithTheReference) {
  const char* const data = std::getenv("TANDEM_TEST_DATA");
  if (!data) GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/models";
  std::mt19937 random = generator(26);
  const auto network = std::make_shared<const Network>(
      network::read_network(std::string(data) + "/models/" + GetParam() + ".onnx"));
  const NetworkCpu cores(network);
  EXPECT_LE(static_cast<double>(cores.memory_bytes()),
            1.3 * static_cast<double>(cores.largest_live_set()));
  const std::vector<Elements> inputs = random_inputs(random, *network);
  const auto expected = reference_outputs(*network, inputs);
  in_threads(2, 2, [&](Rows) {
    Elements memory = memory_for(cores);
    for (int again = 0; again < 2; ++again) {
      spoil(memory);
      EXPECT_TRUE(close_to(*network, expected, outputs_of(cores, *network, inputs, memory)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Models, testing::Values("nanodet-416", "ssd-mobilenetv2-300"),
                         [](const auto& model) { return std::string(model.param).substr(0, 3); });

/// Threads of this process.
std::ptrdiff_t threads_now() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

/// Convolutions that OpenMP would share out.
RandomCase large_network(std::mt19937& random) {
  NetworkBuilder builder(random);
  int image = builder.input({1, 3, 96, 96});
  for (int i = 0; i < 3; ++i) {
    network::Convolution c;
    c.window = {{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    image = builder.convolution(image, 32, c);
  }
  auto network = builder.finish({image});
  std::vector<Elements> inputs = random_inputs(random, *network);
  return {std::move(network), std::move(inputs)};
}

TEST(NetworkCpu, AFrameStartsNoThread) {
  std::mt19937 random = generator(22);
  const std::ptrdiff_t before = threads_now();
  const RandomCase made = large_network(random);
  const NetworkCpu cores(made.network);
  in_threads(2, 2, [&](Rows) {
    Elements memory = memory_for(cores);
    for (int frame = 0; frame < 3; ++frame) {
      outputs_of(cores, *made.network, made.inputs, memory);
      EXPECT_LE(threads_now(), before + 2);
    }
  });
  EXPECT_EQ(threads_now(), before);
}

TEST(NetworkCpu, StopsBetweenSteps) {
  std::mt19937 random = generator(23);
  const RandomCase made = large_network(random);
  const NetworkCpu cores(made.network, {.threads = 1});
  Elements memory = memory_for(cores);
  constexpr int kParts = 5;  // three layers, what makes them ready, and a copy of the output
  for (int allowed = 0; allowed <= kParts + 1; ++allowed) {
    int asked = 0;
    struct Asked {
      int& count;
      int allowed;
    } of{asked, allowed};
    const Stop stop(
        [](const void* pointer) {
          const auto* state = static_cast<const Asked*>(pointer);
          return state->count++ >= state->allowed;
        },
        &of);
    std::vector<Elements> outputs = room_for_outputs(*made.network);
    EXPECT_EQ(cores.run(read_only(made.inputs), writable(outputs), memory.data(), stop),
              allowed > kParts);
    EXPECT_EQ(asked, std::min(allowed, kParts) + 1);
  }
}

TEST(NetworkCpu, TimesOfStepsAreAdded) {
  std::mt19937 random = generator(24);
  const RandomCase made = large_network(random);
  const NetworkCpu cores(made.network);
  Elements memory = memory_for(cores);
  std::vector<Elements> outputs = room_for_outputs(*made.network);
  std::vector<uint64_t> times;
  cores.run(read_only(made.inputs), writable(outputs), memory.data(), {}, &times);
  ASSERT_EQ(times.size(), made.network->steps.size());
  const std::vector<uint64_t> once = times;
  cores.run(read_only(made.inputs), writable(outputs), memory.data(), {}, &times);
  for (std::size_t s = 0; s < times.size(); ++s) EXPECT_GT(times[s], once[s]);
}

TEST(NetworkCpu, MemoryIsNearTheLargestLiveSet) {
  std::mt19937 random = generator(25);
  for (int i = 0; i < repetitions(50); ++i) {
    const RandomCase made = random_network(random, 20);
    const NetworkCpu cores(made.network);
    EXPECT_LE(cores.largest_live_set(), cores.memory_bytes());
    EXPECT_LE(static_cast<double>(cores.memory_bytes()),
              1.5 * static_cast<double>(cores.largest_live_set()));
  }
}

}  // namespace
}  // namespace tandem::check
