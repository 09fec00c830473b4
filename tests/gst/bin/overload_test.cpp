// SPDX-License-Identifier: LGPL-2.1-or-later
// A source that is faster than the stages: which frames are dropped, and who is told.
#include <gst/app/gstappsink.h>
#include <gst/check/gstharness.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 300;
constexpr GstClockTimeDiff kFrameTime = 40 * GST_MSECOND;

std::string dropping(const std::string& more = "") {
  return bin("adapt=off mapping=ccc threads=2 overload=drop " + more);
}

// One frame alone: nothing else waits for its turn.
bool passes(Stream& stream, int index) {
  const uint64_t before = stream.stat("frames-dropped");
  stream.push(index, index + 1);
  for (int tries = 0; tries < 3000; ++tries) {  // of 10 ms
    if (stream.stat("frames-dropped") > before) return false;
    if (GstSample* sample =
            gst_app_sink_try_pull_sample(GST_APP_SINK(stream.element("sink")), 10 * GST_MSECOND)) {
      gst_sample_unref(sample);
      return true;
    }
  }
  ADD_FAILURE() << "frame " << index << " neither came nor was dropped";
  return false;
}

void send_upstream(const Stream& stream, GstEvent* event) {
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(stream.element("sink"), "sink"));
  gst_pad_push_event(pad.get(), event);
}

TEST(Overload, BlockLosesNothing) {
  Stream stream(bin("adapt=off mapping=ccc threads=2"));
  EXPECT_EQ(stream.run(100).size(), 100u);
  EXPECT_EQ(stream.stat("frames-dropped"), 0u);
}

TEST(Overload, DropLetsNewFramesThroughAndTellsOfTheOthers) {
  Stream stream(dropping());
  stream.play();
  stream.push(0, kFrames);
  stream.end();
  std::vector<int> got;
  while (GstBuffer* buffer = stream.pull_buffer()) {
    const int index = read_result(buffer).index;
    if (!got.empty()) {
      EXPECT_GT(index, got.back());
      EXPECT_EQ(GST_BUFFER_IS_DISCONT(buffer), index > got.back() + 1) << index;
    }
    got.push_back(index);
    gst_buffer_unref(buffer);
  }
  ASSERT_FALSE(got.empty());
  EXPECT_EQ(got.back(), kFrames - 1) << "the newest goes on";
  EXPECT_LT(got.size(), static_cast<std::size_t>(kFrames)) << "the source is much faster";
  EXPECT_EQ(stream.stat("frames-dropped") + got.size(), static_cast<uint64_t>(kFrames));
  EXPECT_EQ(stream.stat("frames"), got.size());
  const std::size_t told = stream.messages.all(GST_MESSAGE_QOS).size();
  EXPECT_EQ(told + got.size(), static_cast<std::size_t>(kFrames)) << "a message for each";
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

// Counts lines of the log that tell of dropped frames.
void count_line(GstDebugCategory*, GstDebugLevel level, const gchar*, const gchar*, gint, GObject*,
                GstDebugMessage* message, gpointer lines) {
  if (level == GST_LEVEL_WARNING &&
      std::string(gst_debug_message_get(message)).find("frames since the last such warning") !=
          std::string::npos)
    ++*static_cast<std::atomic<int>*>(lines);
}

TEST(Overload, TheLogHasALineASecondAtMost) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "GStreamer leaves a list of log functions behind, which others may still read";
#endif
  std::atomic<int> lines = 0;
  gst_debug_set_threshold_for_name("tandembin", GST_LEVEL_WARNING);
  gst_debug_add_log_function(count_line, &lines, nullptr);
  Stream stream(dropping());
  stream.play();
  const gint64 begin_us = g_get_monotonic_time();
  int pushed = 0;
  // Until a second line was due, however late the first frame was dropped.
  const auto lasted_us = [&] { return g_get_monotonic_time() - begin_us; };
  for (; lasted_us() < 2'200'000 || (lines < 2 && lasted_us() < 20'000'000); pushed += 20)
    stream.push(pushed, pushed + 20);
  stream.end();
  stream.pull_all();
  const auto seconds = static_cast<int>((g_get_monotonic_time() - begin_us) / G_USEC_PER_SEC);
  gst_debug_remove_log_function(count_line);
  gst_debug_unset_threshold_for_name("tandembin");
  EXPECT_GT(stream.stat("frames-dropped"), 20u);
  EXPECT_GE(lines, 2);
  EXPECT_LE(lines, 1 + seconds);
}

TEST(Overload, WhatIsSetWhilePlayingTakesEffect) {
  Stream stream(dropping());
  stream.play();
  stream.push(0, kFrames);
  ASSERT_FALSE(stream.pull(1).empty());
  gst_util_set_object_arg(G_OBJECT(stream.tandembin()), "overload", "block");
  // Those that the source pushed before may have been dropped, none of these is.
  stream.push(kFrames, kFrames + 50);
  stream.end();
  const std::vector<int> got = indices(stream.pull_all());
  ASSERT_GE(got.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(got[got.size() - 50 + i], kFrames + i);
}

TEST(Overload, CapsChangeAndTheEndComeWhileFramesAreDropped) {
  Stream stream(dropping());
  stream.play();
  std::size_t pushed = 0;
  for (int part = 0; part < 6; ++part) {
    stream.caps(part % 2 ? Size{96, 160} : Size{160, 208});
    stream.push(40 * part, 40 * part + 40);
    pushed += 40;
  }
  stream.end();
  const std::vector<int> got = indices(stream.pull_all());
  EXPECT_TRUE(std::ranges::is_sorted(got));
  EXPECT_EQ(stream.stat("frames-dropped") + got.size(), pushed);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

// What came out of a bin, in order: frames by their index, events by -1 - theirs.
struct Order {
  static GstPadProbeReturn note(GstPad*, GstPadProbeInfo* info, gpointer self) {
    auto& what = static_cast<Order*>(self)->what;
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
      what.push_back(read_result(GST_PAD_PROBE_INFO_BUFFER(info)).index);
    } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CUSTOM_DOWNSTREAM) {
      gint index = 0;
      gst_structure_get_int(gst_event_get_structure(GST_PAD_PROBE_INFO_EVENT(info)), "index",
                            &index);
      what.push_back(-1 - index);
    }
    return GST_PAD_PROBE_OK;
  }
  std::vector<int> what;
};

TEST(Overload, EventsKeepTheirPlaceWhileFramesAreDropped) {
  std::unique_ptr<GstHarness, decltype(&gst_harness_teardown)> harness(
      gst_harness_new_parse(dropping().c_str()), gst_harness_teardown);
  gst_harness_set_src_caps_str(harness.get(), caps_text({}).c_str());
  Order order;
  gst_pad_add_probe(
      harness->sinkpad,
      GstPadProbeType(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM), Order::note,
      &order, nullptr);
  for (int i = 0; i < kFrames; ++i) {
    gst_harness_push(harness.get(), make_frame(i, {}));
    if (i % 3 == 0)
      gst_harness_push_event(
          harness.get(),
          gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                               gst_structure_new("test", "index", G_TYPE_INT, i, nullptr)));
  }
  gst_harness_push_event(harness.get(), gst_event_new_eos());
  int frame = -1, event = -3, frames = 0;
  for (const int what : order.what) {
    if (what >= 0) {
      EXPECT_GT(what, std::max(frame, event)) << "a frame came after an event that followed it";
      frame = what;
      ++frames;
    } else {
      EXPECT_EQ(-1 - what, event + 3) << "an event is missing";
      event = -1 - what;
      EXPECT_LE(frame, event) << "an event came after a frame that followed it";
    }
  }
  EXPECT_EQ(event, 297);
  EXPECT_GT(frames, 0);
  EXPECT_LT(frames, kFrames);
}

TEST(Overload, FramesThatComeTooLateAreDropped) {
  Stream stream(dropping("max-lateness=100000000"));
  stream.play();
  EXPECT_TRUE(passes(stream, 0)) << "there is no clock yet";
  stream.set_state(GST_STATE_PLAYING);
  g_usleep(400'000);
  EXPECT_FALSE(passes(stream, 1)) << "40 ms, after 400 ms";
  EXPECT_TRUE(passes(stream, 100'000)) << "in an hour";
  g_object_set(stream.tandembin(), "max-lateness", gint64{-1}, nullptr);
  EXPECT_TRUE(passes(stream, 2)) << "however late";
}

TEST(Overload, TheLargestLatenessDropsNothing) {
  Stream stream(dropping("max-lateness=9223372036854775807"));
  stream.set_state_without_waiting(GST_STATE_PLAYING);
  EXPECT_TRUE(passes(stream, 0));
  stream.set_state(GST_STATE_PLAYING);
  EXPECT_TRUE(passes(stream, 1));
}

TEST(Overload, LatenessThatOverflowsIsStillLate) {
  Stream stream(dropping());
  stream.play();
  EXPECT_TRUE(passes(stream, 0));
  send_upstream(stream, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, G_MAXINT64 / 2 + kFrameTime,
                                          10 * kFrameTime));
  EXPECT_FALSE(passes(stream, 11));
}

TEST(Overload, TheSinksQosEventsAreHeeded) {
  Stream stream(dropping());
  stream.play();
  EXPECT_TRUE(passes(stream, 0));
  send_upstream(stream,
                gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, 5 * kFrameTime, 10 * kFrameTime));
  EXPECT_FALSE(passes(stream, 11));
  EXPECT_FALSE(passes(stream, 19));
  EXPECT_TRUE(passes(stream, 20)) << "twice as much later as the sink was late";
  send_upstream(stream,
                gst_event_new_qos(GST_QOS_TYPE_OVERFLOW, 0.5, -2 * kFrameTime, 10 * kFrameTime));
  EXPECT_TRUE(passes(stream, 21)) << "in time again";
}

TEST(Overload, AFlushForgetsWhatTheSinkSaid) {
  Stream stream(dropping());
  stream.play();
  EXPECT_TRUE(passes(stream, 0));
  send_upstream(stream,
                gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, 5 * kFrameTime, 10 * kFrameTime));
  EXPECT_FALSE(passes(stream, 11));
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(stream.element("source"), "src"));
  gst_pad_push_event(pad.get(), gst_event_new_flush_start());
  gst_pad_push_event(pad.get(), gst_event_new_flush_stop(FALSE));
  EXPECT_TRUE(passes(stream, 12));
}

TEST(Overload, BlockHeedsNoQosEvent) {
  Stream stream(bin("adapt=off mapping=ccc threads=2"));
  stream.play();
  EXPECT_TRUE(passes(stream, 0));
  send_upstream(stream,
                gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, 5 * kFrameTime, 10 * kFrameTime));
  EXPECT_TRUE(passes(stream, 1));
}

}  // namespace
}  // namespace tandem::test
