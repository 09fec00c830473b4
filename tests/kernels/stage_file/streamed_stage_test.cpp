// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/streamed_stage.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernels/opencl/opencl.h"
#include "tests/kernels/stage_file/stage_file_runner.h"

namespace tandem {
namespace {

using Role = StageTensor::Role;

class StreamedStages : public testing::Test {
 protected:
  void SetUp() override {
    if (opencl::list_devices().empty()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
    // Never destroyed: threads of PoCL 3.1 look at a context for a moment after all is finished.
    static auto* const device = new StreamDevice("any");
    device_ = device;
  }

  static std::vector<uint8_t> content(std::size_t bytes, bool is_real) {
    std::mt19937 random(3);
    std::vector<uint8_t> all(bytes);
    for (std::size_t i = 0; i < bytes; i += is_real ? 4 : 1) {
      const float value = static_cast<float>(random() % 1000) / 999;
      if (is_real)
        std::memcpy(&all[i], &value, 4);
      else
        all[i] = static_cast<uint8_t>(random());
    }
    return all;
  }

  // All settings give what one stream gives, and that is what the cores compute; sums of floats to
  // within a part in 10^5.
  void check(const std::string& text, int width, int height,
             const StageDependencies& dependencies = {}) {
    const StageFile file = parse_stage_file(text, "own.cl");
    StreamedStage stage(*device_, file, dependencies, width, height);
    const StageRunner runner(file, nullptr);
    StageMemory memory = runner.memory(width, height);
    const auto& tensors = stage.plan().tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].role != Role::kInput && tensors[i].role != Role::kPixels) continue;
      const auto bytes = content(stage.bytes(i), tensors[i].type == ElementType::kFloat32);
      std::memcpy(stage.host(i), bytes.data(), bytes.size());
      memory.set(i, bytes.data());
    }
    ASSERT_EQ(runner.run_host(memory), "");
    std::vector<std::vector<uint8_t>> one(tensors.size());
    for (const StreamSetting setting :
         {StreamSetting{1, 1}, {1, 4}, {2, 2}, {2, 8}, {4, 4}, {4, 32}, {16, 16}, {16, 32}}) {
      const StreamCommands commands = stage.commands(setting);
      if (!commands.problem.empty()) continue;
      for (std::size_t i = 0; i < tensors.size(); ++i)
        if (tensors[i].role == Role::kOutput) std::memset(stage.host(i), 0xa5, stage.bytes(i));
      EXPECT_GT(stage.run(commands, setting.partitions), 0);
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].role != Role::kOutput) continue;
        const auto* const bytes = static_cast<const uint8_t*>(stage.host(i));
        if (one[i].empty()) {
          one[i].assign(bytes, bytes + stage.bytes(i));
          compare(tensors[i], memory, i, one[i]);
        }
        EXPECT_EQ(std::memcmp(bytes, one[i].data(), one[i].size()), 0)
            << tensors[i].name << ", " << setting.partitions << " partitions, " << setting.tasks
            << " tasks";
      }
    }
  }

  static void compare(const StageTensor& tensor, StageMemory& memory, std::size_t i,
                      const std::vector<uint8_t>& found) {
    const auto* const wanted =
        static_cast<const uint8_t*>(memory.buffer(i).host(opencl::Buffer::Access::read));
    if (tensor.type != ElementType::kFloat32) {
      EXPECT_EQ(std::memcmp(found.data(), wanted, found.size()), 0) << tensor.name;
      return;
    }
    for (std::size_t at = 0; at < found.size(); at += 4) {
      float a = 0, b = 0;
      std::memcpy(&a, &found[at], 4);
      std::memcpy(&b, wanted + at, 4);
      ASSERT_NEAR(a, b, 1e-5 * std::max(1.0F, std::fabs(b))) << tensor.name << "[" << at / 4 << "]";
    }
  }

  StreamDevice* device_ = nullptr;
};

TEST_F(StreamedStages, MapsWithHalos) {
  const std::string text =
      "//!STAGE own\n//!READ in uint8 halo=2\n//!WRITE rows int32 private\n//!MAP\n"
      "rows = in(-2, 0) + in(2, 1) * 3 + x;\n"
      "//!READ rows halo=1\n//!WRITE out int32\n//!MAP\nout = rows(0, -1) - rows(1, 1) + y;\n";
  check(text, 67, 64);
  check(text, 1, 33);
  check(text, 300, 1);
  check(text, 130, 4);
  check(text, 400, 72);  // some groups read within planes, also of a GPU's four rows an item
}

TEST_F(StreamedStages, Reductions) {
  const std::string text =
      "//!STAGE own\n//!READ in float32\n//!WRITE sum float32 shape=2\n//!REDUCE\n"
      "sum[0] += in(0, 0);\nsum[1] += in(0, 0) * in(0, 0);\n"
      "//!READ sum\n//!READ in float32\n//!WRITE out float32\n//!MAP\nout = in(0, 0) - sum[0];\n";
  check(text, 100, 64);
  check(text, 3, 5);
}

TEST_F(StreamedStages, LargeReductions) {
  check(
      "//!STAGE own\n//!READ in uint8\n//!WRITE count int32 shape=20000\n//!REDUCE\n"
      "count[in(0, 0) * 70 + x % 50] += 1;\n",
      200, 64);
}

TEST_F(StreamedStages, Loops) {
  for (const char* passes : {"1", "4", "5"})
    check(std::string("//!STAGE own\n//!READ in float32\n//!WRITE a float32 halo=1\n//!LOOP ") +
              passes + "\na = pass == 0 ? in(0, 0) : 0.25f * (a(0, -1) + a(0, 1) + a(1, 0));\n",
          50, 64);
}

TEST_F(StreamedStages, ArraysWithDependencies) {
  const std::string text =
      "//!STAGE own\n//!READ a float32 shape=64,16\n//!READ v float32 shape=16\n"
      "//!WRITE b float32 shape=64\n//!MAP\n"
      "for (int k = 0; k < 16; ++k) b += a[x * 16 + k] * v[k];\n";
  check(text, 1, 1);
  check(text, 1, 1, {{{0, "a"}, {.own = 1, .other = 16}}});
}

TEST_F(StreamedStages, TellsWhatCommandsTake) {
  StreamedStage stage(
      *device_,
      parse_stage_file("//!STAGE own\n//!READ in uint8\n//!WRITE out uint8\n//!MAP\n"
                       "out = 255 - in(0, 0);\n",
                       "own.cl"),
      {}, 640, 480);
  const StreamProfile profile = stage.profile(stage.commands({}));
  EXPECT_EQ(profile.launches, 1);
  EXPECT_EQ(profile.copies, 2);
  EXPECT_EQ(profile.upload_bytes, 640 * 480);
  EXPECT_EQ(profile.download_bytes, 640 * 480);
  EXPECT_GT(profile.kernel_ns, 0);
}

TEST_F(StreamedStages, ADeviceOfCoresGivesEachPartitionItsOwn) {
  if (!device_->description().is_cpu) GTEST_SKIP() << "a GPU";
  if (device_->description().compute_units < 2) GTEST_SKIP() << "one core";
  EXPECT_TRUE(device_->has_own_cores(2));
  EXPECT_FALSE(device_->has_own_cores(1)) << "the whole device";
  EXPECT_EQ(device_->most_partitions(),
            std::min(16, static_cast<int>(device_->description().compute_units)));
}

}  // namespace
}  // namespace tandem
