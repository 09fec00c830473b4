// SPDX-License-Identifier: LGPL-2.1-or-later
// The line of JSON for a frame, from frames with known metadata.
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "gst/json/framejson.h"
#include "gst/meta/region.h"
#include "gst/meta/resultmeta.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

// 2026-11-23T22:10:05.678Z
constexpr int64_t kNowUs = 1795471805678901;
const FrameOrigin kOrigin{"door", 7, {640, 480}, kNowUs};

BufferRef frame(GstClockTime pts = GST_CLOCK_TIME_NONE) {
  BufferRef made(gst_buffer_new());
  GST_BUFFER_PTS(made.get()) = pts;
  return made;
}

Region person(double confidence) {
  return {g_quark_from_static_string("person"), 3, confidence, 10.4, 20.6, 30, 60};
}

void add_motion(GstBuffer* buffer, const std::vector<GstTandemMotionVector>& vectors) {
  const gsize bytes = vectors.size() * sizeof(GstTandemMotionVector);
  auto* copy = static_cast<GstTandemMotionVector*>(g_memdup2(vectors.data(), bytes));
  GstMemory* memory =
      gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, copy, bytes, 0, bytes, copy, g_free);
  gst_buffer_add_tandem_motion_meta(buffer, copy, static_cast<guint>(vectors.size()), memory);
}

void add_reference(GstBuffer* buffer, const char* caps_text, GstClockTime timestamp) {
  const CapsRef caps(gst_caps_from_string(caps_text));
  gst_buffer_add_reference_timestamp_meta(buffer, caps.get(), timestamp, GST_CLOCK_TIME_NONE);
}

Json line_of(GstBuffer* buffer, const FrameOrigin& origin = kOrigin) {
  const std::string line = frame_json_line(buffer, origin);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  return Json::parse(line);
}

TEST(FrameJson, NothingWasFound) {
  EXPECT_EQ(frame_json_line(frame(40 * GST_MSECOND).get(), kOrigin),
            R"({"schema":"tandem-frame","schema_version":1,"source":"door","frame":7,)"
            R"("pts_ns":40000000,"time":"2026-11-23T22:10:05.678Z","width":640,"height":480,)"
            R"("detections":[],"scenes":[],"motion":[]})"
            "\n");
  EXPECT_TRUE(line_of(frame().get()).at("pts_ns").is_null());
}

TEST(FrameJson, Detections) {
  const BufferRef buffer = frame();
  ASSERT_TRUE(attach_region(buffer.get(), person(0.123456789), kOrigin.size));
  ASSERT_TRUE(attach_region(buffer.get(), person(1), kOrigin.size));
  results_in(result_meta_of(buffer.get()))[0].id = 11;
  EXPECT_NE(frame_json_line(buffer.get(), kOrigin)
                .find(R"("detections":[{"id":11,"label":"person","label_id":3,"confidence":0.1235,)"
                      R"("x":10,"y":21,"w":30,"h":60},{"id":)"),
            std::string::npos)
      << frame_json_line(buffer.get(), kOrigin);
  EXPECT_EQ(line_of(buffer.get()).at("detections").at(1).at("confidence"), 1);
}

TEST(FrameJson, RegionsOfOtherElements) {
  const BufferRef buffer = frame();
  gst_buffer_add_video_region_of_interest_meta(buffer.get(), "face", 1, 2, 3, 4);
  gst_buffer_add_video_region_of_interest_meta_id(buffer.get(), 0, 1, 2, 3, 4);
  const Json detections = line_of(buffer.get()).at("detections");
  EXPECT_EQ(detections.at(0).at("label"), "face");
  EXPECT_EQ(detections.at(0).at("id"), 0);
  EXPECT_TRUE(detections.at(0).at("label_id").is_null());
  EXPECT_TRUE(detections.at(0).at("confidence").is_null());
  EXPECT_EQ(detections.at(1).at("label"), "");
}

TEST(FrameJson, AScenesLabelIsNoDetection) {
  const BufferRef buffer = frame();
  const Region coast{g_quark_from_static_string("coast"), 2, 0.87654321};
  ASSERT_TRUE(attach_scene(buffer.get(), coast, kOrigin.size, "scenes"));
  EXPECT_NE(frame_json_line(buffer.get(), kOrigin)
                .find(R"("detections":[],"scenes":[{"label":"coast","label_id":2,)"
                      R"("confidence":0.8765}],"motion":[])"),
            std::string::npos);
}

TEST(FrameJson, MotionHasTwoDigits) {
  const BufferRef buffer = frame();
  add_motion(buffer.get(), {{1.23456F, 2, 0.1F, -4.005F, 9, 1}, {0, 0, 0, 0, 10, 300}});
  EXPECT_NE(frame_json_line(buffer.get(), kOrigin)
                .find(R"("motion":[{"track":9,"age":1,"x":1.23,"y":2.0,"dx":0.1,"dy":-4.01},)"
                      R"({"track":10,"age":300,)"),
            std::string::npos)
      << frame_json_line(buffer.get(), kOrigin);
}

TEST(FrameJson, NumbersThatAreNoneAreNullOrLeftOut) {
  const BufferRef buffer = frame();
  ASSERT_TRUE(
      attach_region(buffer.get(), person(std::numeric_limits<double>::quiet_NaN()), kOrigin.size));
  ASSERT_TRUE(
      attach_region(buffer.get(), person(std::numeric_limits<double>::max()), kOrigin.size));
  const float infinity = std::numeric_limits<float>::infinity();
  add_motion(buffer.get(), {{infinity, -infinity, 1, 1, 1, 1}, {1, 2, 3, 4, 2, 1}});
  const Json line = line_of(buffer.get());
  EXPECT_TRUE(line.at("detections").at(0).at("confidence").is_null());
  EXPECT_TRUE(line.at("detections").at(1).at("confidence").is_null());
  ASSERT_EQ(line.at("motion").size(), 1U);
  EXPECT_EQ(line.at("motion").at(0).at("dx"), 3);
}

TEST(FrameJson, OddLabelsAreEscapedOrReplaced) {
  const std::pair<const char*, const char*> cases[] = {
      {"say \"hi\"\\\n\t\x01", "say \"hi\"\\\n\t\x01"},
      {"Fu\u00dfg\u00e4nger \u884c\u4eba \U0001F6B6",
       "Fu\u00dfg\u00e4nger \u884c\u4eba \U0001F6B6"},
      {"", ""},
      {"a\xff\xfe z", "a\ufffd\ufffd z"},
      {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},  // half a surrogate pair
  };
  for (const auto& [label, read] : cases) {
    SCOPED_TRACE(read);
    const BufferRef buffer = frame();
    gst_buffer_add_video_region_of_interest_meta_id(buffer.get(), g_quark_from_string(label), 1, 2,
                                                    3, 4);
    FrameOrigin origin = kOrigin;
    origin.source = label;
    const Json line = line_of(buffer.get(), origin);
    EXPECT_EQ(line.at("detections").at(0).at("label"), read);
    EXPECT_EQ(line.at("source"), read);
  }
}

TEST(FrameJson, ManyDetectionsKeepTheirOrder) {
  const BufferRef buffer = frame();
  FrameOrigin wide = kOrigin;
  wide.size.width = 2000;
  for (int i = 0; i < 1000; ++i) {
    Region region = person(0.5);
    region.x = i;
    ASSERT_TRUE(attach_region(buffer.get(), region, wide.size));
  }
  const Json detections = line_of(buffer.get(), wide).at("detections");
  ASSERT_EQ(detections.size(), 1000U);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(detections.at(i).at("x"), i);
}

TEST(FrameJson, TheSourcesTimeCounts) {
  constexpr GstClockTime kUnix = 1700000000 * GST_SECOND + 42 * GST_MSECOND;
  constexpr GstClockTime kFrom1900 = GstClockTime{2208988800} * GST_SECOND;
  const auto time = [](const char* caps, GstClockTime timestamp) {
    const BufferRef buffer = frame();
    add_reference(buffer.get(), "timestamp/x-of-a-device", 5);
    add_reference(buffer.get(), caps, timestamp);
    return line_of(buffer.get()).at("time").get<std::string>();
  };
  EXPECT_EQ(time("timestamp/x-unix", kUnix), "2023-11-14T22:13:20.042Z");
  EXPECT_EQ(time("timestamp/x-ntp", kFrom1900 + kUnix), "2023-11-14T22:13:20.042Z");
  EXPECT_EQ(time("timestamp/x-unix", GST_CLOCK_TIME_NONE - 1), "2554-07-21T23:34:33.709Z");
  // Before 1970 in an NTP clock that was never set, and a counter that is no wall time: the clock.
  EXPECT_EQ(time("timestamp/x-ntp", 5 * GST_SECOND), "2026-11-23T22:10:05.678Z");
  EXPECT_EQ(time("timestamp/x-unix", GST_CLOCK_TIME_NONE), "2026-11-23T22:10:05.678Z");
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
