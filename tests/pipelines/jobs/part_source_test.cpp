// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/part_source.h"

#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <atomic>

#include "pipelines/tandem/input/source.h"

namespace tandem::test {
namespace {

// Sends a tag in front of each frame, as parsers do when they learn more of a stream.
GstPadProbeReturn send_tag(GstPad* pad, GstPadProbeInfo*, gpointer count) {
  auto& frames = *static_cast<std::atomic<int>*>(count);
  GstTagList* tags = gst_tag_list_new(GST_TAG_BITRATE, 1000u + static_cast<guint>(frames), nullptr);
  gst_pad_push_event(pad, gst_event_new_tag(tags));
  ++frames;
  return GST_PAD_PROBE_OK;
}

GstElement* first_queue(GstBin* bin) {
  GstIterator* elements = gst_bin_iterate_all_by_element_factory_name(bin, "queue");
  GValue found = G_VALUE_INIT;
  GstElement* queue = gst_iterator_next(elements, &found) == GST_ITERATOR_OK
                          ? GST_ELEMENT(g_value_dup_object(&found))
                          : nullptr;
  g_value_unset(&found);
  gst_iterator_free(elements);
  return queue;
}

TEST(PartSource, TagsBehindItsEndAreNoError) {
  const ObjectRef<GstElement> pipeline(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  GstElement* source = make_test_source({64, 48});
  GstElement* sink = gst_element_factory_make("fakesink", nullptr);
  gst_bin_add_many(GST_BIN(pipeline.get()), source, sink, nullptr);
  ASSERT_TRUE(gst_element_link(source, sink));
  const PartSource part(source, {.end_ns = 3 * GST_SECOND / 30});

  std::atomic<int> frames = 0;
  const ObjectRef<GstElement> queue(first_queue(GST_BIN(source)));
  const ObjectRef<GstPad> before(gst_element_get_static_pad(queue.get(), "src"));
  gst_pad_add_probe(before.get(), GST_PAD_PROBE_TYPE_BUFFER, send_tag, &frames, nullptr);

  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const ObjectRef<GstBus> bus(gst_element_get_bus(pipeline.get()));
  GstMessage* error = nullptr;
  for (int i = 0; i < 1000 && frames < 10 && !error; ++i)
    error = gst_bus_timed_pop_filtered(bus.get(), 20 * GST_MSECOND, GST_MESSAGE_ERROR);
  EXPECT_EQ(error, nullptr);
  EXPECT_GE(frames, 10);
  if (error) gst_message_unref(error);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  return RUN_ALL_TESTS();
}
