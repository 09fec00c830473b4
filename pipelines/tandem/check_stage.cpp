// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

#include "kernels/stage_file/stage_runner.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options.h"

namespace tandem {
namespace {

using Access = opencl::Buffer::Access;
using Clock = std::chrono::steady_clock;
using Role = StageTensor::Role;

constexpr Size kSizes[] = {{1, 1}, {2, 3}, {17, 1}, {64, 48}, {333, 77}, {640, 360}};
constexpr Size kTimed{1920, 1080};
constexpr int kFrames = 3;
constexpr std::chrono::milliseconds kTiming{300};

void fill(StageMemory& memory, unsigned seed) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < memory.tensors(); ++i) {
    const StageTensor& tensor = memory.tensor(i);
    if (tensor.role != Role::kPixels && tensor.role != Role::kInput) continue;
    std::vector<uint8_t> bytes(memory.bytes(i));
    const std::size_t size = bytes_of(tensor.type);
    for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
      const int level = static_cast<int>(random() % 256);
      const float real = static_cast<float>(level) / 255.0F;
      if (size == 1) bytes[at] = static_cast<uint8_t>(level);
      if (tensor.type == ElementType::kInt32) std::memcpy(&bytes[at], &level, size);
      if (tensor.type == ElementType::kFloat32) std::memcpy(&bytes[at], &real, size);
    }
    memory.set(i, bytes.data());
  }
}

double value_of(const StageTensor& tensor, const void* data, std::size_t i) {
  switch (tensor.type) {
    case ElementType::kUint8:
      return static_cast<const uint8_t*>(data)[i];
    case ElementType::kInt32:
      return static_cast<const int*>(data)[i];
    default:
      return static_cast<const float*>(data)[i];
  }
}

// The first output in which two runs differ by more than the file allows; empty: none.
std::string difference(StageMemory& a, StageMemory& b) {
  for (std::size_t i = 0; i < a.tensors(); ++i) {
    const StageTensor& tensor = a.tensor(i);
    if (tensor.role != Role::kOutput && tensor.role != Role::kLumaOut) continue;
    const void* const one = a.buffer(i).host(Access::read);
    const void* const other = b.buffer(i).host(Access::read);
    const auto columns = static_cast<std::size_t>(a.view(i, nullptr).width);
    for (std::size_t k = 0; k < a.bytes(i) / bytes_of(tensor.type); ++k) {
      const double x = value_of(tensor, one, k), y = value_of(tensor, other, k);
      const double most = tensor.tolerance * std::max({1.0, std::fabs(x), std::fabs(y)});
      if (std::fabs(x - y) <= most || x == y || (std::isnan(x) && std::isnan(y))) continue;
      char text[200];
      std::snprintf(text, sizeof text, "'%s' at (%zu, %zu) of %dx%d is %.9g and %.9g",
                    tensor.name.c_str(), k % columns, k / columns, a.width(), a.height(), x, y);
      return text;
    }
  }
  return {};
}

std::vector<int> random_bands(int rows, std::mt19937& random) {
  std::vector<int> bands{0};
  for (int row = 1; row < rows; ++row)
    if (random() % 3 == 0) bands.push_back(row);
  return bands;
}

/// Compares the ways in which frames of one size can be computed.
class Comparison {
 public:
  Comparison(const StageRunner& runner, const StageRunner* checked, Size size)
      : runner_(runner), checked_(checked), size_(size) {}

  std::vector<std::string> problems() {
    StageMemory whole = memory(), bands = memory(), device = memory();
    for (int frame = 0; frame < kFrames && found_.empty(); ++frame) {
      for (StageMemory* each : {&whole, &bands, &device})
        fill(*each, static_cast<unsigned>(frame));
      if (runner_.has_host()) {
        tell("", runner_.run_host(whole));
        tell("", runner_.run_host(bands, random_bands(runner_.host_rows(bands), random_)));
        tell("other bands of rows give other outputs: ", difference(whole, bands));
      }
      if (runner_.has_device()) {
        tell("", runner_.run_device(device));
        if (runner_.has_host())
          tell("the cores and the device differ: ", difference(whole, device));
      }
    }
    if (checked_) check_reach();
    return found_;
  }

 private:
  StageMemory memory() const { return runner_.memory(size_.width, size_.height); }

  void tell(const std::string& what, const std::string& problem) {
    if (!problem.empty() && found_.empty()) found_.push_back(what + problem);
  }

  // A halo that is too small: reads beyond it give what is at its edge.
  void check_reach() {
    StageMemory memory = checked_->memory(size_.width, size_.height);
    fill(memory, 0);
    (void)checked_->run_host(memory);
    for (const StageStep& step : checked_->plan().steps) {
      for (const StagePlanPart& part : step.parts) {
        for (const StageAccess& read : part.reads) {
          if (read.kind != StageAccess::Kind::kPlane) continue;
          const int reach = memory.reach[static_cast<std::size_t>(read.tensor)];
          if (reach > read.halo)
            tell("", "'" + read.name + "' is read " + std::to_string(reach) +
                         " away, and its halo is " + std::to_string(read.halo));
        }
      }
    }
  }

  const StageRunner& runner_;
  const StageRunner* const checked_;
  const Size size_;
  std::mt19937 random_{7};
  std::vector<std::string> found_;
};

template <typename Run>
double fastest_ms(Run&& run) {
  double best = 1e9;
  run();
  for (const auto end = Clock::now() + kTiming; Clock::now() < end;) {
    const auto begin = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  return best;
}

void print_times(const StageRunner& runner, const std::string& device) {
  StageMemory memory = runner.memory(kTimed.width, kTimed.height);
  fill(memory, 0);
  if (runner.has_host())
    std::printf("  one core   %8.3f ms a frame of %s\n",
                fastest_ms([&] { (void)runner.run_host(memory); }), to_string(kTimed).c_str());
  if (!runner.has_device()) return;
  fill(memory, 0);
  const double time_ms = fastest_ms([&] {
    runner.enqueue(memory, runner.queue());
    runner.queue().finish();
  });
  std::printf("  device     %8.3f ms a frame of %s, without copies (%s)\n", time_ms,
              to_string(kTimed).c_str(), device.c_str());
}

std::shared_ptr<opencl::Context> open_device(const std::string& selector) {
  try {
    return opencl::Context::open(selector);
  } catch (const opencl::Error& error) {
    std::printf("  no device: %s\n", error.what());
    return nullptr;
  }
}

}  // namespace

int check_stage_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  std::string selector = "any";
  bool compile_only = false;
  OptionParser parser("check-stage",
                      "Compiles a stage file for the cores and the device, compares both on random "
                      "frames, and says how fast each is (docs/stage-files.md).");
  parser.add("opencl-device", selector, "NAME", "any (the default), or a part of its name");
  parser.add("compile-only", compile_only, "compile both sides, and compare nothing");
  parser.add_operands(paths, "FILE");
  parser.parse(arguments);
  if (paths.size() != 1)
    throw UsageError("check-stage needs one file, as in: tandem check-stage sobel.cl");
  std::printf("%s\n", paths[0].c_str());
  const StageFile file = load_stage_file(paths[0]);
  const auto context = open_device(selector);
  const StageRunner runner(file, context);
  if (compile_only) {
    std::printf("  compiled for %s%s%s\n", runner.has_host() ? "the cores" : "",
                runner.has_host() && runner.has_device() ? " and " : "",
                runner.has_device() ? context->device().name.c_str() : "");
    return 0;
  }
  const std::unique_ptr<StageRunner> checked =
      runner.has_host() ? std::make_unique<StageRunner>(file, nullptr, true) : nullptr;
  for (const Size size : kSizes) {
    for (const std::string& problem : Comparison(runner, checked.get(), size).problems()) {
      std::printf("  wrong: %s\n", problem.c_str());
      return 1;
    }
  }
  std::printf("  right: %d frames of each of %zu sizes\n", kFrames, std::size(kSizes));
  print_times(runner, context ? context->device().name : "");
  return 0;
}

}  // namespace tandem
