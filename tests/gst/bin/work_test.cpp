// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties of the stages change while frames flow: frames are computed with what was set when
// they came, whoever sets it.
#include "tests/gst/support/work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tandem::test {
namespace {

std::vector<std::string> configurations() {
  std::vector<std::string> all{"threads=3", "granularity=mg", "adapt=both max-overhead=0.9"};
  if (have_opencl_device()) all.insert(all.end(), {"mapping=ggg threads=3", "mapping=gcg"});
  return all;
}

// --- Which frames see a new value --------------------------------------------------------------

TEST(Work, FramesAreComputedWithWhatWasSetWhenTheyCame) {
  constexpr int kFrames = 60, kEach = 6;
  const auto scales_at = [](int frame) { return 1 + frame / kEach % 3; };
  for (const std::string& configuration : configurations()) {
    SCOPED_TRACE(configuration);
    Stream stream(vivid(configuration));
    // On the streaming thread, with frames under way.
    FrameProbe probe(stream.tandembin(), GST_PAD_SINK,
                     [&](int frame) { set_scales(stream, scales_at(frame)); });
    for (int i = 0; i < kFrames; ++i) push_picture(stream, i, kVividSize);
    stream.play();
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (const Result& result : got) expect_computed_with(scales_at(result.index), result);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  }
}

TEST(Work, AnotherValueForEveryFrameStopsNothing) {
  constexpr int kFrames = 60;
  Stream stream(vivid("adapt=both"));
  FrameProbe probe(stream.tandembin(), GST_PAD_SINK,
                   [&](int frame) { set_scales(stream, 1 + frame % 3); });
  for (int i = 0; i < kFrames; ++i) push_picture(stream, i, kVividSize);
  stream.play();
  stream.end();
  const std::vector<Result> got = stream.pull_all();
  ASSERT_EQ(indices(got), count_to(kFrames));
  for (const Result& result : got) expect_computed_with(1 + result.index % 3, result);
}

TEST(Work, AStageAloneTakesTheNextFrameAnotherWay) {
  Stream stream("vividfilter name=filter device=cpu scales=1");
  FrameProbe probe(stream.element("filter"), GST_PAD_SINK,
                   [&](int frame) { set_scales(stream, 1 + frame % 3); });
  const std::vector<Result> got = stream.run(9);
  ASSERT_EQ(indices(got), count_to(9));
  for (const Result& result : got) EXPECT_EQ(scales_of(result), 1 + result.index % 3);
}

TEST(Work, IterationsHoldForTheFramesThatComeAfterThem) {
  constexpr int kFrames = 60;
  const auto iterations_at = [](int frame) { return frame / 6 % 2 ? 9 : 1; };
  for (const char* configuration :
       {"threads=3", "granularity=mg", "mapping=gggggg threads=3", "adapt=both"}) {
    if (configuration[0] == 'm' && !have_opencl_device()) continue;
    SCOPED_TRACE(configuration);
    Stream stream(srad(configuration), kSradSize);
    FrameProbe probe(stream.tandembin(), GST_PAD_SINK,
                     [&](int frame) { set_iterations(stream, iterations_at(frame)); });
    for (int i = 0; i < kFrames; ++i) push_picture(stream, i, kSradSize);
    stream.play();
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (const Result& result : got) expect_despeckled(iterations_at(result.index), result);
  }
}

// --- Whoever sets them -------------------------------------------------------------------------

/// All frames there, in order, and each computed with one of these.
void expect_each_with_one_value(const std::vector<Result>& got, int frames) {
  ASSERT_EQ(indices(got), count_to(frames));
  for (const Result& result : got) expect_computed_with(scales_of(result), result);
}

TEST(Work, SetTwoHundredTimesFromAnotherThread) {
  constexpr int kChanges = 200, kMostFrames = 20000;
  for (const char* configuration : {"threads=3", "adapt=both max-overhead=0.9"}) {
    SCOPED_TRACE(configuration);
    Stream stream(vivid(configuration));
    stream.play();
    std::atomic<int> changes{0};
    std::atomic<bool> done{false};
    std::thread setter([&] {
      while (!done && changes < kChanges) {
        set_scales(stream, 1 + changes % 3);
        const uint64_t frames = stream.stat("frames") + static_cast<uint64_t>(changes++ % 3);
        while (!done && stream.stat("frames") < frames) std::this_thread::yield();
      }
    });
    std::vector<Result> got;
    int frames = 0;
    for (; changes < kChanges && frames < kMostFrames; ++frames) {
      push_picture(stream, frames, kVividSize);
      if (frames >= 8) got.push_back(std::move(stream.pull(1).at(0)));
    }
    done = true;
    setter.join();
    stream.end();
    for (Result& last : stream.pull_all()) got.push_back(std::move(last));
    EXPECT_EQ(changes, kChanges);
    expect_each_with_one_value(got, frames);
    EXPECT_EQ(stream.stat("in-flight"), 0U);
  }
}

TEST(Work, SetWhereFramesLeave) {
  constexpr int kFrames = 60;
  Stream stream(vivid("threads=3"));
  FrameProbe probe(stream.tandembin(), GST_PAD_SRC,
                   [&](int frame) { set_scales(stream, 1 + frame % 3); });
  for (int i = 0; i < kFrames; ++i) push_picture(stream, i, kVividSize);
  stream.play();
  stream.end();
  expect_each_with_one_value(stream.pull_all(), kFrames);
}

TEST(Work, SetByWhoHearsADecision) {
  constexpr int kFrames = 40;
  const auto stream = Stream::of("appsrc name=source format=time max-bytes=0 ! " +
                                 vivid("adapt=both max-overhead=0.9") +
                                 " ! appsink name=sink sync=false wait-on-eos=false");
  struct Handler {
    GstElement* filter;
    std::atomic<int> calls{0};
  } handler{stream->element("filter")};
  GstBus* bus = gst_element_get_bus(stream->pipeline());
  gst_bus_set_sync_handler(bus, nullptr, nullptr, nullptr);
  gst_bus_set_sync_handler(
      bus,
      [](GstBus*, GstMessage* message, gpointer data) {
        auto& h = *static_cast<Handler*>(data);
        if (gst_message_has_name(message, "tandem-decision"))
          g_object_set(h.filter, "scales", 1 + ++h.calls % 3, nullptr);
        gst_message_unref(message);
        return GST_BUS_DROP;
      },
      &handler, nullptr);
  set_scales(*stream, 2);
  // The first decision is one about caps that come back.
  for (int i = 0; i < kFrames; ++i) push_picture(*stream, i, kVividSize);
  stream->play();
  FrameProbe probe(stream->tandembin(), GST_PAD_SINK, [&](int frame) {
    if (frame % 10 == 5) set_scales(*stream, 1 + frame / 10 % 3);
  });
  stream->end();
  expect_each_with_one_value(stream->pull_all(), kFrames);
  stream->set_state(GST_STATE_NULL);
  EXPECT_GT(handler.calls, 0);
  gst_bus_set_sync_handler(bus, nullptr, nullptr, nullptr);
  gst_object_unref(bus);
}

TEST(Work, SetWhileTheStateChanges) {
  Stream stream(vivid("adapt=both max-overhead=0.9"));
  std::atomic<bool> done{false};
  std::thread setter([&] {
    for (int i = 0; !done; ++i) {
      set_scales(stream, 1 + i % 3);
      std::this_thread::yield();
    }
  });
  for (int round = 0; round < 10; ++round) {
    stream.play();
    for (int i = 0; i < 20; ++i) push_picture(stream, i, kVividSize);
    const int wanted = round % 3 * 6;  // the others are inside when it stops
    for (const Result& result : stream.pull(wanted))
      expect_computed_with(scales_of(result), result);
    // The sink lets no frame pass: what waits for those under way has to be woken.
    if (round % 2) stream.set_state_without_waiting(GST_STATE_PAUSED);
    stream.set_state(GST_STATE_READY);
  }
  done = true;
  setter.join();
}

}  // namespace
}  // namespace tandem::test
