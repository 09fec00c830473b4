// SPDX-License-Identifier: LGPL-2.1-or-later
// A machine without OpenCL: meson test hides all platforms from this process.
#include <gtest/gtest.h>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

class NoDevice : public testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(have_opencl_device()) << "run by meson test"; }
};

TEST_F(NoDevice, TheBinSaysSoOnceAndTheCpuComputes) {
  constexpr int kFrames = 6;
  const std::vector<Result> expected = expected_results(kFrames);
  Stream stream(bin("mapping=ggg"));
  stream.play();
  stream.push(0, kFrames);
  g_object_set(stream.tandembin(), "mapping", "gcg", nullptr);  // still none, and no need to say so
  stream.end();
  const std::vector<Result> got = stream.pull_all();
  ASSERT_EQ(indices(got), count_to(kFrames));
  for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], false);
  const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(
      warnings[0].text.rfind(
          "There is no OpenCL device to use, so the CPU computes all stages: no OpenCL device "
          "matches \"any\". ",
          0),
      0U)
      << warnings[0].text;
  EXPECT_EQ(stream.configuration().substr(0, 3), "ccc");
  EXPECT_EQ(stream.stat("frames-cpu"), uint64_t{kFrames});
}

TEST_F(NoDevice, AStageAloneTakesTheCpuUnlessToldOtherwise) {
  Stream stream("vividfilter ! vividhistogram ! vividclassifier");
  EXPECT_EQ(stream.run(3).size(), 3U);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  Stream strict("vividfilter device=opencl");
  strict.play();
  strict.push(0, 1);
  const std::string text = strict.messages.wait(GST_MESSAGE_ERROR).text;
  EXPECT_EQ(text.rfind("No OpenCL device to compute on: no OpenCL device matches \"auto\". ", 0),
            0U)
      << text;
}

// With a driver that never answers: meson test names it.
// The cores compute meanwhile, and nothing waits for the driver's thread.
TEST(StuckDriver, FramesPassAndPipelinesStop) {
  constexpr int kFrames = 6;
  const std::vector<Result> expected = expected_results(kFrames);
  const std::string line =
      std::string("tandembin name=tandembin0 cores=2 knowledge=off stages=\"") + kStages + "\"";
  Stream streams[] = {Stream(line), Stream(line)};
  for (Stream& stream : streams) {
    const std::vector<Result> got = stream.run(kFrames);
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], false);
    EXPECT_EQ(stream.stat("frames-cpu"), uint64_t{kFrames});
  }
  for (Stream& stream : streams) stream.set_state(GST_STATE_NULL);
}

}  // namespace
}  // namespace tandem::test
