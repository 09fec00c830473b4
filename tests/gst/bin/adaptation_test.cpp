// SPDX-License-Identifier: LGPL-2.1-or-later
// The bin decides by itself, on real stages and a real OpenCL device.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gst/support/decisions.h"

namespace tandem::test {
namespace {

/// Trains at once and does not stop for a slow machine.
std::string adaptive(const std::string& properties = "") {
  return bin("adapt=both max-overhead=0.9 " + properties, "scales=1");
}

std::vector<std::string> warnings(const Stream& stream) {
  std::vector<std::string> all;
  for (const Message& message : stream.messages.all(GST_MESSAGE_WARNING))
    all.push_back(message.text);
  return all;
}

void expect_all_in_order(const std::vector<Result>& got, int first) {
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i].index, first + static_cast<int>(i));
}

TEST(Adaptation, TrainsThenRunsWhatItChose) {
  Stream stream(adaptive());
  stream.play();
  const std::vector<Result> got = run_until(stream, 1);
  expect_all_in_order(got, 0);
  const std::vector<Told> all = told(stream);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].reason, "caps");
  EXPECT_GE(all[0].experiments, 3);
  EXPECT_GT(all[0].predicted_fps, 0);
  EXPECT_EQ(all[0].why.size(), static_cast<std::size_t>(all[0].trials));
  for (const std::string& why : all[0].why) EXPECT_NE(why.find("/"), std::string::npos) << why;
  GstStructure* stats = nullptr;
  g_object_get(stream.tandembin(), "stats", &stats, nullptr);
  double loss = 0;
  // None where the source was too slow for trials.
  EXPECT_EQ(gst_structure_get_double(stats, "expected-loss", &loss),
            gboolean{all[0].expected_loss.has_value()});
  gst_structure_free(stats);
  EXPECT_NEAR(loss, all[0].expected_loss.value_or(0), 1e-9);
  EXPECT_EQ(stream.configuration(), all[0].after);
  EXPECT_EQ(stream.stat("frames"), got.size());
  stream.end();
  stream.pull_all();
  EXPECT_TRUE(warnings(stream).empty());
}

TEST(Adaptation, TheCoresComputeUntilTheDevicesProgramsAreBuilt) {
  Stream stream(adaptive());
  stream.play();
  stream.push(0, 1);
  stream.pull(1);
  EXPECT_EQ(stream.stat("frames-cpu"), 1u) << "it waits for no program";
  const std::vector<Result> got = run_until(stream, 1, 1);
  expect_all_in_order(got, 1);
  const std::vector<Told> all = told(stream);
  EXPECT_EQ(all[0].reason, "caps");
  EXPECT_GT(stream.stat("frames-device"), 0u);
}

TEST(Adaptation, ResultsAreThoseOfTheStages) {
  constexpr int kFrames = 10;
  const std::vector<Result> expected = expected_results(kFrames, {}, "scales=1");
  Stream stream(bin("adapt=both keep-tensors=true", "scales=1"));
  const std::vector<Result> got = stream.run(kFrames);
  ASSERT_EQ(got.size(), expected.size());
  for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], true);
}

TEST(Adaptation, ASizeThatComesBackIsRemembered) {
  const Size small{96, 160}, large{192, 256};
  Stream stream(adaptive(), small);
  stream.play();
  run_until(stream, 1);
  stream.caps(large);
  run_until(stream, 2);
  stream.caps(small);
  run_until(stream, 3);
  const std::vector<Told> all = told(stream);
  ASSERT_GE(all.size(), 3u);
  EXPECT_EQ(all[0].reason, "caps");
  EXPECT_EQ(all[2].reason, "remembered");
  EXPECT_EQ(all[2].after, all[0].after);
  EXPECT_EQ(all[2].experiments, 0);
}

TEST(Adaptation, WhatWasLearntOutlivesReady) {
  Stream stream(adaptive());
  stream.play();
  run_until(stream, 1);
  stream.set_state(GST_STATE_READY);
  stream.play();
  run_until(stream, 2);
  ASSERT_GE(told(stream).size(), 2u);
  EXPECT_EQ(told(stream)[1].reason, "remembered");
}

TEST(Adaptation, OneFrameAndNone) {
  for (const int frames : {0, 1, 2}) {
    Stream stream(adaptive());
    EXPECT_EQ(stream.run(frames).size(), static_cast<std::size_t>(frames));
    const std::vector<Told> all = told(stream);
    ASSERT_EQ(all.size(), frames > 0 ? 1u : 0u);
    for (const Told& one : all) EXPECT_EQ(one.reason, "too-short");
  }
}

TEST(Adaptation, CapsThatChangeDuringTraining) {
  Stream stream(adaptive());
  stream.play();
  std::vector<Result> got;
  for (int i = 0; i < 20; ++i) {
    stream.caps(i % 2 ? Size{96, 160} : Size{128, 192});
    stream.push(2 * i, 2 * i + 2);
  }
  stream.end();
  got = stream.pull_all();
  ASSERT_EQ(got.size(), 40u);
  expect_all_in_order(got, 0);
}

TEST(Adaptation, OffTakesTheDefaultAndNeverTrains) {
  Stream stream(bin("adapt=off"));
  EXPECT_EQ(stream.run(100).size(), 100u);
  EXPECT_EQ(stream.configuration(), "ccc/cg2");
  EXPECT_EQ(stream.stat("trainings"), 0u);
}

TEST(Adaptation, WhatIsForcedNarrowsTheChoice) {
  Stream stream(adaptive("mapping=gcc"));
  stream.play();
  run_until(stream, 1);
  EXPECT_EQ(stream.configuration().substr(0, 4), "gcc/");
  g_object_set(stream.tandembin(), "threads", 2, nullptr);
  stream.push(100000, 100010);
  EXPECT_EQ(stream.pull(10).size(), 10u);
  EXPECT_EQ(stream.configuration(), "gcc/cg2");
  gst_util_set_object_arg(G_OBJECT(stream.tandembin()), "mapping", "auto");
  g_object_set(stream.tandembin(), "threads", 0, nullptr);
  const std::vector<Told> all = told(stream);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back().reason, "rules");
  EXPECT_EQ(all.back().experiments, 0) << "what was learnt is enough";
}

TEST(Adaptation, RetrainTrains) {
  Stream stream(adaptive());
  stream.play();
  run_until(stream, 1);
  g_signal_emit_by_name(stream.tandembin(), "retrain");
  run_until(stream, 2);
  ASSERT_GE(told(stream).size(), 2u);
  EXPECT_EQ(told(stream)[1].reason, "asked");
  EXPECT_GE(told(stream)[1].experiments, 3);
}

TEST(Adaptation, WithoutEnergyItTakesThroughputAndSaysSoOnce) {
  Stream stream(adaptive("metric=efficiency energy-source=none"));
  stream.play();
  run_until(stream, 1);
  g_signal_emit_by_name(stream.tandembin(), "retrain");
  run_until(stream, 2);
  const std::vector<std::string> all = warnings(stream);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].find("needs energy"), std::string::npos) << all[0];
}

TEST(Adaptation, AnObjectiveChangesWhilePlaying) {
  Stream stream(adaptive("energy-source=model:c=1+20,u=5+5"));
  stream.play();
  run_until(stream, 1);
  gst_util_set_object_arg(G_OBJECT(stream.tandembin()), "metric", "energy");
  run_until(stream, 2);
  const std::vector<Told> all = told(stream);
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[1].reason, "objective");
  EXPECT_TRUE(warnings(stream).empty()) << warnings(stream)[0];
}

TEST(Adaptation, ATargetAndABudgetThatNothingReaches) {
  Stream stream(adaptive("energy-source=model:c=10+20 target-fps=1e9"));
  stream.play();
  run_until(stream, 1);
  ASSERT_EQ(warnings(stream).size(), 1u);
  EXPECT_NE(warnings(stream)[0].find("target-fps"), std::string::npos);
  g_object_set(stream.tandembin(), "target-fps", 0.0, "power-budget", 0.001, nullptr);
  // How many decisions come before it says so depends on what its looks see.
  const auto says_so = [&] {
    const std::vector<std::string> all = warnings(stream);
    return std::ranges::any_of(
        all, [](const auto& text) { return text.find("power-budget") != std::string::npos; });
  };
  run_until(stream, says_so);
  EXPECT_TRUE(says_so());
}

TEST(Adaptation, AnEnergySourceThatMakesNoSenseIsRefused) {
  Stream stream(adaptive("energy-source=gerbils"));
  stream.play();
  const std::string text = stream.messages.wait(GST_MESSAGE_ERROR).text;
  EXPECT_NE(text.find("energy source 'gerbils'"), std::string::npos) << text;
}

TEST(Adaptation, AnEnergySourceThatIsNotThereIsSaidWhateverTheMetric) {
  Stream stream(adaptive("metric=throughput energy-source=nvml:99"));
  stream.play();
  run_until(stream, 1);
  const std::vector<std::string> all = warnings(stream);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rfind("energy-source=nvml:99 cannot measure energy: ", 0), 0U) << all[0];
}

TEST(Adaptation, PredictionsAreThereForEveryConfiguration) {
  Stream stream(adaptive());
  stream.play();
  run_until(stream, 1);
  GstStructure* predictions = nullptr;
  g_object_get(stream.tandembin(), "predictions", &predictions, nullptr);
  const GValue* list = gst_structure_get_value(predictions, "configurations");
  int whole = 0;
  for (guint i = 0; i < gst_value_array_get_size(list); ++i) {
    const GstStructure* one = gst_value_get_structure(gst_value_array_get_value(list, i));
    double fps = 0;
    EXPECT_TRUE(gst_structure_get_double(one, "fps", &fps));
    EXPECT_GT(fps, 0);
    const std::string name = gst_structure_get_string(one, "configuration");
    whole += name.find('s') == std::string::npos && name.find("/mg2") == std::string::npos ? 1 : 0;
  }
  // Beside those that split frames, or compute two at a time over half of the cores each.
  EXPECT_EQ(whole, 8 * (2 + 2));
  gst_structure_free(predictions);
}

TEST(Adaptation, LatencyFollowsTheFramesInFlight) {
  auto stream = Stream::of(
      "videotestsrc is-live=true num-buffers=200 ! video/x-raw,format=GRAY8,width=128,height=192,"
      "framerate=100/1 ! " +
      bin("mapping=ccc threads=2 adapt=off", "scales=1") + " ! appsink name=sink sync=false");
  stream->play();
  ASSERT_EQ(stream->pull(5).size(), 5u);
  const auto least = [&] {
    GstQuery* query = gst_query_new_latency();
    gboolean live = FALSE;
    GstClockTime latency = 0, most = 0;
    GstPad* pad = gst_element_get_static_pad(stream->element("sink"), "sink");
    EXPECT_TRUE(gst_pad_peer_query(pad, query));
    gst_object_unref(pad);
    gst_query_parse_latency(query, &live, &latency, &most);
    gst_query_unref(query);
    EXPECT_TRUE(live);
    return latency;
  };
  const GstClockTime with_two = least();
  const std::size_t told_before = stream->messages.all(GST_MESSAGE_LATENCY).size();
  g_object_set(stream->tandembin(), "threads", 1, nullptr);
  ASSERT_EQ(stream->pull(5).size(), 5u);
  EXPECT_EQ(with_two - least(), 10 * GST_MSECOND);
  EXPECT_GT(stream->messages.all(GST_MESSAGE_LATENCY).size(), told_before);
}

}  // namespace
}  // namespace tandem::test
