// SPDX-License-Identifier: LGPL-2.1-or-later
// A machine without fonts: the environment names a configuration of Fontconfig that has none.
#include <gst/check/gstharness.h>
#include <gst/video/gstvideometa.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gst/elements/elements.h"

namespace {

TEST(NoFonts, BoxesAreDrawnAndOneWarningIsPosted) {
  GstHarness* harness = gst_harness_new("tandemoverlay");
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(harness->element, bus);
  gst_harness_set_src_caps_str(harness,
                               "video/x-raw,format=GRAY8,width=64,height=64,framerate=30/1");
  for (int i = 0; i < 3; ++i) {
    GstBuffer* frame = gst_buffer_new_allocate(nullptr, 64 * 64, nullptr);
    gst_buffer_memset(frame, 0, 7, 64 * 64);
    gst_buffer_add_video_region_of_interest_meta(frame, "person", 10, 30, 20, 20);
    gst_harness_push(harness, frame);
    frame = gst_harness_pull(harness);
    ASSERT_TRUE(frame);
    std::vector<guint8> pixels(64 * 64);
    gst_buffer_extract(frame, 0, pixels.data(), pixels.size());
    EXPECT_EQ(std::count(pixels.begin(), pixels.end(), 7), 64 * 64 - 4 * 19);
    gst_buffer_unref(frame);
  }
  int warnings = 0;
  while (GstMessage* message = gst_bus_pop(bus)) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) ++warnings;
    gst_message_unref(message);
  }
  EXPECT_EQ(warnings, 1);
  gst_element_set_bus(harness->element, nullptr);
  gst_object_unref(bus);
  gst_harness_teardown(harness);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  gst_element_register(nullptr, "tandemoverlay", GST_RANK_NONE, gst_tandem_overlay_get_type());
  return RUN_ALL_TESTS();
}
