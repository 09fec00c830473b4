// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/run/frame_log.h"

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <vector>

#include "pipelines/tandem/options/applications.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem::test {
namespace {

// Frames of a pad of its own that a log watches.
class LoggedFrames {
 public:
  LoggedFrames() {
    gst_pad_set_active(source_.get(), TRUE);
    const ObjectRef<GstPad> to(gst_element_get_static_pad(sink_, "sink"));
    gst_pad_link(source_.get(), to.get());
    log.watch(source_.get());
    g_object_set(sink_, "sync", FALSE, "async", FALSE, nullptr);
    gst_element_set_state(sink_, GST_STATE_PLAYING);
    gst_pad_push_event(source_.get(), gst_event_new_stream_start("frames"));
  }
  ~LoggedFrames() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  void caps(const char* text) {
    const CapsRef caps(gst_caps_from_string(text));
    gst_pad_push_event(source_.get(), gst_event_new_caps(caps.get()));
  }
  void segment(GstClockTime start) {
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.start = start;
    gst_pad_push_event(source_.get(), gst_event_new_segment(&segment));
  }
  void frame(GstClockTime pts) {
    GstBuffer* const buffer = gst_buffer_new();
    GST_BUFFER_PTS(buffer) = pts;
    EXPECT_EQ(gst_pad_push(source_.get(), buffer), GST_FLOW_OK);
  }
  void end() { gst_pad_push_event(source_.get(), gst_event_new_eos()); }

 private:
  Pipeline pipeline_{gst_pipeline_new("log")};
  GstElement* const bin_ = pipeline_.add(make_element("tandembin"));
  GstElement* const sink_ = pipeline_.add(make_element("fakesink"));
  const ObjectRef<GstPad> source_{gst_pad_new("source", GST_PAD_SRC)};

 public:
  FrameLog log{{}, bin_, summarise_people};
};

constexpr char kSmall[] = "video/x-raw,format=GRAY8,width=8,height=8,framerate=0/1";

TEST(FrameLogs, APositionIsTimeOfTheStream) {
  LoggedFrames frames;
  frames.caps(kSmall);
  frames.segment(3600 * GST_SECOND);
  frames.frame(3601 * GST_SECOND);
  EXPECT_EQ(frames.log.count().position, GST_SECOND) << "beside the duration of the stream";
  frames.frame(GST_CLOCK_TIME_NONE);
  EXPECT_EQ(frames.log.count().position, GST_CLOCK_TIME_NONE);
}

TEST(FrameLogs, APartIsOfOneSizeWhateverTheRate) {
  LoggedFrames frames;
  frames.caps(kSmall);
  frames.segment(0);
  frames.frame(0);
  frames.caps("video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1");
  frames.frame(1);
  frames.caps("video/x-raw,format=GRAY8,width=16,height=8,framerate=25/1");
  frames.frame(2);
  frames.end();
  const std::vector<LoggedPart> parts = frames.log.parts();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].frames, 2U);
  EXPECT_EQ(parts[1].frames, 1U);
  EXPECT_EQ(parts[1].size.width, 16);
}

}  // namespace
}  // namespace tandem::test
