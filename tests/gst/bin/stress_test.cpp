// SPDX-License-Identifier: LGPL-2.1-or-later
// Several pipelines of one process at the same time, while others change and read them.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

const char* mapping(std::mt19937& random) {
  static const char* const all[] = {"auto", "ccc", "gcc", "cgc", "ccg", "ggg", "gcg"};
  return all[have_opencl_device() ? random() % std::size(all) : random() % 2];
}

void change_something(Stream& stream, std::mt19937& random) {
  GstElement* element = stream.tandembin();
  switch (random() % 6) {
    case 0:
      return g_object_set(element, "mapping", mapping(random), nullptr);
    case 1:
      return g_object_set(element, "granularity", static_cast<int>(random() % 3), nullptr);
    case 2:
      return g_object_set(element, "threads", static_cast<int>(random() % 4), nullptr);
    case 3:
      return g_object_set(element, "keep-tensors", static_cast<gboolean>(random() % 2), nullptr);
    case 4:
      return g_object_set(stream.element("first"), "scales", static_cast<int>(1 + random() % 3),
                          nullptr);
    default:
      stream.configuration();
      stream.stat("frames");
  }
}

TEST(Stress, SeveralPipelinesChangeAtTheSameTime) {
  constexpr int kPipelines = 3, kFrames = 40;
  std::vector<std::thread> threads;
  for (int p = 0; p < kPipelines; ++p) {
    threads.emplace_back([p] {
      Stream stream(bin("", "name=first scales=1"));
      stream.play();
      stream.push(0, kFrames);
      stream.end();
      std::atomic<bool> done{false};
      std::thread changer([&] {
        std::mt19937 random(static_cast<unsigned>(p));
        while (!done) change_something(stream, random);
      });
      EXPECT_EQ(indices(stream.pull_all()), count_to(kFrames));
      done = true;
      changer.join();
      EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Stress, StatesChangeWhileOthersReadAndSet) {
  Stream stream(bin("", "name=first scales=1"));
  std::atomic<bool> done{false};
  std::vector<std::thread> others;
  for (unsigned t = 0; t < 2; ++t) {
    others.emplace_back([&, t] {
      std::mt19937 random(t);
      while (!done) change_something(stream, random);
    });
  }
  constexpr GstState kStates[] = {GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY,
                                  GST_STATE_PLAYING, GST_STATE_NULL};
  std::mt19937 random(5);
  for (int i = 0; i < 40; ++i) {
    stream.set_state_without_waiting(kStates[i % std::size(kStates)]);
    stream.push(0, static_cast<int>(random() % 6));
  }
  done = true;
  for (std::thread& thread : others) thread.join();
  g_object_set(stream.tandembin(), "mapping", "ccc", "threads", 2, nullptr);
  stream.set_state(GST_STATE_NULL);
  EXPECT_EQ(indices(stream.run(5)), count_to(5));
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST(Stress, SeeksWhileTheStateGoesDown) {
  for (int round = 0; round < 12; ++round) {
    const auto stream = Stream::of("videotestsrc pattern=snow ! " + caps_text({160, 208}) + " ! " +
                                   bin("threads=3") + " ! appsink name=sink sync=false");
    stream->set_state(GST_STATE_PLAYING);
    std::thread seeker([&] {
      for (int i = 0; i < 5; ++i)
        gst_element_seek_simple(stream->pipeline(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                                static_cast<gint64>(i) * GST_SECOND);
    });
    if (round % 2 == 0) stream->pull(1);
    stream->set_state(GST_STATE_READY);
    seeker.join();
    stream->set_state(GST_STATE_NULL);
  }
}

}  // namespace
}  // namespace tandem::test
