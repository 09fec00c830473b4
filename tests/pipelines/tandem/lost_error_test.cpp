// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "pipelines/tandem/pipeline/bus_messages.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/pipeline/tandembin.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

// Whether the demuxer of `path` is found to have given up, once it has read all that it can.
bool gives_up(const std::string& path) {
  const std::string line = "filesrc location=" + path + " ! avidemux name=demuxer ! fakesink";
  const ObjectRef<GstElement> pipeline(gst_parse_launch(line.c_str(), nullptr));
  const ObjectRef<GstElement> demuxer(gst_bin_get_by_name(GST_BIN(pipeline.get()), "demuxer"));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const ObjectRef<GstBus> bus(gst_element_get_bus(pipeline.get()));
  constexpr auto kEnd = static_cast<GstMessageType>(int{GST_MESSAGE_EOS} | int{GST_MESSAGE_ERROR});
  GstMessage* end = gst_bus_timed_pop_filtered(bus.get(), 20 * GST_SECOND, kEnd);
  EXPECT_NE(end, nullptr);
  if (end) gst_message_unref(end);
  // The task pauses after its message.
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(demuxer.get(), "sink"));
  for (int i = 0; i < 2000 && gst_pad_get_task_state(sink.get()) != GST_TASK_PAUSED; ++i)
    g_usleep(5000);
  const ObjectRef<GstElement> found(demuxer_without_streams(GST_BIN(pipeline.get())));
  EXPECT_TRUE(!found || found.get() == demuxer.get());
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return static_cast<bool>(found);
}

TEST(LostError, ADemuxerThatFindsNoStreamIsFound) {
  const std::string folder = fresh_folder(), whole = folder + "/whole.avi",
                    cut = folder + "/cut.avi";
  make_video(whole, 5, 64, 48);
  write_file(cut, read_file(whole).substr(0, 300));
  EXPECT_TRUE(gives_up(cut));
  EXPECT_FALSE(gives_up(whole));
  std::filesystem::remove_all(folder);
}

// A stream that does not end though it should.
TEST(Stop, HasADeadline) {
  Pipeline pipeline(gst_pipeline_new("stuck"));
  GstElement* source = pipeline.add(make_element("appsrc"));
  Pipeline::link(source, pipeline.add(make_element("fakesink")));
  bool asked = false;
  int progress = 0, ticks = 0;
  const Ended ended = play(pipeline, "stuck",
                           {[&] {
                              if (++ticks == 1) raise(SIGTERM);
                            },
                            [&] { asked = true; },
                            {},
                            [&] { return static_cast<uint64_t>(progress < 5 ? ++progress : 5); }});
  EXPECT_EQ(ended, Ended::at_once);
  EXPECT_TRUE(asked);
  EXPECT_EQ(progress, 5) << "it waits while frames come";
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  return RUN_ALL_TESTS();
}
