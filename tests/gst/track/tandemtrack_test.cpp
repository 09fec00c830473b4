// SPDX-License-Identifier: LGPL-2.1-or-later
// tandemtrack on streams as cameras and files make them: times that jump, sizes that change, seeks.
#include <gst/check/gstharness.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gst/meta/region.h"
#include "gst/meta/results.h"

namespace tandem::test {
namespace {

constexpr FrameSize kSize{640, 480};
constexpr GstClockTime kFrame = 40 * GST_MSECOND;

std::string caps_of(FrameSize size, const char* rate = "25/1") {
  return "video/x-raw,format=GRAY8,width=" + std::to_string(size.width) +
         ",height=" + std::to_string(size.height) + ",framerate=" + rate;
}

void add_person(GstBuffer* buffer, int x) {
  gst_buffer_add_video_region_of_interest_meta(buffer, "person", static_cast<guint>(x), 100, 40,
                                               100);
}

class Track : public testing::Test {
 protected:
  Track() { start("min-hits=1"); }
  ~Track() override { gst_harness_teardown(harness_); }

  void start(const std::string& properties) {
    if (harness_) gst_harness_teardown(harness_);
    harness_ = gst_harness_new_parse(("tandemtrack " + properties).c_str());
    gst_harness_set_src_caps_str(harness_, caps_of(kSize).c_str());
  }

  // The objects of a frame with this running time behind the element.
  std::vector<FrameObject> process(GstClockTime time, BufferRef buffer) {
    GST_BUFFER_PTS(buffer.get()) = time;
    EXPECT_EQ(gst_harness_push(harness_, buffer.release()), GST_FLOW_OK);
    last_.reset(gst_harness_try_pull(harness_));
    return last_ ? read_results(last_.get(), kSize).objects : std::vector<FrameObject>();
  }
  // The id that a person gets; 0: none.
  uint64_t id_at(GstClockTime time, int x = 100) {
    BufferRef buffer(gst_buffer_new());
    add_person(buffer.get(), x);
    const auto objects = process(time, std::move(buffer));
    EXPECT_EQ(objects.size(), 1u);
    return objects.empty() ? 0 : objects[0].object_id.value_or(0);
  }

  GstHarness* harness_ = nullptr;
  BufferRef last_;
};

TEST_F(Track, IdsStay) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(id_at(i * kFrame, 100 + 3 * i), 1u);
}

TEST_F(Track, FramesWithoutTimesAreTracked) {
  EXPECT_EQ(id_at(0), 1u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(id_at(GST_CLOCK_TIME_NONE), 1u);
  EXPECT_EQ(id_at(6 * kFrame), 1u);
}

TEST_F(Track, TimesThatRunBackwardsALittleAreTracked) {
  for (const int frame : {5, 4, 6, 2, 3}) EXPECT_EQ(id_at(frame * kFrame), 1u);
}

TEST_F(Track, NobodyIsTheSameAfterHours) {
  EXPECT_EQ(id_at(0), 1u);
  EXPECT_EQ(id_at(3 * 3600 * GST_SECOND), 2u);
  EXPECT_EQ(id_at(3 * 3600 * GST_SECOND + kFrame), 2u);
  EXPECT_EQ(id_at(kFrame), 3u);  // back
  EXPECT_EQ(id_at(GST_CLOCK_TIME_NONE), 3u);
  EXPECT_EQ(id_at(GST_CLOCK_TIME_NONE - 1), 4u);
}

TEST_F(Track, AGapThatMaxAgeCoversKeepsIds) {
  EXPECT_EQ(id_at(0), 1u);
  EXPECT_EQ(id_at(9 * GST_SECOND), 1u);  // dropped frames
  start("min-hits=1 max-age=1000");
  EXPECT_EQ(id_at(0), 1u);
  EXPECT_EQ(id_at(39 * GST_SECOND), 1u);
  EXPECT_EQ(id_at(80 * GST_SECOND), 2u);
}

// One picture a minute is no gap.
TEST_F(Track, SlowStreamsKeepIds) {
  gst_harness_set_src_caps_str(harness_, caps_of(kSize, "1/60").c_str());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(id_at(i * 60 * GST_SECOND), 1u);
}

TEST_F(Track, AnotherSizeBeginsAnew) {
  EXPECT_EQ(id_at(0), 1u);
  gst_harness_set_src_caps_str(harness_, caps_of(kSize, "30/1").c_str());
  EXPECT_EQ(id_at(kFrame), 1u);
  gst_harness_set_src_caps_str(harness_, caps_of({320, 240}).c_str());
  EXPECT_EQ(id_at(2 * kFrame), 2u);
}

TEST_F(Track, AFlushBeginsAnew) {
  EXPECT_EQ(id_at(0), 1u);
  gst_harness_push_event(harness_, gst_event_new_flush_start());
  gst_harness_push_event(harness_, gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(harness_, gst_event_new_segment(&segment));
  EXPECT_EQ(id_at(kFrame), 2u);
}

TEST_F(Track, ASegmentThatDoesNotGoOnBeginsAnew) {
  EXPECT_EQ(id_at(0), 1u);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(harness_, gst_event_new_segment(&segment));
  EXPECT_EQ(id_at(kFrame), 1u);
  segment.base = 1000 * GST_SECOND;
  gst_harness_push_event(harness_, gst_event_new_segment(&segment));
  EXPECT_EQ(id_at(kFrame), 2u);
}

TEST_F(Track, TheMostConfidentOfTooManyGetIds) {
  BufferRef buffer(gst_buffer_new());
  for (int i = 0; i < 10'000; ++i) {
    auto* region = gst_buffer_add_video_region_of_interest_meta(
        buffer.get(), "person", static_cast<guint>(i % 600), static_cast<guint>(i / 25), 10, 20);
    gst_video_region_of_interest_meta_add_param(
        region, gst_structure_new("detection", "confidence", G_TYPE_DOUBLE, i * 1e-4, nullptr));
  }
  std::size_t with_id = 0;
  for (const FrameObject& object : process(0, std::move(buffer))) {
    if (!object.object_id) continue;
    ++with_id;
    EXPECT_GE(object.confidence, 0.95);
  }
  EXPECT_EQ(with_id, 500u);
}

// Regions that share an id, and those that another tracker gave the same id.
TEST_F(Track, IdsOfRegionsMayCollide) {
  BufferRef buffer(gst_buffer_new());
  for (const int x : {0, 100, 200, 300}) add_person(buffer.get(), x);
  int others = 0;
  for (gpointer state = nullptr; auto* region = next_region(buffer.get(), &state);) {
    region->id = region->parent_id = 7;
    if (others++ < 2)
      gst_video_region_of_interest_meta_add_param(
          region, gst_structure_new("object_id", "id", G_TYPE_INT, 5, nullptr));
  }
  std::vector<uint64_t> ids;
  for (const FrameObject& object : process(0, std::move(buffer)))
    ids.push_back(object.object_id.value_or(0));
  EXPECT_EQ(ids, (std::vector<uint64_t>{5, 5, 1, 2}));
}

// Whether the end of the stream came with a warning.
bool warns_at_the_end(GstHarness* harness) {
  const ObjectRef<GstBus> bus(gst_bus_new());
  gst_element_set_bus(harness->element, bus.get());
  gst_harness_push_event(harness, gst_event_new_eos());
  gst_element_set_bus(harness->element, nullptr);
  GstMessage* message = gst_bus_pop_filtered(bus.get(), GST_MESSAGE_WARNING);
  if (message) gst_message_unref(message);
  return message != nullptr;
}

TEST_F(Track, WarnsWhereNoDetectorIs) {
  EXPECT_FALSE(warns_at_the_end(harness_));  // no frame
  start("");
  process(0, BufferRef(gst_buffer_new()));
  EXPECT_TRUE(warns_at_the_end(harness_));
  start("");
  id_at(0);
  EXPECT_FALSE(warns_at_the_end(harness_));
  start("");
  BufferRef marked(gst_buffer_new());
  mark_detected(marked.get());
  process(0, std::move(marked));
  EXPECT_FALSE(warns_at_the_end(harness_));
}

TEST_F(Track, AnObjectThatLeftTheFrameIsNotReported) {
  start("min-hits=1 coast=50");
  for (int i = 0; i < 10; ++i) id_at(i * kFrame, 460 + 15 * i);
  std::size_t left = 1;
  for (int i = 10; i < 40; ++i) left = process(i * kFrame, BufferRef(gst_buffer_new())).size();
  EXPECT_EQ(left, 0u);
}

TEST_F(Track, PredictedObjectsHaveTheIdOfTheirLabel) {
  const GQuark car = g_quark_from_static_string("car");
  GstClockTime time = 0;
  for (; time < 3 * kFrame; time += kFrame) {
    BufferRef detected(gst_buffer_new());
    mark_detected(detected.get());
    attach_region(detected.get(), {car, 3, 0.9, 100, 100, 40, 100}, kSize);
    process(time, std::move(detected));
  }
  const auto objects = process(time, BufferRef(gst_buffer_new()));
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_TRUE(objects[0].is_predicted);
  EXPECT_EQ(objects[0].label_id, 3);
}

}  // namespace
}  // namespace tandem::test
