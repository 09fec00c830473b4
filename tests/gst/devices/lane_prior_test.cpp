// SPDX-License-Identifier: LGPL-2.1-or-later
// A chain of three stage files is trained with models of its device and without one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>

#include "kernels/opencl/opencl.h"
#include "scheduler/learn/stream_model_file.h"
#include "tests/gst/support/bench_search.h"
#include "tests/gst/support/stream.h"
#include "tests/gst/support/three_stages.h"
#include "tests/support/step_model.h"

namespace tandem::test {
namespace {

constexpr LaneGains kEightGain{1, 1.2, 1.4, 1.65};

/// Collects which numbers of lanes the bin says that it measured with the device alone.
class Measured {
 public:
  Measured() {
    gst_debug_set_threshold_for_name("tandembin", GST_LEVEL_DEBUG);
    gst_debug_add_log_function(hear, this, nullptr);
  }
  ~Measured() {
    gst_debug_remove_log_function(hear);
    gst_debug_unset_threshold_for_name("tandembin");
  }
  std::vector<int> lanes() const {
    std::lock_guard lock(mutex_);
    return lanes_;
  }

 private:
  static void hear(GstDebugCategory*, GstDebugLevel, const gchar*, const gchar*, gint, GObject*,
                   GstDebugMessage* message, gpointer data) {
    static const std::regex kLine("measured ggg/cg1/q([0-9]+):.*");
    std::cmatch found;
    if (!std::regex_match(gst_debug_message_get(message), found, kLine)) return;
    auto* const self = static_cast<Measured*>(data);
    std::lock_guard lock(self->mutex_);
    self->lanes_.push_back(std::atoi(found[1].str().c_str()));
  }

  mutable std::mutex mutex_;
  std::vector<int> lanes_;
};

class LanePriorOfTheBin : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
    folder_ = temporary_folder() + "/lane_prior";
    std::filesystem::create_directories(folder_ + "/models/lanes");
    setenv("TANDEM_DATA_DIR", folder_.c_str(), 1);
    stages_ = write_three_stages(folder_);
  }
  void TearDown() override {
    unsetenv("TANDEM_DATA_DIR");
    std::filesystem::remove_all(folder_);
  }

  void write_model(const LaneGains& gains, const std::string& device) const {
    StreamModelFile file{.origin = {.device = device},
                         .samples = 1,
                         .candidates = {{1, 1}},
                         .model = *step_model(gains)};
    std::ofstream(path()) << write_stream_model(file);
  }
  std::string path() const { return folder_ + "/models/lanes/own.json"; }
  static std::string device() { return opencl::Context::open("any")->device().name; }

  std::vector<int> measured_lanes(std::string* chosen) const {
    const Measured measured;
    FedBin bin({.device = "any", .cores = 2}, stages_, "caps");
    bin.set("mapping", "ggg");
    const Frames frames({160, 120});
    bin.begin(frames.size);
    EXPECT_TRUE(bin.run_until_decided(frames.buffers, 100));
    *chosen = bin.stats().configuration;
    return measured.lanes();
  }

  std::string folder_, stages_;
};

TEST_F(LanePriorOfTheBin, SavesExperiments) {
  std::string chosen;
  const std::vector<int> without = measured_lanes(&chosen);
  ASSERT_FALSE(without.empty());
  EXPECT_EQ(without[0], 2);
  write_model(kEightGain, device());
  const std::vector<int> with = measured_lanes(&chosen);
  ASSERT_FALSE(with.empty());
  EXPECT_EQ(with[0], 8) << "and nothing else where they gain as much";
  EXPECT_TRUE(chosen.starts_with("ggg/")) << chosen;
}

TEST_F(LanePriorOfTheBin, OfAnotherDeviceOrDamagedIsNone) {
  std::string chosen;
  write_model(kEightGain, "another device");
  EXPECT_EQ(measured_lanes(&chosen).at(0), 2);
  write_model(kEightGain, device());
  std::ofstream(path(), std::ios::app) << "}";
  EXPECT_EQ(measured_lanes(&chosen).at(0), 2);
}

}  // namespace
}  // namespace tandem::test
