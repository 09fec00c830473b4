// SPDX-License-Identifier: LGPL-2.1-or-later
// The ways of filling tandembin, and what can be read from it in each state.
#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 3;

void expect_results_of(Stream& stream) {
  const std::vector<Result> expected = expected_results(kFrames), got = stream.run(kFrames);
  ASSERT_EQ(indices(got), count_to(kFrames));
  for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], false);
  EXPECT_EQ(stream.stat("frames"), uint64_t{kFrames}) << "frames went past the bin's scheduler";
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

void add(GstElement* bin, std::initializer_list<const char*> factories) {
  for (const char* factory : factories)
    gst_bin_add(GST_BIN(bin), gst_element_factory_make(factory, factory));
}

TEST(Filling, InALaunchLine) {
  Stream stream(bin());
  expect_results_of(stream);
}

TEST(Filling, WithOneStage) {
  Stream stream("tandembin.( name=tandembin0 vividfilter )");
  EXPECT_EQ(stream.run(2).size(), 2U);
  EXPECT_EQ(stream.stat("frames"), 2U);
}

TEST(Filling, WithTheStagesProperty) {
  Stream stream(std::string("tandembin name=tandembin0 stages=\"") + kStages + "\"");
  expect_results_of(stream);
}

TEST(Filling, ByAddingWithoutLinking) {
  Stream stream("tandembin name=tandembin0");
  add(stream.tandembin(), {"vividfilter", "vividhistogram", "vividclassifier"});
  expect_results_of(stream);
}

TEST(Filling, ByAddingAndLinkingInAnotherOrder) {
  Stream stream("tandembin name=tandembin0");
  add(stream.tandembin(), {"vividclassifier", "vividfilter", "vividhistogram"});
  ASSERT_TRUE(gst_element_link_many(stream.element("vividfilter"), stream.element("vividhistogram"),
                                    stream.element("vividclassifier"), nullptr));
  expect_results_of(stream);
}

TEST(Filling, InReadyAfterARunThatFailedBecauseTheBinWasEmpty) {
  Stream stream("tandembin name=tandembin0");
  EXPECT_EQ(gst_element_set_state(stream.pipeline(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  stream.set_state(GST_STATE_READY);
  g_object_set(stream.tandembin(), "stages", kStages, nullptr);
  EXPECT_EQ(stream.run(kFrames).size(), static_cast<std::size_t>(kFrames));
}

TEST(Filling, TheStagesAreChildrenByName) {
  Stream line(bin("", "name=first"));
  EXPECT_NO_THROW(line.element("first"));
  Stream property(
      "tandembin name=tandembin0 stages=\"vividfilter name=a scales=2 ! vividhistogram name=b\"");
  gint scales = 0;
  g_object_get(property.element("a"), "scales", &scales, nullptr);
  EXPECT_EQ(scales, 2);
  EXPECT_NO_THROW(property.element("b"));
  gchar* stages = nullptr;
  g_object_get(property.tandembin(), "stages", &stages, nullptr);
  EXPECT_STREQ(stages, "vividfilter name=a scales=2 ! vividhistogram name=b");
  g_free(stages);
}

TEST(Filling, AFullBinIsNotFilledAgain) {
  Stream stream(bin());
  g_object_set(stream.tandembin(), "stages", "vividfilter", nullptr);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_WARNING).text,
            "'stages' applies to an empty tandembin only; this one already has stages.");
  EXPECT_EQ(stream.run(2).size(), 2U);
}

TEST(Reading, StatsAndConfigurationInEachState) {
  Stream stream(bin("threads=1"));
  const auto is_empty = [&] { return stream.stat("frames") == ~uint64_t{0}; };
  EXPECT_EQ(stream.configuration(), "");
  EXPECT_TRUE(is_empty());
  stream.set_state(GST_STATE_READY);
  EXPECT_EQ(stream.configuration(), "");
  EXPECT_TRUE(is_empty());
  stream.push(0, 2);
  stream.set_state(GST_STATE_PAUSED);
  EXPECT_EQ(stream.configuration(), "ccc/cg1");
  EXPECT_EQ(stream.stat("cores"), 2U);
  EXPECT_LE(stream.stat("frames"), 2U);
  stream.set_state(GST_STATE_PLAYING);
  stream.end();
  EXPECT_EQ(stream.pull_all().size(), 2U);
  EXPECT_EQ(stream.configuration(), "ccc/cg1");
  EXPECT_EQ(stream.stat("frames"), 2U);
  stream.set_state(GST_STATE_READY);
  EXPECT_EQ(stream.configuration(), "");
  EXPECT_TRUE(is_empty());
  stream.set_state(GST_STATE_NULL);
  EXPECT_TRUE(is_empty());
}

TEST(Reading, StatsTellOfEachStage) {
  Stream stream(bin("threads=2"));
  stream.run(kFrames);
  GstStructure* stats = nullptr;
  g_object_get(stream.tandembin(), "stats", &stats, nullptr);
  EXPECT_STREQ(gst_structure_get_string(stats, "configuration"), "ccc/cg2");
  const GValue* stages = gst_structure_get_value(stats, "stages");
  ASSERT_TRUE(stages && GST_VALUE_HOLDS_ARRAY(stages));
  const char* const names[] = {"vividfilter", "vividhistogram", "vividclassifier"};
  ASSERT_EQ(gst_value_array_get_size(stages), std::size(names));
  for (guint k = 0; k < std::size(names); ++k) {
    const GstStructure* stage = gst_value_get_structure(gst_value_array_get_value(stages, k));
    guint64 cpu_frames = 0, device_frames = 1, cpu_ns = 0;
    EXPECT_STREQ(gst_structure_get_string(stage, "name"), names[k]);
    ASSERT_TRUE(gst_structure_get(stage, "cpu-frames", G_TYPE_UINT64, &cpu_frames, "device-frames",
                                  G_TYPE_UINT64, &device_frames, "cpu-ns", G_TYPE_UINT64, &cpu_ns,
                                  nullptr));
    EXPECT_EQ(cpu_frames, guint64{kFrames});
    EXPECT_EQ(device_frames, 0U);
    EXPECT_GT(cpu_ns, 0U);
  }
  gst_structure_free(stats);
}

TEST(Reading, EveryPropertyReadsBackAsWritten) {
  Stream stream(bin());
  GstElement* element = stream.tandembin();
  g_object_set(element, "mapping", "gcc", "granularity", 2, "threads", 3, "keep-tensors", TRUE,
               nullptr);
  gchar *mapping = nullptr, *device = nullptr;
  gint granularity = 0, threads = 0, cores = 0;
  gboolean keep = FALSE;
  g_object_get(element, "mapping", &mapping, "granularity", &granularity, "threads", &threads,
               "cores", &cores, "opencl-device", &device, "keep-tensors", &keep, nullptr);
  EXPECT_STREQ(mapping, "gcc");
  EXPECT_STREQ(device, "any");
  EXPECT_EQ(granularity, 2);
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(cores, 2);
  EXPECT_TRUE(keep);
  g_free(mapping);
  g_free(device);
}

}  // namespace
}  // namespace tandem::test
