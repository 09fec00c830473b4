// SPDX-License-Identifier: LGPL-2.1-or-later
// Scene Recognition as elements: one label a frame, the same under every mapping, none where there
// is nothing to see.
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <fstream>

#include "model/configuration.h"
#include "tests/gst/support/scene_model.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{96, 80};

std::string classifier() { return "sceneclassifier model=" + scene_model_file(); }
std::string stages() { return "scenefeatures ! " + classifier(); }
std::string stages_alone() { return "scenefeatures device=cpu ! " + classifier(); }

void expect_label(const Result& result, Size size) {
  ASSERT_EQ(result.boxes.size(), 1U) << "frame " << result.index;
  const Box& box = result.boxes[0];
  EXPECT_EQ(box.x, 0U);
  EXPECT_EQ(box.y, 0U);
  EXPECT_EQ(box.width, static_cast<unsigned>(size.width));
  EXPECT_EQ(box.height, static_cast<unsigned>(size.height));
  EXPECT_GE(box.confidence, 1.0 / 3);
  EXPECT_LE(box.confidence, 1);
  EXPECT_TRUE(box.label == "coast" || box.label == "forest" || box.label == "street") << box.label;
}

TEST(Scene, EveryFrameGetsALabel) {
  for (const char* format : {"GRAY8", "I420", "NV12"}) {
    Stream stream(stages_alone(), kSize, format);
    const std::vector<Result> results = stream.run(4);
    ASSERT_EQ(indices(results), count_to(4));
    for (const Result& result : results) {
      expect_label(result, kSize);
      EXPECT_EQ(result.pixels, pixels(result.index, kSize, format));
      ASSERT_EQ(result.tensors.at("scene-margins").size(), 3U);
    }
  }
}

TEST(Scene, EveryConfigurationSaysTheSame) {
  constexpr int kFrames = 6;
  Stream alone(stages_alone(), kSize);
  const std::vector<Result> wanted = alone.run(kFrames);
  for (const Configuration& c : all_configurations(2, 2, have_opencl_device() ? 3 : 0)) {
    SCOPED_TRACE(to_string(c));
    Stream stream(bin_of(stages(), properties_of(c)), kSize);
    const std::vector<Result> results = stream.run(kFrames);
    ASSERT_EQ(indices(results), count_to(kFrames));
    // The second stage is the CPU's, whatever the mapping says.
    const std::string ran = stream.configuration();
    EXPECT_EQ(ran[1], 'c') << ran;
    for (int i = 0; i < kFrames; ++i) {
      expect_label(results[i], kSize);
      // The device rounds otherwise: a keypoint at a threshold may be there or not.
      if (c.mapping.any_device()) continue;
      EXPECT_EQ(results[i].boxes[0].label, wanted[i].boxes[0].label);
      EXPECT_EQ(results[i].boxes[0].confidence, wanted[i].boxes[0].confidence);
    }
  }
}

// Its tensors are large enough that the device takes over those that the cores have used.
TEST(Scene, ADeviceThatJoinsChangesNothing) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  constexpr Size kLarger{200, 150};
  constexpr int kAtOnce = 20, kMost = 3000;
  Stream stream(bin_of(stages(), "adapt=both keep-tensors=false"), kLarger);
  stream.play();
  int frames = 0;
  for (; frames < kMost && stream.stat("frames-mixed") == 0; frames += kAtOnce)
    stream.push(frames, frames + kAtOnce);
  stream.end();
  const std::vector<Result> results = stream.pull_all();
  ASSERT_EQ(indices(results), count_to(frames));
  EXPECT_GT(stream.stat("frames-mixed"), 0U) << "the device did not join";
  Stream alone(stages_alone(), kLarger);
  const std::vector<Result> wanted = alone.run(frames);
  for (int i = 0; i < frames; ++i) {
    expect_label(results[i], kLarger);
    // The device rounds otherwise.
    EXPECT_NEAR(results[i].boxes[0].confidence, wanted[i].boxes[0].confidence, 0.1) << i;
  }
}

TEST(Scene, AStageThatNoDeviceComputesIsWarnedOf) {
  Stream alone("scenefeatures device=cpu ! " + classifier() + " device=opencl", kSize);
  EXPECT_EQ(alone.run(2).size(), 2U);
  std::vector<Message> warnings = alone.messages.all(GST_MESSAGE_WARNING);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].text, "sceneclassifier has no OpenCL implementation: the CPU computes it.");

  if (!have_opencl_device()) return;
  Stream bin(bin_of(stages(), "mapping=gg adapt=off"), kSize);
  bin.play();
  bin.push(0, 2);
  g_object_set(bin.tandembin(), "threads", 1, nullptr);  // no need to say it again
  bin.end();
  EXPECT_EQ(bin.pull_all().size(), 2U);
  warnings = bin.messages.all(GST_MESSAGE_WARNING);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].text.find("sceneclassifier"), std::string::npos) << warnings[0].text;
}

GstBuffer* grey_frame(int index, Size size) {
  GstBuffer* buffer = make_frame(index, size);
  gst_buffer_memset(buffer, 0, 128, gst_buffer_get_size(buffer));
  return buffer;
}

TEST(Scene, AGreyFrameHasNoLabel) {
  for (const std::string& line : {stages_alone(), bin_of(stages())}) {
    Stream stream(line, kSize);
    stream.play();
    for (int i = 0; i < 3; ++i) stream.push_buffer(grey_frame(i, kSize));
    stream.end();
    const std::vector<Result> results = stream.pull_all();
    ASSERT_EQ(indices(results), count_to(3));
    for (const Result& result : results) EXPECT_TRUE(result.boxes.empty());
  }
}

TEST(Scene, FramesMayChangeTheirSize) {
  for (const std::string& line : {stages_alone(), bin_of(stages())}) {
    Stream stream(line, kSize);
    stream.play();
    constexpr Size kOther{61, 130};
    stream.push(0, 3);
    stream.caps(kOther);
    stream.push(3, 6);
    stream.caps(kSize);
    stream.push(6, 8);
    stream.end();
    const std::vector<Result> results = stream.pull_all();
    ASSERT_EQ(indices(results), count_to(8));
    for (const Result& result : results)
      expect_label(result, result.index >= 3 && result.index < 6 ? kOther : kSize);
  }
}

TEST(Scene, FramesThatAreTooSmallPassWithOneWarning) {
  for (const std::string& line : {stages_alone(), bin_of(stages(), "threads=2")}) {
    SCOPED_TRACE(line);
    Stream stream(line, {15, 40});
    stream.play();
    stream.push(0, 3);
    for (const Result& result : stream.pull(3)) EXPECT_TRUE(result.boxes.empty());
    EXPECT_EQ(stream.messages.all(GST_MESSAGE_WARNING).size(), 1U);
    stream.caps(kSize);
    stream.push(3, 5);
    stream.end();
    const std::vector<Result> larger = stream.pull_all();
    ASSERT_EQ(larger.size(), 2U);
    for (const Result& result : larger) expect_label(result, kSize);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  }
}

std::string error_of(const std::string& line) {
  Stream stream(line, kSize);
  stream.play();
  stream.push(0, 1);
  stream.end();
  return stream.messages.wait(GST_MESSAGE_ERROR).text;
}

TEST(Scene, WithoutFeaturesItSaysWhatIsMissing) {
  EXPECT_EQ(error_of(classifier()),
            "sceneclassifier needs the tensor 'scene-space', which scenefeatures makes: put "
            "scenefeatures before sceneclassifier.");
}

TEST(Scene, AModelThatCannotBeReadIsNamed) {
  const std::string missing = temporary_folder() + "/nowhere.scene";
  const std::string foreign = temporary_folder() + "/foreign.scene";
  std::ofstream(foreign) << "this is no model of scenes, however long it may become in the end";
  for (const std::string& path : {missing, foreign}) {
    const std::string text = error_of("scenefeatures device=cpu ! sceneclassifier model=" + path);
    EXPECT_NE(text.find(path), std::string::npos) << text;
  }
  EXPECT_NE(error_of("scenefeatures device=cpu ! sceneclassifier model=" + foreign)
                .find("not a Tandem scene model"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::test
