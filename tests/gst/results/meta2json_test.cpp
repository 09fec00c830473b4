// SPDX-License-Identifier: LGPL-2.1-or-later
// tandemmeta2json: a line a frame, with what the stages before it found and what the frame had.
#include <gst/check/gstharness.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/gst/support/scene_model.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

std::string text_of(GstBuffer* buffer) {
  std::string text(gst_buffer_get_size(buffer), 0);
  gst_buffer_extract(buffer, 0, text.data(), text.size());
  return text;
}

Json line_of(GstBuffer* buffer) {
  const std::string text = text_of(buffer);
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
  return Json::parse(text);
}

std::vector<Json> lines_of(Stream& stream, int frames) {
  stream.play();
  stream.push(0, frames);
  stream.end();
  std::vector<Json> lines;
  while (GstBuffer* buffer = stream.pull_buffer()) {
    lines.push_back(line_of(buffer));
    gst_buffer_unref(buffer);
  }
  return lines;
}

/// The element alone.
class Meta2Json : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(harness_);
    gst_harness_set_src_caps_str(harness_, "video/x-raw,format=GRAY8,width=8,height=4");
  }
  void TearDown() override { gst_harness_teardown(harness_); }

  // Takes the frame; the line is the caller's.
  BufferRef convert(GstBuffer* frame) {
    EXPECT_EQ(gst_harness_push(harness_, frame), GST_FLOW_OK);
    BufferRef line(gst_harness_try_pull(harness_));
    if (!line) throw std::runtime_error("no line came");
    return line;
  }
  Json convert_one() { return line_of(convert(gst_buffer_new()).get()); }

  GstHarness* const harness_ = gst_harness_new("tandemmeta2json");
};

TEST_F(Meta2Json, LinesKeepTimesAndOffsets) {
  GstBuffer* frame = gst_buffer_new();
  GST_BUFFER_PTS(frame) = 3 * GST_SECOND;
  GST_BUFFER_DTS(frame) = 2 * GST_SECOND;
  GST_BUFFER_DURATION(frame) = GST_SECOND;
  GST_BUFFER_OFFSET(frame) = 75;
  GST_BUFFER_OFFSET_END(frame) = 76;
  GST_BUFFER_FLAG_SET(frame, GST_BUFFER_FLAG_DISCONT);
  GST_BUFFER_FLAG_SET(frame, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  const BufferRef line = convert(frame);
  EXPECT_EQ(GST_BUFFER_PTS(line.get()), 3 * GST_SECOND);
  EXPECT_EQ(GST_BUFFER_DTS(line.get()), 2 * GST_SECOND);
  EXPECT_EQ(GST_BUFFER_DURATION(line.get()), GST_SECOND);
  EXPECT_EQ(GST_BUFFER_OFFSET(line.get()), 75U);
  EXPECT_EQ(GST_BUFFER_OFFSET_END(line.get()), 76U);
  EXPECT_TRUE(GST_BUFFER_FLAG_IS_SET(line.get(), GST_BUFFER_FLAG_DISCONT));
  EXPECT_FALSE(GST_BUFFER_FLAG_IS_SET(line.get(), GST_VIDEO_BUFFER_FLAG_INTERLACED));
  EXPECT_EQ(line_of(line.get()).at("pts_ns"), 3'000'000'000);
}

TEST_F(Meta2Json, TheTimeIsThatOfTheClock) {
  const gint64 before_ms = g_get_real_time() / 1000;
  const std::string text = convert_one().at("time");
  const gint64 after_ms = g_get_real_time() / 1000;
  GDateTime* time = g_date_time_new_from_iso8601(text.c_str(), nullptr);
  ASSERT_TRUE(time) << text;
  const gint64 ms = g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000;
  g_date_time_unref(time);
  EXPECT_GE(ms, before_ms);
  EXPECT_LE(ms, after_ms);
}

TEST_F(Meta2Json, CapsAndEventsPass) {
  convert_one();
  gst_harness_push_event(harness_,
                         gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "a", nullptr)));
  gst_harness_push_event(harness_, gst_event_new_eos());
  std::vector<GstEventType> types;
  while (GstEvent* event = gst_harness_try_pull_event(harness_)) {
    types.push_back(GST_EVENT_TYPE(event));
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
      GstCaps* caps = nullptr;
      gst_event_parse_caps(event, &caps);
      gchar* text = gst_caps_to_string(caps);
      EXPECT_STREQ(text, "application/x-json-lines");
      g_free(text);
    }
    gst_event_unref(event);
  }
  EXPECT_EQ(types, (std::vector<GstEventType>{GST_EVENT_STREAM_START, GST_EVENT_CAPS,
                                              GST_EVENT_SEGMENT, GST_EVENT_TAG, GST_EVENT_EOS}));
}

// The buffers here have no memory at all, as those of a device may seem to.
TEST_F(Meta2Json, AnyMemoryWillDo) {
  gst_harness_set_src_caps_str(
      harness_, "video/x-raw(memory:Elsewhere),format=DMA_DRM,width=1920,height=1080");
  const Json line = convert_one();
  EXPECT_EQ(line.at("width"), 1920);
  EXPECT_EQ(line.at("height"), 1080);
}

TEST_F(Meta2Json, FramesAreCountedUntilTheElementStops) {
  EXPECT_EQ(convert_one().at("frame"), 0);
  EXPECT_EQ(convert_one().at("frame"), 1);
  gst_harness_set_src_caps_str(harness_, "video/x-raw,format=GRAY8,width=16,height=12");
  const Json larger = convert_one();
  EXPECT_EQ(larger.at("frame"), 2);
  EXPECT_EQ(larger.at("width"), 16);
  EXPECT_EQ(larger.at("height"), 12);
  gst_element_set_state(harness_->element, GST_STATE_NULL);
  gst_harness_play(harness_);
  gst_harness_set_src_caps_str(harness_, "video/x-raw,format=GRAY8,width=8,height=4");
  EXPECT_EQ(convert_one().at("frame"), 0);
}

TEST_F(Meta2Json, TheSourceIsWhatThePropertySays) {
  EXPECT_EQ(convert_one().at("source"), "");
  for (const char* name : {"gate 3", "\"quoted\" \xe2\x82\xac"}) {
    g_object_set(harness_->element, "source-id", name, nullptr);
    EXPECT_EQ(convert_one().at("source"), name);
    gchar* got = nullptr;
    g_object_get(harness_->element, "source-id", &got, nullptr);
    EXPECT_STREQ(got, name);
    g_free(got);
  }
  g_object_set(harness_->element, "source-id", nullptr, nullptr);
  EXPECT_EQ(convert_one().at("source"), "");
}

TEST_F(Meta2Json, SoundIsRefused) {
  GstPad* sink = gst_element_get_static_pad(harness_->element, "sink");
  for (const auto& [text, fits] :
       {std::pair{"audio/x-raw,format=S16LE,rate=8000,channels=1", false},
        std::pair{"video/x-h264,width=8,height=4", false},
        std::pair{"video/x-raw,format=RGB,width=8,height=4", true}}) {
    const CapsRef caps(gst_caps_from_string(text));
    EXPECT_EQ(gst_pad_query_accept_caps(sink, caps.get()), fits) << text;
  }
  gst_object_unref(sink);
}

TEST(Meta2JsonStream, DetectionsAreThoseOfTheFrame) {
  constexpr int kFrames = 5;
  const std::vector<Result> wanted = expected_results(kFrames);
  for (const std::string& stages : {stages_alone(), bin("mapping=ccc threads=2")}) {
    SCOPED_TRACE(stages);
    Stream stream(stages + " ! tandemmeta2json source-id=gate");
    const std::vector<Json> lines = lines_of(stream, kFrames);
    ASSERT_EQ(lines.size(), std::size_t{kFrames});
    std::size_t detections = 0;
    for (int i = 0; i < kFrames; ++i) {
      const Json& line = lines[static_cast<std::size_t>(i)];
      const Result& result = wanted[static_cast<std::size_t>(i)];
      EXPECT_EQ(line.at("source"), "gate");
      EXPECT_EQ(line.at("frame"), i);
      EXPECT_EQ(line.at("pts_ns"), i * 40'000'000);
      EXPECT_EQ(line.at("width"), 160);
      EXPECT_EQ(line.at("height"), 208);
      ASSERT_EQ(line.at("detections").size(), result.boxes.size());
      for (std::size_t d = 0; d < result.boxes.size(); ++d) {
        const Json& detection = line.at("detections").at(d);
        const Box& box = result.boxes[d];
        EXPECT_EQ(detection.at("label"), box.label);
        EXPECT_EQ(detection.at("x"), box.x);
        EXPECT_EQ(detection.at("y"), box.y);
        EXPECT_EQ(detection.at("w"), box.width);
        EXPECT_EQ(detection.at("h"), box.height);
        EXPECT_NEAR(detection.at("confidence"), box.confidence, 5.1e-5);
        ++detections;
      }
    }
    EXPECT_GT(detections, 0U);
  }
}

TEST(Meta2JsonStream, ManyDetections) {
  Stream stream(stages_alone("scales=2") + " threshold=0 max-overlap=1 ! tandemmeta2json",
                {320, 240});
  const std::vector<Json> lines = lines_of(stream, 2);
  ASSERT_EQ(lines.size(), 2U);
  for (const Json& line : lines) EXPECT_EQ(line.at("detections").size(), 200U);
}

TEST(Meta2JsonStream, ScenesAndMotion) {
  Stream stream(
      "kltpyramid device=cpu ! kltfeatures device=cpu ! kltflow device=cpu ! klttracks ! "
      "scenefeatures device=cpu ! sceneclassifier model=" +
          scene_model_file() + " ! tandemmeta2json",
      {96, 80});
  const std::vector<Json> lines = lines_of(stream, 4);
  ASSERT_EQ(lines.size(), 4U);
  std::size_t vectors = 0;
  for (const Json& line : lines) {
    EXPECT_TRUE(line.at("detections").empty());
    ASSERT_EQ(line.at("scenes").size(), 1U);
    EXPECT_EQ(line.at("scenes").at(0).size(), 3U);
    for (const Json& vector : line.at("motion")) {
      EXPECT_GE(vector.at("track"), 1);
      EXPECT_GE(vector.at("x"), 0);
      EXPECT_LT(vector.at("x"), 96);
      ++vectors;
    }
  }
  EXPECT_GT(vectors, 0U);
}

}  // namespace
}  // namespace tandem::test
