// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages in C with all that a stage can have, in a plugin outside of ours (TANDEM_STAGE_PLUGIN).
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{16, 8};
constexpr int kFrames = 6;

class WholeStage : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* const file = std::getenv("TANDEM_STAGE_PLUGIN");
    if (!file || !*file) GTEST_SKIP() << "no plugin was built: needs OpenCL";
    const std::string where = GetParam();
    const bool on_device = where != "cc" && where != "alone, cpu";
    if (on_device && !have_opencl_device())
      GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
    GError* error = nullptr;
    plugin_ = gst_plugin_load_file(file, &error);
    EXPECT_NE(plugin_, nullptr) << (error ? error->message : "");
    g_clear_error(&error);
  }
  void TearDown() override { g_clear_pointer(&plugin_, gst_object_unref); }

  static std::string line(const std::string& stages) {
    const std::string where = GetParam();
    if (where == "alone, cpu" || where == "alone, opencl") {
      const std::string device = where == "alone, cpu" ? "cpu" : "opencl opencl-device=any";
      return "wholestage device=" + device + stages;
    }
    const std::string share = where == "sc" ? " granularity=mg split=40" : "";
    return bin_of("wholestage" + stages, "keep-tensors=true mapping=" + where + share);
  }

 private:
  GstPlugin* plugin_ = nullptr;
};

TEST_P(WholeStage, ComputesWhatItIsFor) {
  Stream stream(line(" level=3 ! wholerow"), kSize);
  const std::vector<Result> results = stream.run(kFrames);
  ASSERT_EQ(indices(results), count_to(kFrames));
  for (const Result& result : results) {
    const auto& difference = result.tensors.at("whole-difference");
    EXPECT_EQ(difference.size(), std::size_t{16 * 8});
    EXPECT_EQ(difference, result.tensors.at("whole-published"));
    EXPECT_EQ(result.pixels.at(0), static_cast<uint8_t>(difference.at(0) + 3));
    EXPECT_EQ(result.tensors.at("whole-level").at(0), 3);
    EXPECT_EQ(result.tensors.at("whole-row").size(), 3U);
    // The first frame comes after a black one.
    if (result.index == 0) {
      EXPECT_EQ(difference.at(1), result.pixels.at(1));
    }
  }
}

TEST_P(WholeStage, WorkIsMadeAnewForAnotherValue) {
  Stream stream(line(" name=whole level=3 ! wholerow"), kSize);
  stream.play();
  stream.push(0, 1);
  EXPECT_EQ(stream.pull(1).at(0).tensors.at("whole-row").size(), 3U);
  g_object_set(stream.element("whole"), "level", 5, nullptr);
  stream.push(1, 2);
  EXPECT_EQ(stream.pull(1).at(0).tensors.at("whole-row").size(), 5U);
}

TEST_P(WholeStage, AStageEndsTheStreamWithAReason) {
  Stream stream(line(" level=13 ! wholerow"), kSize);
  stream.play();
  stream.push(0, 1);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
            "wholerow makes no row of 13: set another level");
}

// Of a split frame, cores compute rows at that time.
TEST_P(WholeStage, TheDeviceSideEndsTheStreamWithAReason) {
  const std::string where = GetParam();
  Stream stream(line(" level=66 ! wholerow"), kSize);
  if (where == "cc" || where == "alone, cpu") {
    EXPECT_EQ(stream.run(1).size(), 1U);
    return;
  }
  stream.play();
  stream.push(0, 1);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
            "wholestage enqueues no 66: set another level");
}

INSTANTIATE_TEST_SUITE_P(On, WholeStage,
                         testing::Values("alone, cpu", "alone, opencl", "cc", "gc", "sc"));

}  // namespace
}  // namespace tandem::test
