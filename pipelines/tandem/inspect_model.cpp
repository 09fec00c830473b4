// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "files/terminal_text.h"
#include "kernels/network/boxes/box_decoder.h"
#include "kernels/network/have_networks.h"
#include "kernels/network/model_info.h"
#include "kernels/network/network.h"
#include "kernels/network/network_cpu.h"
#include "kernels/network/network_opencl.h"
#include "pipelines/formatted.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"

namespace tandem {
namespace {

using network::Network;

// Frames that each side computes: the least time of a step is that without disturbances.
constexpr int kFrames = 5;

/// Memory with the alignment that NetworkCpu needs.
using Memory = opencl::Buffer;

std::unique_ptr<Memory> memory(const std::shared_ptr<opencl::Context>& context, std::size_t bytes) {
  return std::make_unique<Memory>(context, std::max<std::size_t>(bytes, 1));
}

std::vector<std::unique_ptr<Memory>> memories(const std::shared_ptr<opencl::Context>& context,
                                              const Network& network,
                                              const std::vector<int>& values) {
  std::vector<std::unique_ptr<Memory>> all;
  for (const int value : values)
    all.push_back(memory(
        context,
        static_cast<std::size_t>(network::elements(network.of(value).shape)) * sizeof(float)));
  return all;
}

void fill(Memory& image) {
  auto* const values = static_cast<float*>(image.host(Memory::Access::write));
  for (std::size_t i = 0; i < image.size() / sizeof(float); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i)));
}

/// The least of each step's times, in ns.
using Times = std::vector<uint64_t>;

template <class Run>
Times least_times(std::size_t steps, const Run& run) {
  Times least(steps, UINT64_MAX);
  for (int frame = 0; frame < kFrames; ++frame) {
    Times times(steps);
    run(times);
    for (std::size_t s = 0; s < steps; ++s) least[s] = std::min(least[s], times[s]);
  }
  return least;
}

Times measure_cpu(const Network& network, const network::NetworkCpu& cpu) {
  const auto images = memories(nullptr, network, network.inputs);
  const auto results = memories(nullptr, network, network.outputs);
  const auto frame = memory(nullptr, cpu.memory_bytes());
  std::vector<const float*> inputs;
  std::vector<float*> outputs;
  for (const auto& image : images) {
    fill(*image);
    inputs.push_back(static_cast<const float*>(image->host(Memory::Access::read)));
  }
  for (const auto& result : results)
    outputs.push_back(static_cast<float*>(result->host(Memory::Access::write)));
  return least_times(network.steps.size(), [&](Times& times) {
    cpu.run(inputs, outputs, frame->host(Memory::Access::write), {}, &times);
  });
}

Times measure_device(const Network& network, const network::NetworkOpenCL& device,
                     const std::shared_ptr<opencl::Context>& context) {
  opencl::Queue queue(context);
  const auto images = memories(context, network, network.inputs);
  const auto results = memories(context, network, network.outputs);
  const auto frame = memory(context, device.memory_bytes());
  std::vector<void*> inputs, outputs;
  for (const auto& image : images) {
    fill(*image);
    inputs.push_back(image->device(queue, Memory::Access::read));
  }
  for (const auto& result : results)
    outputs.push_back(result->device(queue, Memory::Access::write));
  void* const scratch = frame->device(queue, Memory::Access::write);
  return least_times(network.steps.size(), [&](Times& times) {
    device.enqueue(queue, inputs, outputs, scratch, &times);
    queue.finish();
  });
}

/// The sides that compute the network here.
struct Measured {
  std::optional<Times> cpu, device;
  std::string device_name;
};

std::string shape_text(const network::Shape& shape) {
  std::string text;
  for (const int64_t side : shape) text += (text.empty() ? "" : "x") + std::to_string(side);
  return text.empty() ? "1" : text;
}

std::string milliseconds(const std::optional<Times>& times, std::size_t step) {
  return times ? formatted("%10.3f", 1e-6 * static_cast<double>((*times)[step])) : "";
}

std::string total_milliseconds(const std::optional<Times>& times) {
  if (!times) return "";
  double total = 0;
  for (const uint64_t ns : *times) total += 1e-6 * static_cast<double>(ns);
  return formatted("%10.3f", total);
}

void print_values(const char* what, const Network& network, const std::vector<int>& values) {
  for (const int value : values)
    std::printf("%-8s %s  %s\n", what, terminal_text(network.of(value).name).c_str(),
                shape_text(network.of(value).shape).c_str());
}

void print_steps(const Network& network, const Measured& measured) {
  std::printf("\n%-12s %-18s %9s%s%s  name\n", "operator", "output", "MMAC",
              measured.cpu ? "    CPU ms" : "", measured.device ? " device ms" : "");
  int64_t all = 0;
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    const network::Step& step = network.steps[s];
    const int64_t multiply_adds = network::multiply_adds(network, step);
    all += multiply_adds;
    std::printf("%-12s %-18s %9.2f%s%s  %s\n", network::name_of(step.operation),
                shape_text(network.of(step.output).shape).c_str(),
                1e-6 * static_cast<double>(multiply_adds), milliseconds(measured.cpu, s).c_str(),
                milliseconds(measured.device, s).c_str(), terminal_text(step.name).c_str());
  }
  std::printf("%-12s %-18s %9.2f%s%s\n", "all", "", 1e-6 * static_cast<double>(all),
              total_milliseconds(measured.cpu).c_str(),
              total_milliseconds(measured.device).c_str());
}

void print_memory(const char* side, std::size_t bytes, std::size_t live) {
  std::printf("memory a frame, %s: %.1f MB, %.2f of the largest live set\n", side,
              1e-6 * static_cast<double>(bytes),
              live > 0 ? static_cast<double>(bytes) / static_cast<double>(live) : 1.0);
}

// Throws std::runtime_error where dnnboxes refuses the first output.
void check_decoder(const network::ModelInfo& info, const Network& network) {
  using Decoder = network::ModelInfo::Decoder;
  if (network.inputs.empty()) return;
  const network::Shape& image = network.of(network.inputs.front()).shape;
  const network::Shape& output = network.of(network.outputs.front()).shape;
  if (info.decoder == Decoder::none || image.size() != 4) return;
  if (info.decoder == Decoder::classes) {
    network::check_labels(info, static_cast<std::size_t>(network::elements(output)));
    return;
  }
  const std::vector<std::size_t> sides(output.begin(), output.end());
  network::make_box_decoder(info, {sides, static_cast<int>(image[3]), static_cast<int>(image[2])});
}

// The file beside the network, or what is missing or wrong there.
void print_model_info(const std::string& model, const Network& network) {
  try {
    const network::ModelInfo info = network::read_model_info(model);
    std::printf("model information: %zu label%s\n", info.labels.size(),
                info.labels.size() == 1 ? "" : "s");
    check_decoder(info, network);
  } catch (const std::runtime_error& problem) {
    std::printf("%s\n", terminal_text(problem.what()).c_str());
  }
}

std::shared_ptr<opencl::Context> open_device(const std::string& selector) {
  if (selector == "none") return nullptr;
  try {
    return opencl::Context::open(selector.empty() ? "any" : selector);
  } catch (const opencl::Error& error) {
    if (!selector.empty()) throw;
    std::printf("no OpenCL device: the cores alone are measured\n");
    return nullptr;
  }
}

}  // namespace

int inspect_model_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  std::string selector;
  OptionParser parser("inspect-model",
                      "Prints the inputs, outputs and steps of an ONNX file, with the time of each "
                      "step on one core and on the OpenCL device, and checks the model information "
                      "beside it (docs/networks.md).");
  parser.add("opencl-device", selector, "NAME",
             "`any` (default), `none`, `auto` (never a CPU), or part of a device's name");
  parser.add_operands(files, "FILE.onnx");
  parser.parse(arguments);
  if (files.size() != 1)
    throw UsageError("inspect-model needs one file, as in: tandem inspect-model nanodet.onnx");
  if (!network::kHaveNetworks) throw Failure(network::kNoNetworks);

  const auto network = std::make_shared<const Network>(network::read_network(files[0]));
  print_values("input", *network, network->inputs);
  print_values("output", *network, network->outputs);
  print_model_info(files[0], *network);
  std::fflush(stdout);  // measuring takes seconds
  Measured measured;
  const network::NetworkCpu cpu(network);
  measured.cpu = measure_cpu(*network, cpu);
  std::unique_ptr<network::NetworkOpenCL> device;
  if (const auto context = open_device(selector)) {
    device = std::make_unique<network::NetworkOpenCL>(*context, network);
    measured.device = measure_device(*network, *device, context);
    std::printf("device: %s\n", context->device().name.c_str());
  }
  print_steps(*network, measured);
  std::puts("");
  print_memory("CPU", cpu.memory_bytes(), cpu.largest_live_set());
  if (device) print_memory("device", device->memory_bytes(), device->largest_live_set());
  return 0;
}

}  // namespace tandem
