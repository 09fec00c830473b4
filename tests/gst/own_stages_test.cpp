// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages that are none of ours, with what ours do not need.
#include "tests/gst/support/own_stages.h"

#include <gtest/gtest.h>

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

TEST(OwnStages, PassesOnTheDeviceToo) {
  if (!have_opencl_device()) GTEST_SKIP() << "no OpenCL device";
  Stream stream(bin_of("ownstart ! ownadd plus=3 passes=5", "keep-tensors=true mapping=cg"), kSize);
  expect_added(15, stream.run(kFrames));
  EXPECT_GT(stream.stat("frames-mixed"), 0U);
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
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
            "ownadd is set to send frames 2 times through the stages from ownadd on, which needs a "
            "tandembin around them. Without one, put the stages from ownadd to ownadd into the "
            "pipeline 2 times.");
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  tandem::test::register_own_stages();
  return RUN_ALL_TESTS();
}
