// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages that compute each n-th frame: which frames have results, and that these are the same.
#include <gtest/gtest.h>

#include "tests/gst/support/breaks.h"
#include "tests/gst/support/decisions.h"
#include "tests/gst/support/work.h"

namespace tandem::test {
namespace {

constexpr char kRest[] = "vividhistogram ! vividclassifier";

std::vector<std::string> configurations() {
  std::vector<std::string> all{"threads=3", "granularity=mg", "adapt=both max-overhead=0.9"};
  if (have_opencl_device()) {
    all.insert(all.end(), {"mapping=ggg threads=3", "mapping=gcg", "mapping=cgc threads=2 lanes=2",
                           "mapping=sss split=37"});
  }
  return all;
}

void set_interval(const Stream& stream, int interval) {
  g_object_set(stream.element("filter"), "interval", interval, nullptr);
}

/// Checks that a frame is as the stages alone make it, or that no stage has computed it.
void expect_if(bool computed, const Result& got) {
  if (computed) return expect_computed_with(1, got);
  EXPECT_TRUE(got.tensors.empty()) << "frame " << got.index;
  EXPECT_TRUE(got.boxes.empty()) << "frame " << got.index;
}

TEST(Interval, EachNthFrameIsComputedAndTheOthersPass) {
  for (const std::string& configuration : configurations()) {
    SCOPED_TRACE(configuration);
    Stream stream(vivid(configuration));
    set_interval(stream, 3);
    for (int i = 0; i < 40; ++i) push_picture(stream, i, kVividSize);
    stream.play();
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_EQ(indices(got), count_to(40));
    for (const Result& result : got) expect_if(result.index % 3 == 0, result);
    EXPECT_EQ(stream.stat("frames-passed"), 26U);
    EXPECT_EQ(
        stream.stat("frames-cpu") + stream.stat("frames-device") + stream.stat("frames-mixed"),
        14U);
  }
}

TEST(Interval, HoldsOutsideOfABinAndAcrossItsPads) {
  const std::string filter = "vividfilter scales=1 interval=3";
  for (const std::string& line :
       {filter + " ! " + kRest, filter + " ! " + bin_of(kRest, "keep-tensors=true"),
        bin_of(filter, "keep-tensors=true") + " ! " + kRest,
        std::string("vividfilter scales=1 ! vividhistogram interval=3 ! vividclassifier")}) {
    SCOPED_TRACE(line);
    Stream stream(line, kVividSize);
    const std::vector<Result> got = stream.run(10);
    ASSERT_EQ(indices(got), count_to(10));
    for (const Result& result : got) {
      EXPECT_EQ(result.tensors.count("vivid-score"), result.index % 3 == 0) << result.index;
      if (result.index % 3 == 0) expect_computed_with(1, result);
    }
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

TEST(Interval, WithoutAnIntervalAMissingInputIsAnError) {
  Stream stream(kRest, kVividSize);
  stream.play();
  stream.push(0, 1);
  EXPECT_NE(stream.messages.wait(GST_MESSAGE_ERROR).text.find("put vividfilter before"),
            std::string::npos);
}

TEST(Interval, ChangesWhileFramesFlow) {
  for (const std::string& configuration : configurations()) {
    SCOPED_TRACE(configuration);
    Stream stream(vivid(configuration));
    FrameProbe probe(stream.tandembin(), GST_PAD_SINK, [&](int frame) {
      if (frame == 10) set_interval(stream, 4);
      if (frame == 31) set_interval(stream, 1);
    });
    for (int i = 0; i < 40; ++i) push_picture(stream, i, kVividSize);
    stream.play();
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_EQ(indices(got), count_to(40));
    for (const Result& result : got) {
      const bool in_between = result.index >= 10 && result.index < 31;
      expect_if(!in_between || result.index % 4 == 2, result);
    }
  }
}

TEST(Interval, AStageAloneChangesToo) {
  Stream stream("vividfilter name=filter device=cpu scales=1 interval=5");
  FrameProbe probe(stream.element("filter"), GST_PAD_SINK, [&](int frame) {
    if (frame == 7) set_interval(stream, 2);
  });
  for (const Result& result : stream.run(12)) {
    const bool computed = result.index < 7 ? result.index % 5 == 0 : result.index % 2 == 1;
    EXPECT_EQ(result.tensors.empty(), !computed) << result.index;
  }
}

TEST(Interval, AStreamBeginsWithAFrameThatIsComputed) {
  for (const std::string& line :
       {std::string("vividfilter scales=1 interval=3"),
        std::string("tandembin cores=2 adapt=off keep-tensors=true threads=2 "
                    "stages=\"vividfilter scales=1 interval=3\"")}) {
    SCOPED_TRACE(line);
    model_file();
    const auto all =
        pass_breaks(line, kVividSize, 2, [](int index) { return make_frame(index, kVividSize); });
    int since = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(i == 0 ? "the beginning" : breaks()[i - 1].name);
      if (i == 0 || breaks()[i - 1].anew) since = 3;
      for (GstBuffer* buffer : all[i]) {
        ASSERT_TRUE(buffer);
        const bool computed = since >= 3;
        EXPECT_EQ(read_result(buffer).tensors.empty(), !computed);
        since = computed ? 1 : since + 1;
        gst_buffer_unref(buffer);
      }
    }
  }
}

// What a stage that needs the frame before is given is the frame that it computed before.
TEST(Interval, MotionIsThatSinceTheFrameThatWasComputedBefore) {
  const std::string rest = " ! kltfeatures ! kltflow ! klttracks";
  Stream each("kltpyramid" + rest, kVividSize);
  for (int i = 0; i < 4; ++i) each.push(2 * i, 2 * i + 1);
  each.play();
  each.end();
  const std::vector<Result> expected = each.pull_all();
  ASSERT_EQ(expected.size(), 4U);
  for (const std::string& line :
       {"kltpyramid interval=2" + rest, bin_of("kltpyramid interval=2" + rest, "keep-tensors=true"),
        bin_of("kltpyramid interval=2" + rest, "keep-tensors=true threads=3")}) {
    SCOPED_TRACE(line);
    Stream stream(line, kVividSize);
    const std::vector<Result> got = stream.run(8);
    ASSERT_EQ(got.size(), 8U);
    for (std::size_t i = 0; i < 8; i += 2)
      EXPECT_EQ(got[i].tensors.at("klt-vectors"), expected[i / 2].tensors.at("klt-vectors")) << i;
  }
}

TEST(Interval, StagesOfOneBinHaveTheirOwn) {
  Stream stream(bin_of("vividfilter scales=1 interval=5 ! vividhistogram ! vividclassifier ! "
                       "kltpyramid ! kltfeatures ! kltflow ! klttracks",
                       "keep-tensors=true threads=3"),
                kVividSize);
  for (const Result& result : stream.run(21)) {
    EXPECT_EQ(result.tensors.count("vivid-score"), result.index % 5 == 0) << result.index;
    EXPECT_EQ(result.tensors.count("klt-vectors"), 1U) << result.index;
  }
  EXPECT_EQ(stream.stat("frames-passed"), 0U);
}

// Conditions of what is learnt name the interval.
TEST(Interval, AnotherIntervalIsOtherWork) {
  Stream stream(vivid("adapt=both max-overhead=0.9"));
  int next = 0;
  const auto any = [](const Result&) {};
  const Told first = settle(
      stream, [&] { stream.play(); }, kVividSize, next, any);
  const Told with = settle(
      stream, [&] { set_interval(stream, 4); }, kVividSize, next, any);
  const Told again = settle(
      stream, [&] { set_interval(stream, 1); }, kVividSize, next, any);
  EXPECT_EQ(first.reason, "caps");
  EXPECT_EQ(with.reason, "caps") << "nothing is known of it";
  EXPECT_EQ(again.reason, "remembered");
}

}  // namespace
}  // namespace tandem::test
