// SPDX-License-Identifier: LGPL-2.1-or-later
// Networks that are used, on OpenCL devices: their check, and their bench.
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "kernels/network/network_opencl.h"
#include "tests/kernels/network/device_frame.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

using network::Network;
using network::NetworkOpenCL;
using network::Step;

constexpr const char* kDetectors[] = {"nanodet-416", "ssd-mobilenetv2-300"};

/// Null without TANDEM_TEST_DATA.
std::shared_ptr<const Network> detector(const char* name) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (data == nullptr) return nullptr;
  const std::string path = std::string(data) + "/models/" + name + ".onnx";
  return std::make_shared<const Network>(network::read_network(path));
}

struct Expected {
  std::vector<Elements> inputs, outputs;
};

/// Computed once, because the reference takes seconds.
const Expected& expected_of(const char* name, const Network& network) {
  static std::map<std::string, Expected> all;
  Expected& of = all[name];
  if (of.inputs.empty()) {
    std::mt19937 random = generator(11);
    of.inputs = random_inputs(random, network);
    of.outputs = reference_outputs(network, of.inputs);
  }
  return of;
}

class DetectorOnDevice : public testing::TestWithParam<OpenCLDevice> {};
INSTANTIATE_TEST_SUITE_P(OpenCL, DetectorOnDevice, testing::ValuesIn(opencl_devices()),
                         [](const auto& device) { return device.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DetectorOnDevice);

TEST_P(DetectorOnDevice, AgreesWithTheReference) {
  for (const char* name : kDetectors) {
    const auto network = detector(name);
    if (network == nullptr) GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/models";
    const Expected& expected = expected_of(name, *network);
    const NetworkOpenCL computes(*GetParam().context, network);
    DeviceFrame frame(GetParam().context, computes, *network);
    const std::vector<Elements> found = frame.run(expected.inputs);
    EXPECT_TRUE(close_to(*network, expected.outputs, found)) << name;
    EXPECT_LE(static_cast<double>(computes.memory_bytes()),
              1.3 * static_cast<double>(computes.largest_live_set()));
  }
}

/// `step` as a network, whose inputs are the step's.
std::shared_ptr<const Network> alone(const Network& network, const Step& step) {
  Network single;
  const auto add = [&](int value) {
    single.values.push_back(network.of(value));
    return static_cast<int>(single.values.size()) - 1;
  };
  Step copy = step;
  for (int& input : copy.inputs) {
    if (input == network::kAbsent) continue;
    input = add(input);
    if (single.of(input).constant.empty()) single.inputs.push_back(input);
  }
  copy.output = add(step.output);
  single.outputs = {copy.output};
  single.steps = {copy};
  return std::make_shared<const Network>(std::move(single));
}

std::string sides(const network::Shape& shape) {
  std::string text;
  for (const int64_t side : shape) text += (text.empty() ? "" : "x") + std::to_string(side);
  return text;
}

/// Computes random inputs, which the device then has.
void compute_once(DeviceFrame& frame, const Network& network) {
  std::mt19937 random(1);
  frame.run(random_inputs(random, network));
}

/// The device's time for each step, enqueued alone.
void print_steps(const std::shared_ptr<opencl::Context>& context, const Network& network) {
  for (const Step& step : network.steps) {
    const auto single = alone(network, step);
    const NetworkOpenCL computes(*context, single);
    DeviceFrame frame(context, computes, *single);
    compute_once(frame, *single);
    const DeviceProfile profile = profile_commands(frame.queue(), 9, [&] { frame.enqueue(); });
    const auto operations = 2e-3 * static_cast<double>(multiply_adds(network, step));
    std::fprintf(stderr, "  %-9s %-14s to %-14s %9.2f us", name_of(step.operation),
                 sides(network.of(step.inputs[0]).shape).c_str(),
                 sides(network.of(step.output).shape).c_str(), profile.busy_us);
    if (operations > 0) std::fprintf(stderr, " %7.0f GFLOP/s", operations / profile.busy_us);
    std::fprintf(stderr, "  %s\n", step.name.c_str());
  }
}

/// A frame's time, and with TANDEM_BENCH_STEPS in the environment that of each step.
void bench(benchmark::State& state, const char* name) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto network = detector(name);
  if (network == nullptr) return state.SkipWithError("needs TANDEM_TEST_DATA");
  const auto context = opencl_devices().front().context;
  const NetworkOpenCL computes(*context, network);
  DeviceFrame frame(context, computes, *network);
  compute_once(frame, *network);
  double all = 0;
  for (const Step& step : network->steps) all += static_cast<double>(multiply_adds(*network, step));
  on_device(state, frame.queue(), 1, {{"", all, 0}}, [&] { frame.enqueue(); });
  if (std::getenv("TANDEM_BENCH_STEPS") != nullptr) print_steps(context, *network);
}

/// Frames in flight, each with a queue of its own, as in lanes of the bin.
void bench_in_flight(benchmark::State& state, const char* name) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto network = detector(name);
  if (network == nullptr) return state.SkipWithError("needs TANDEM_TEST_DATA");
  const auto context = opencl_devices().front().context;
  const NetworkOpenCL computes(*context, network);
  std::vector<std::unique_ptr<DeviceFrame>> frames;
  for (int64_t i = 0; i < state.range(0); ++i) {
    frames.push_back(std::make_unique<DeviceFrame>(context, computes, *network));
    compute_once(*frames.back(), *network);
  }
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    DeviceFrame& frame = *frames[next++ % frames.size()];
    frame.queue().finish();
    frame.enqueue();
  }
  for (const auto& frame : frames) frame->queue().finish();
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(bench, nanodet, kDetectors[0])->UseManualTime();
BENCHMARK_CAPTURE(bench, ssd_mobilenet, kDetectors[1])->UseManualTime();
BENCHMARK_CAPTURE(bench_in_flight, nanodet, kDetectors[0])
    ->RangeMultiplier(2)
    ->Range(1, 16)
    ->UseRealTime();
BENCHMARK_CAPTURE(bench_in_flight, ssd_mobilenet, kDetectors[1])
    ->RangeMultiplier(2)
    ->Range(1, 16)
    ->UseRealTime();

}  // namespace
}  // namespace tandem::check
