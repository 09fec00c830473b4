// SPDX-License-Identifier: LGPL-2.1-or-later
// What happens to a stream: new caps, seeks, states, errors.
#include "tests/gst/support/stream.h"

#include <gtest/gtest.h>

#include <thread>

namespace tandem::test {
namespace {

constexpr GstClockTime kFrameTime = 40 * GST_MSECOND;

TEST(Stream, CapsThatChangeInMidStream) {
  const Size sizes[] = {{160, 208}, {320, 240}, {131, 150}, {320, 240}, {60, 60}, {160, 208}};
  constexpr int kFramesEach = 4;
  const auto run = [&](const std::string& middle) {
    Stream stream(middle);
    stream.play();
    int first = 0;
    for (const Size size : sizes) {
      stream.caps(size);
      stream.push(first, first + kFramesEach);
      first += kFramesEach;
    }
    stream.end();
    return stream.pull_all();
  };
  const std::vector<Result> expected = run(stages_alone());
  ASSERT_EQ(indices(expected), count_to(kFramesEach * static_cast<int>(std::size(sizes))));
  for (const char* configuration :
       {"threads=3", "granularity=mg", "mapping=gcg threads=2", "mapping=ggg threads=3"}) {
    if (configuration[0] == 'm' && !have_opencl_device()) continue;
    SCOPED_TRACE(configuration);
    const std::vector<Result> got = run(bin(configuration));
    ASSERT_EQ(indices(got), indices(expected));
    for (std::size_t i = 0; i < got.size(); ++i)
      expect_same(expected[i], got[i], configuration[0] == 'm');
  }
}

TEST(Stream, PropertiesOfAStageThatChangeInMidStream) {
  Stream stream(bin("threads=3", "name=first scales=1"));
  stream.play();
  stream.push(0, 60);
  stream.end();
  for (int scales = 0; scales < 40; ++scales)
    g_object_set(stream.element("first"), "scales", scales % 4, "first-scale", 0.5 + scales % 2,
                 nullptr);
  EXPECT_EQ(indices(stream.pull_all()), count_to(60));
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST(Stream, FlushingSeeksWithFramesInFlight) {
  constexpr int kSeeks = 25, kLastFrame = 80;
  const auto stream =
      Stream::of("videotestsrc pattern=snow ! " + caps_text({160, 208}) + " ! " +
                 bin("threads=3 mapping=gcc") + " ! appsink name=sink sync=false max-buffers=2");
  stream->set_state(GST_STATE_PLAYING);
  for (int seek = 0; seek < kSeeks; ++seek) {
    const int target = seek * 7 % 50;
    stream->pull(seek % 4);
    ASSERT_TRUE(gst_element_seek(stream->pipeline(), 1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                                 GST_SEEK_TYPE_SET, static_cast<gint64>(target * kFrameTime),
                                 GST_SEEK_TYPE_SET, static_cast<gint64>(kLastFrame * kFrameTime)));
    const std::vector<Result> first = stream->pull(1);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].index, target) << "a frame from before the seek";
  }
  const int last_target = (kSeeks - 1) * 7 % 50;
  const std::vector<Result> rest = stream->pull_all();
  ASSERT_EQ(rest.size(), static_cast<std::size_t>(kLastFrame - last_target - 1));
  for (std::size_t i = 0; i < rest.size(); ++i)
    EXPECT_EQ(rest[i].index, last_target + 1 + static_cast<int>(i));
  EXPECT_TRUE(stream->messages.all(GST_MESSAGE_ERROR).empty());
}

TEST(Stream, PausedAndBackLosesNothing) {
  constexpr int kFrames = 60;
  Stream stream(bin("threads=3"));
  stream.play();
  stream.push(0, kFrames);
  stream.end();
  stream.wait_for_state();
  std::vector<Result> got;
  for (int i = 0; i < 12; ++i) {
    stream.set_state(i % 2 == 0 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
    for (Result& result : stream.pull(i % 2 == 0 ? 0 : 5)) got.push_back(std::move(result));
  }
  for (Result& result : stream.pull_all()) got.push_back(std::move(result));
  EXPECT_EQ(indices(got), count_to(kFrames));
}

TEST(Stream, ReadyAndNullAndBackManyTimes) {
  Stream stream(bin("threads=3 mapping=gcg keep-tensors=true"));
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    stream.play();
    stream.push(0, 20);
    EXPECT_EQ(stream.pull(i % 3).size(), static_cast<std::size_t>(i % 3));
    stream.set_state(i % 2 == 0 ? GST_STATE_READY : GST_STATE_NULL);
  }
  EXPECT_EQ(indices(stream.run(10)), count_to(10));
  EXPECT_EQ(stream.stat("frames"), 10U);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  const auto warnings = stream.messages.all(GST_MESSAGE_WARNING);
  EXPECT_TRUE(warnings.empty() || !have_opencl_device()) << warnings[0].text;
}

TEST(Stream, StatesUpAndDownWithoutAFrame) {
  Stream stream(bin());
  for (int i = 0; i < 10; ++i) {
    stream.play();
    stream.set_state_without_waiting(GST_STATE_READY);
    stream.set_state_without_waiting(GST_STATE_PAUSED);
    stream.set_state_without_waiting(GST_STATE_NULL);
  }
  EXPECT_EQ(stream.run(2).size(), 2U);
}

TEST(Stream, AnErrorElsewhereWithFramesInFlight) {
  Stream stream("identity error-after=9 ! " + bin("threads=3"));
  stream.play();
  stream.push(0, 30);
  stream.end();
  stream.messages.wait(GST_MESSAGE_ERROR);
  stream.set_state(GST_STATE_NULL);
  EXPECT_EQ(stream.configuration(), "");
}

TEST(Stream, ABinThatIsTakenOutWhilePlaying) {
  Stream stream(bin("threads=3"));
  stream.play();
  stream.push(0, 30);
  stream.pull(1);
  auto* removed = GST_ELEMENT(gst_object_ref(stream.tandembin()));
  ASSERT_TRUE(gst_bin_remove(GST_BIN(stream.pipeline()), removed));
  gst_element_set_state(removed, GST_STATE_NULL);
  gst_object_unref(removed);
}

TEST(Stream, ABinThatNeverRan) {
  GstElement* unused = gst_element_factory_make("tandembin", nullptr);
  g_object_set(unused, "stages", kStages, "mapping", "ggg", nullptr);
  gst_object_unref(gst_object_ref_sink(unused));
  GstElement* only_ready = gst_element_factory_make("tandembin", nullptr);
  gst_object_ref_sink(only_ready);
  gst_element_set_state(only_ready, GST_STATE_READY);
  EXPECT_EQ(gst_element_set_state(only_ready, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(only_ready, GST_STATE_NULL);
  gst_object_unref(only_ready);
}

TEST(Stream, AScaledFrameHasLostTheTensors) {
  Stream stream(stages_alone() + " ! videoscale ! " + caps_text({80, 104}));
  const std::vector<Result> got = stream.run(2);
  ASSERT_EQ(got.size(), 2U);
  for (const Result& result : got) EXPECT_TRUE(result.tensors.empty());
}

TEST(Stream, AFrameThatOthersHoldIsNotWritten) {
  Stream stream(bin("threads=2"));
  stream.play();
  GstBuffer* shared = make_frame(0, {});
  stream.push_buffer(gst_buffer_ref(shared));
  stream.end();
  const std::vector<Result> got = stream.pull_all();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_FALSE(got[0].boxes.empty());
  EXPECT_TRUE(read_result(shared).boxes.empty());
  gst_buffer_unref(shared);
}

}  // namespace
}  // namespace tandem::test
