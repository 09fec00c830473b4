// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that a device computes in bands: the same to the last bit as whole frames.
#include <gtest/gtest.h>

#include <random>

#include "tests/gst/support/scene_model.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

std::string srad(int iterations) {
  return "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate iterations=" +
         std::to_string(iterations) + " ! sradcompress";
}

std::string vivid(int scales, const std::string& properties = "") {
  return "vividfilter scales=" + std::to_string(scales) + " " + properties +
         " ! vividhistogram ! vividclassifier";
}

struct Case {
  std::string stages, mapping;
  Size size{160, 208};
  const char* format = "GRAY8";
  int count = 6;
  std::string properties = "threads=1";
};

class DeviceBands : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  }

  struct Run {
    std::vector<Result> results;
    uint64_t in_bands = 0;
  };

  // Outputs come to the host with keep-tensors; without, the pixels and regions are all there is.
  static Run run(const Case& of, int tasks, bool keep) {
    Stream stream(bin_of(of.stages, "mapping=" + of.mapping + " " + of.properties +
                                        " tasks=" + std::to_string(tasks) +
                                        " keep-tensors=" + (keep ? "true" : "false")),
                  of.size, of.format);
    Run run;
    run.results = stream.run(of.count);
    EXPECT_EQ(indices(run.results), count_to(of.count));
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
    EXPECT_EQ(stream.stat("device-failures"), 0U);
    EXPECT_EQ(stream.stat("tasks"), static_cast<uint64_t>(tasks));
    const std::string end = "/t" + std::to_string(tasks);
    EXPECT_EQ(stream.configuration().ends_with(end), tasks > 1) << stream.configuration();
    run.in_bands = stream.stat("frames-in-bands");
    return run;
  }

  static void expect_same_bits(const Case& of, std::initializer_list<int> all_tasks,
                               bool bands = true) {
    for (const bool keep : {true, false}) {
      const Run whole = run(of, 1, keep);
      EXPECT_EQ(whole.in_bands, 0U);
      for (const int tasks : all_tasks) {
        SCOPED_TRACE(caps_text(of.size, of.format) + " " + of.stages + " " + of.mapping + " t" +
                     std::to_string(tasks));
        const Run got = run(of, tasks, keep);
        // The first frames tell how long stages take.
        EXPECT_EQ(got.in_bands > 0, bands);
        for (int i = 0; i < of.count; ++i) expect_same(whole.results[i], got.results[i], false);
      }
    }
  }
};

TEST_F(DeviceBands, ViVid) { expect_same_bits({vivid(1), "ggg"}, {2, 3, 8, 16}); }

TEST_F(DeviceBands, ViVidAtSeveralScales) {
  expect_same_bits({vivid(3, "first-scale=0.5"), "ggg", {131, 200}, "I420"}, {2, 5});
}

TEST_F(DeviceBands, Srad) {
  for (const int iterations : {1, 2, 7})
    expect_same_bits({srad(iterations), "gggggg", {131, 77}, "NV12"}, {2, 3, 16});
}

TEST_F(DeviceBands, RunsThatBeginOrEndBesideTheCpu) {
  for (const char* mapping : {"cgg", "ggc", "cgc"}) expect_same_bits({vivid(2), mapping}, {4});
  for (const char* mapping : {"cggggc", "ggcggg", "gccccg"})
    expect_same_bits({srad(3), mapping}, {4});
}

TEST_F(DeviceBands, SeveralFramesOnSeveralLanes) {
  const std::string several = "threads=3 lanes=2 cpu-fallback=false";
  expect_same_bits({vivid(1), "ggg", {160, 208}, "GRAY8", 12, several}, {3});
  expect_same_bits({srad(2), "gggggg", {160, 208}, "GRAY8", 12, several}, {3});
}

TEST_F(DeviceBands, StagesThatAreNotCutAreWhole) {
  expect_same_bits({"kltpyramid ! kltfeatures ! kltflow ! klttracks", "gggc"}, {4}, false);
  expect_same_bits({"scenefeatures ! sceneclassifier model=" + scene_model_file(), "gc", {96, 80}},
                   {4}, false);
}

TEST_F(DeviceBands, FewerRowsThanBands) {
  for (const Size size : {Size{1, 1}, Size{3, 2}, Size{5, 13}})
    expect_same_bits({srad(2), "gggggg", size}, {2, 16});
}

TEST_F(DeviceBands, RandomSizesStridesAndTasks) {
  std::mt19937 random(std::random_device{}());
  const unsigned seed = random();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  random.seed(seed);
  const auto between = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  const char* const formats[] = {"GRAY8", "I420", "NV12"};  // strides of odd widths are padded
  for (int i = 0; i < 4; ++i) {
    const Size any{between(1, 260), between(1, 260)};
    expect_same_bits({srad(between(1, 4)), "gggggg", any, formats[between(0, 2)]},
                     {between(2, kMaxTasks)});
    const Size window{between(70, 260), between(135, 300)};
    expect_same_bits({vivid(between(0, 3)), "ggg", window, formats[between(0, 2)]},
                     {between(2, kMaxTasks)});
  }
}

TEST_F(DeviceBands, OtherTasksAndCapsUnderWay) {
  Stream stream(bin("mapping=ggg threads=1 tasks=4 keep-tensors=true", "scales=1"));
  stream.play();
  int next = 0;
  for (const Size size : {Size{160, 208}, Size{131, 200}, Size{260, 140}}) {
    stream.caps(size);
    const std::vector<Result> expected = expected_results(next + 8, size, "scales=1");
    for (const int tasks : {7, 1, 2}) {
      g_object_set(stream.tandembin(), "tasks", tasks, nullptr);
      stream.push(next, next + 2);
      for (const Result& got : stream.pull(2)) expect_same(expected.at(got.index), got, true);
      next += 2;
    }
  }
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST_F(DeviceBands, FlushWithBandsInFlight) {
  const std::vector<Result> whole =
      Stream(bin("mapping=ggg threads=1 tasks=1 keep-tensors=true", "scales=1")).run(10);
  Stream stream(bin("mapping=ggg threads=2 lanes=2 tasks=8 cpu-fallback=false keep-tensors=true",
                    "scales=1"));
  stream.play();
  for (int round = 0; round < 8; ++round) {
    stream.push(0, 40);
    GstElement* source = stream.element("source");
    ASSERT_TRUE(gst_element_send_event(source, gst_event_new_flush_start()));
    ASSERT_TRUE(gst_element_send_event(source, gst_event_new_flush_stop(TRUE)));
  }
  stream.push(0, 10);
  stream.end();
  const std::vector<Result> got = stream.pull_all();
  ASSERT_GE(got.size(), 10U);
  for (const Result& each : got)
    if (each.index < 10) expect_same(whole[each.index], each, false);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST_F(DeviceBands, StopWithBandsInFlight) {
  for (const char* lanes : {"lanes=1", "lanes=4"}) {
    Stream stream(bin(std::string("mapping=ggg threads=2 tasks=16 ") + lanes, "scales=1"));
    stream.play();
    stream.push(0, 64);
    stream.pull(5);
    stream.set_state(GST_STATE_NULL);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  }
}

}  // namespace
}  // namespace tandem::test
