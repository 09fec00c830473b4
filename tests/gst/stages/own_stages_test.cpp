// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages that are none of ours, with what ours do not need.
#include "tests/gst/support/own_stages.h"

#include <gtest/gtest.h>

#include "tests/gst/support/breaks.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{16, 16};
constexpr int kFrames = 6;

/// Checks that `plus` was added to the first pixel of every frame.
void expect_added(int plus, const std::vector<Result>& results) {
  ASSERT_EQ(indices(results), count_to(kFrames));
  for (const Result& result : results) {
    const auto& value = result.tensors.at("own-value");
    EXPECT_EQ(value.at(0), result.pixels.at(0) + plus) << "frame " << result.index;
  }
}

TEST(OwnStages, FramesPassAsOftenAsTheStageSays) {
  Stream stream(bin_of("ownstart ! ownadd plus=3 passes=5", "keep-tensors=true"), kSize);
  expect_added(15, stream.run(kFrames));
}

// ownadd says that ownstart makes its input.
TEST(OwnStages, WhatAnotherProducerLeavesOutIsLeftOut) {
  Stream stream(
      bin_of("owncount interval=2 ! ownadd from=own-count to=own-sum plus=3", "keep-tensors=true"),
      kSize);
  const std::vector<Result> results = stream.run(kFrames);
  ASSERT_EQ(indices(results), count_to(kFrames));
  for (const Result& result : results)
    EXPECT_EQ(result.tensors.count("own-sum"), result.index % 2 == 0) << result.index;
  EXPECT_EQ(results[4].tensors.at("own-sum").at(0), 3 + 3);
}

TEST(OwnStages, PassesOnTheDeviceToo) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  Stream stream(bin_of("ownstart ! ownadd plus=3 passes=5", "keep-tensors=true mapping=cg"), kSize);
  expect_added(15, stream.run(kFrames));
  EXPECT_GT(stream.stat("frames-mixed"), 0U);
}

TEST(OwnStages, StateBeginsAnew) {
  for (const char* way :
       {"owncount", "tandembin cores=2 adapt=off keep-tensors=true threads=2 stages=owncount"}) {
    SCOPED_TRACE(way);
    const auto all = pass_breaks(way, kSize, 2, [](int index) { return make_frame(index, kSize); });
    float count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(i == 0 ? "the beginning" : breaks()[i - 1].name);
      if (i > 0 && breaks()[i - 1].anew) count = 0;
      for (GstBuffer* buffer : all[i]) {
        ASSERT_TRUE(buffer);
        EXPECT_EQ(read_result(buffer).tensors.at("own-count").at(0), ++count);
        gst_buffer_unref(buffer);
      }
    }
  }
}

TEST(OwnStages, StateBeginsAnewWithTheElement) {
  for (const char* way :
       {"owncount", "tandembin.( name=tandembin0 cores=2 adapt=off keep-tensors=true owncount )"}) {
    SCOPED_TRACE(way);
    Stream stream(way, kSize);
    stream.play();
    stream.push(0, 2);
    EXPECT_EQ(stream.pull(2).back().tensors.at("own-count").at(0), 2);
    stream.set_state(GST_STATE_READY);
    stream.play();
    stream.push(0, 1);
    EXPECT_EQ(stream.pull(1).at(0).tensors.at("own-count").at(0), 1);
  }
}

/// Of a chain whose stages are of one class and read different tensors.
constexpr char kChain[] = "ownstart ! ownadd plus=5 to=own-a ! ownadd plus=7 from=own-a to=own-b";

void expect_chain(const std::vector<Result>& results) {
  ASSERT_EQ(indices(results), count_to(kFrames));
  for (const Result& result : results) {
    EXPECT_EQ(result.tensors.at("own-value").at(0), result.pixels.at(0));
    EXPECT_EQ(result.tensors.at("own-a").at(0), result.pixels.at(0) + 5);
    EXPECT_EQ(result.tensors.at("own-b").at(0), result.pixels.at(0) + 12);
  }
}

TEST(OwnStages, EachInstanceSaysWhatItReads) {
  Stream inside(bin_of(kChain, "keep-tensors=true"), kSize), alone(kChain, kSize);
  expect_chain(inside.run(kFrames));
  expect_chain(alone.run(kFrames));
}

TEST(OwnStages, WhatAnInstanceReadsAndNobodyMakesIsNamed) {
  Stream stream(bin_of("ownstart ! ownadd from=own-c"), kSize);
  stream.play();
  stream.push(0, 1);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
            "ownadd needs the tensor 'own-c', which ownstart makes: put ownstart before ownadd.");
}

TEST(OwnStages, SeveralPassesNeedABin) {
  Stream stream("ownstart ! ownadd passes=2", kSize);
  stream.play();
  stream.push(0, 1);
  EXPECT_EQ(
      stream.messages.wait(GST_MESSAGE_ERROR).text,
      "ownadd is set to send frames 2 times through the stages from ownadd on, which needs "
      "tandembin around them. Without tandembin, put the stages from ownadd to ownadd into the "
      "pipeline 2 times.");
}

constexpr char kDeviceOnly[] = "ownstart ! ownadd name=add plus=3 cpu=false";
constexpr char kAlone[] = "ownstart ! ownadd plus=3 cpu=false opencl-device=any";

TEST(OwnSides, WhatOnlyADeviceCanComputeWaitsForIt) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  for (const char* properties : {"", " threads=1", " mapping=cg granularity=mg", " adapt=both"}) {
    Stream stream(bin_of(kDeviceOnly, std::string("keep-tensors=true") + properties), kSize);
    expect_added(3, stream.run(kFrames));
    EXPECT_EQ(stream.configuration().substr(0, 3), "cg/") << properties;
    EXPECT_EQ(stream.stat("frames-mixed"), uint64_t{kFrames});
  }
}

TEST(OwnSides, AMappingThatCannotBeIsRefused) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const std::string why =
      "mapping 'cc' puts ownadd on the CPU, but it has no CPU implementation: write g for stage 2";
  Stream wrong(bin_of(kDeviceOnly, "mapping=cc"), kSize);
  wrong.set_state_without_waiting(GST_STATE_PAUSED);
  EXPECT_EQ(wrong.messages.wait(GST_MESSAGE_ERROR).text, why);

  Stream right(bin_of(kDeviceOnly, "mapping=cg keep-tensors=true"), kSize);
  right.play();
  right.push(0, 1);
  right.pull(1);
  g_object_set(right.tandembin(), "mapping", "cc", nullptr);
  EXPECT_EQ(right.messages.wait(GST_MESSAGE_WARNING).text,
            "The configuration is unchanged: " + why + ".");
  EXPECT_EQ(right.configuration().substr(0, 2), "cg");
}

TEST(OwnSides, AloneItComputesOnTheDevice) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  Stream stream(kAlone, kSize);
  expect_added(3, stream.run(kFrames));
}

TEST(OwnSides, AloneOnTheCpuItSaysWhatToDo) {
  Stream stream(std::string(kAlone) + " device=cpu", kSize);
  stream.play();
  stream.push(0, 1);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
            "ownadd has no CPU implementation: set device to auto or opencl.");
}

// Run with TANDEM_OPENCL_FAIL_AFTER.
TEST(OwnSidesOfAFailedDevice, FramesFailAndSayWhy) {
  if (!g_getenv("TANDEM_OPENCL_FAIL_AFTER")) GTEST_SKIP() << "run by meson test";
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  Stream inside(bin_of(kDeviceOnly), kSize);
  inside.play();
  inside.push(0, 40);
  EXPECT_EQ(inside.messages.wait(GST_MESSAGE_ERROR).text,
            "ownadd has no CPU implementation, and no OpenCL device is left to compute it.");
  EXPECT_EQ(inside.messages.wait(GST_MESSAGE_WARNING).text.rfind("The OpenCL device failed: ", 0),
            0U);
}

TEST(OwnSidesOfAFailedDevice, AloneToo) {
  if (!g_getenv("TANDEM_OPENCL_FAIL_AFTER")) GTEST_SKIP() << "run by meson test";
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  Stream alone(kAlone, kSize);
  alone.play();
  alone.push(0, 40);
  const std::string text = alone.messages.wait(GST_MESSAGE_ERROR).text;
  EXPECT_EQ(text.rfind("The OpenCL device failed, and ownadd has no CPU implementation: ", 0), 0U)
      << text;
}

// Run where there is no OpenCL device.
TEST(OwnSidesWithoutADevice, TheStageIsNamed) {
  if (have_opencl_device()) GTEST_SKIP() << "run by meson test";
  Stream inside(bin_of(kDeviceOnly), kSize);
  inside.set_state_without_waiting(GST_STATE_PAUSED);
  const std::string text = inside.messages.wait(GST_MESSAGE_ERROR).text;
  EXPECT_EQ(
      text.rfind("ownadd has no CPU implementation, and there is no OpenCL device to use: ", 0), 0U)
      << text;

  Stream alone(kAlone, kSize);
  alone.play();
  alone.push(0, 1);
  EXPECT_EQ(alone.messages.wait(GST_MESSAGE_ERROR).text.rfind("ownadd needs an OpenCL device. ", 0),
            0U);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  tandem::test::register_own_stages();
  return RUN_ALL_TESTS();
}
