// SPDX-License-Identifier: LGPL-2.1-or-later
// A network on streams: stages that compute each n-th frame, and ids of what it finds.
#include <gtest/gtest.h>

#include <cstdlib>

#include "gst/meta/results.h"
#include "tests/gst/support/network_model.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{kPersonFrameWidth, kPersonFrameHeight};
constexpr int kFrames = 12;

/// The three stages, each with further properties.
std::string stages(const std::vector<std::string>& properties) {
  const std::string model = " model=" + person_network_file(temporary_folder() + "/person.onnx");
  return "dnninput" + model + properties[0] + " ! dnnstage" + model + properties[1] +
         " ! dnnboxes" + model + properties[2];
}

void play_all(Stream& stream) {
  for (int i = 0; i < kFrames; ++i) stream.push_buffer(timed_frame(i, person_frame(i)));
  stream.play();
  stream.end();
}

std::vector<std::string> configurations() {
  std::vector<std::string> all{"threads=3", "granularity=mg"};
  if (have_opencl_device()) all.insert(all.end(), {"mapping=ggc threads=2", "mapping=cgc lanes=2"});
  return all;
}

void expect_person_in(const std::vector<Result>& results, int interval) {
  ASSERT_EQ(indices(results), count_to(kFrames));
  for (const Result& result : results) {
    SCOPED_TRACE("frame " + std::to_string(result.index));
    if (result.index % interval != 0) {
      EXPECT_TRUE(result.boxes.empty());
      continue;
    }
    ASSERT_EQ(result.boxes.size(), 1U);
    const PersonBox wanted(result.index);
    const Box& box = result.boxes[0];
    EXPECT_EQ(box.label, "person");
    EXPECT_EQ(std::tuple(box.x, box.y, box.width, box.height),
              std::tuple(wanted.x, wanted.y, wanted.width, wanted.height));
  }
}

TEST(NetworkStream, EachStageMayHaveTheInterval) {
  for (const std::string& configuration : configurations()) {
    for (std::size_t stage = 0; stage < 3; ++stage) {
      SCOPED_TRACE(configuration + ", stage " + std::to_string(stage));
      std::vector<std::string> properties(3);
      properties[stage] = " interval=3";
      Stream stream(bin_of(stages(properties), configuration), kSize);
      play_all(stream);
      expect_person_in(stream.pull_all(), 3);
      EXPECT_EQ(stream.stat("frames-passed"), stage == 0 ? kFrames * 2U / 3 : 0U);
      EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
    }
  }
}

TEST(NetworkStream, StagesAloneKeepTheInterval) {
  for (std::size_t stage = 0; stage < 3; ++stage) {
    std::vector<std::string> properties(3, " device=cpu");
    properties[stage] += " interval=4";
    Stream stream(stages(properties), kSize);
    play_all(stream);
    expect_person_in(stream.pull_all(), 4);
  }
}

// tandemtrack follows the person, also through frames that the network leaves out.
TEST(NetworkStream, WhatIsFoundKeepsItsId) {
  for (const int interval : {1, 3}) {
    SCOPED_TRACE(interval);
    Stream stream(bin_of(stages({" interval=" + std::to_string(interval), "", ""}), "threads=2") +
                      " ! tandemtrack min-hits=1",
                  kSize);
    play_all(stream);
    int frame = 0;
    for (; GstBuffer* buffer = stream.pull_buffer(); ++frame) {
      SCOPED_TRACE(frame);
      const auto objects = read_results(buffer, {kSize.width, kSize.height}).objects;
      gst_buffer_unref(buffer);
      ASSERT_EQ(objects.size(), 1U);
      EXPECT_EQ(objects[0].label, "person");
      EXPECT_EQ(objects[0].object_id.value_or(0), 1U);
      EXPECT_EQ(objects[0].is_predicted, frame % interval != 0);
      EXPECT_LE(std::abs(objects[0].x - PersonBox(frame).x), interval == 1 ? 0 : 3);
    }
    EXPECT_EQ(frame, kFrames);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

}  // namespace
}  // namespace tandem::test
