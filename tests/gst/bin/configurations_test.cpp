// SPDX-License-Identifier: LGPL-2.1-or-later
// Every configuration computes the same, and changing it under way loses nothing.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "model/configuration.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr int kCores = 2;
constexpr uint32_t kAllOnDevice = 7;

std::vector<Configuration> configurations() {
  return all_configurations(3, kCores, have_opencl_device() ? kAllOnDevice : 0);
}

void set_properties(GstElement* bin, const Configuration& c) {
  const bool medium = c.granularity == Granularity::medium;
  g_object_set(bin, "mapping", to_string(c.mapping).c_str(), nullptr);
  gst_util_set_object_arg(G_OBJECT(bin), "granularity", medium ? "mg" : "cg");
  g_object_set(bin, "threads", medium ? 0 : c.threads, nullptr);
}

void expect_sums(const Stream& stream, uint64_t frames) {
  EXPECT_EQ(stream.stat("frames"), frames);
  EXPECT_EQ(stream.stat("frames-cpu") + stream.stat("frames-device") + stream.stat("frames-mixed"),
            frames);
  EXPECT_EQ(stream.stat("in-flight"), 0U);
  EXPECT_EQ(stream.stat("device-failures"), 0U);
}

void expect_every_configuration_computes_the_same(Size size, const std::string& filter,
                                                  const char* format) {
  constexpr int kFrames = 5;
  const std::vector<Result> expected = expected_results(kFrames, size, filter, format);
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(kFrames));
  std::size_t boxes = 0;
  for (const Result& result : expected) boxes += result.boxes.size();
  ASSERT_GT(boxes, 0U) << "nothing to compare";
  for (const Configuration& c : configurations()) {
    SCOPED_TRACE(to_string(c));
    Stream stream(bin("keep-tensors=true " + properties_of(c), filter), size, format);
    const std::vector<Result> got = stream.run(kFrames);
    EXPECT_EQ(stream.configuration(), to_string(c));
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) {
      EXPECT_EQ(got[i].tensors.size(), 5U);
      expect_same(expected[i], got[i], c.mapping.any_device());
      EXPECT_EQ(got[i].pixels, pixels(i, size, format));
    }
    expect_sums(stream, kFrames);
    if (!c.mapping.any_device()) {
      EXPECT_EQ(stream.stat("frames-cpu"), uint64_t{kFrames});
    }
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
  if (!have_opencl_device())
    GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd): the mappings without g alone ran";
}

TEST(Configurations, EachComputesTheSame) {
  expect_every_configuration_computes_the_same({160, 208}, "scales=1", "GRAY8");
}

TEST(Configurations, EachComputesTheSameAtSeveralScales) {
  expect_every_configuration_computes_the_same({131, 200}, "scales=3 first-scale=0.5", "I420");
}

TEST(Configurations, OneThreadOnTheDeviceTakesEveryFrameThere) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  Stream stream(bin("mapping=ggg threads=1"));
  EXPECT_EQ(stream.run(6).size(), 6U);
  EXPECT_EQ(stream.stat("frames-device"), 6U);
}

TEST(Configurations, WithoutTensorsTheFramesCarryDetectionsAlone) {
  Stream stream(bin());
  for (const Result& result : stream.run(3)) EXPECT_TRUE(result.tensors.empty());
}

TEST(Configurations, ChangesWhilePlayingLoseNothing) {
  // As many frames as so many changes take on a busy machine.
  constexpr int kLeastFrames = 300, kMostFrames = 30000, kChanges = 40;
  const std::vector<Result> expected = expected_results(10, {}, "scales=1");
  Stream stream(bin("", "scales=1"));
  stream.play();
  std::atomic<bool> done{false};
  std::atomic<int> changes{0};
  std::thread changer([&] {
    std::mt19937 random(11);
    const std::vector<Configuration> all = configurations();
    while (!done) {
      set_properties(stream.tandembin(), all[random() % all.size()]);
      ++changes;
      // As long as some number of frames takes, none included.
      const uint64_t frames = stream.stat("frames") + random() % 4;
      while (!done && stream.stat("frames") < frames) std::this_thread::yield();
    }
  });
  std::vector<Result> got;
  int frames = 0;
  while (frames < kLeastFrames || (changes < kChanges && frames < kMostFrames)) {
    const int i = frames++;
    GstBuffer* buffer = make_frame(i % 10, {});
    GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(i) * 40 * GST_MSECOND;
    stream.push_buffer(buffer);
    if (i >= 8) got.push_back(std::move(stream.pull(1).at(0)));
  }
  stream.end();
  for (Result& last : stream.pull_all()) got.push_back(std::move(last));
  done = true;
  changer.join();
  EXPECT_GE(changes, kChanges);
  ASSERT_EQ(indices(got), count_to(frames));
  for (int i = 0; i < frames; ++i) {
    got[i].index %= 10;
    expect_same(expected[i % 10], got[i], true);
  }
  expect_sums(stream, frames);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
}

// Without the bin each stage goes its own way: what one leaves on the host the next takes to the
// device, and back.
TEST(Configurations, StagesAloneMixDevices) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const std::vector<Result> expected = expected_results(3);
  const char* const devices[] = {"cpu", "opencl opencl-device=any"};
  for (unsigned bits = 1; bits < 8; ++bits) {
    SCOPED_TRACE(bits);
    Stream stream(std::string("vividfilter device=") + devices[bits & 1] +
                  " ! vividhistogram device=" + devices[bits >> 1 & 1] +
                  " ! vividclassifier device=" + devices[bits >> 2 & 1]);
    const std::vector<Result> got = stream.run(3);
    ASSERT_EQ(indices(got), count_to(3));
    for (int i = 0; i < 3; ++i) expect_same(expected[i], got[i], true);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

TEST(Configurations, ABinTakesWhatAStageBeforeItMade) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const std::vector<Result> expected = expected_results(3);
  Stream stream(
      "vividfilter device=cpu ! tandembin.( name=tandembin0 opencl-device=any mapping=gg threads=1 "
      "vividhistogram ! vividclassifier )");
  const std::vector<Result> got = stream.run(3);
  ASSERT_EQ(indices(got), count_to(3));
  for (int i = 0; i < 3; ++i) expect_same(expected[i], got[i], true);
  EXPECT_EQ(stream.stat("frames-device"), 3U);
}

}  // namespace
}  // namespace tandem::test
