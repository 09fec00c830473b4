// SPDX-License-Identifier: LGPL-2.1-or-later
// The first stage of Scene Recognition as an element: alone, in tandembin under every mapping, with
// frames of other sizes and too small ones.
#include "kernels/scene_features/scene_features.h"

#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/configuration.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

std::string alone(const std::string& device) {
  return "scenefeatures opencl-device=any device=" + device;
}

/// What the reference makes of frame `index`.
std::vector<Half> scale_space(int index, Size size, const char* format) {
  const std::vector<uint8_t> frame = pixels(index, size, format);
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format),
                            static_cast<guint>(size.width), static_cast<guint>(size.height));
  const SceneLayout layout{size.width, size.height};
  std::vector<Half> space(layout.values());
  std::vector<float> bases(layout.base_floats());
  scene_first_octave_ref({frame.data(), size.width, size.height, info.stride[0]}, space.data(),
                         bases.data(), {0, 2 * size.height});
  scene_next_octaves_ref(layout, bases.data(), space.data());
  return space;
}

void expect_scale_space(const Result& result, Size size, const char* format = "GRAY8") {
  const SceneLayout layout{size.width, size.height};
  const std::vector<Half> wanted = scale_space(result.index, size, format);
  ASSERT_EQ(result.tensors.size(), 1U);
  const std::vector<float>& got = result.tensors.at("scene-space");
  ASSERT_EQ(got.size(), wanted.size());
  for (int o = 0; o < layout.octaves(); ++o) {
    const std::size_t pixels = layout.pixels_of(o), first = layout.first_of(o);
    constexpr int kLengths = kSceneDifferences + kSceneGradients;
    // Both were rounded to halves, which are up to 2^-10 of their value apart.
    const auto roundings = [&](std::size_t i) {
      return std::max(std::fabs(got[i]), std::fabs(wanted[i])) * 0x1p-10;
    };
    for (std::size_t i = first; i < first + kLengths * pixels; ++i)
      ASSERT_NEAR(got[i], wanted[i], 1e-5 + roundings(i)) << "half " << i << " of octave " << o;
    for (std::size_t i = first + kLengths * pixels; i < layout.first_of(o + 1); ++i) {
      const float magnitude = wanted[i - kSceneGradients * pixels];
      ASSERT_LE(std::fabs(std::remainder(got[i] - wanted[i], 2 * std::numbers::pi_v<float>)),
                1e-4 + 2e-6 / magnitude + roundings(i))
          << "half " << i << " of octave " << o;
    }
  }
}

void expect_scale_spaces(const std::vector<Result>& results, int frames, Size size,
                         const char* format = "GRAY8") {
  ASSERT_EQ(indices(results), count_to(frames));
  for (const Result& result : results) {
    expect_scale_space(result, size, format);
    EXPECT_EQ(result.pixels, pixels(result.index, size, format));
  }
}

TEST(SceneFeatures, AloneOnTheCpuInEveryLumaFormat) {
  for (const char* format : {"GRAY8", "I420", "NV12"}) {
    for (const Size size : {Size{64, 80}, Size{131, 77}, Size{16, 16}}) {
      SCOPED_TRACE(caps_text(size, format));
      Stream stream(alone("cpu"), size, format);
      expect_scale_spaces(stream.run(2), 2, size, format);
    }
  }
}

TEST(SceneFeatures, AloneOnTheDevice) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  for (const Size size : {Size{131, 77}, Size{16, 40}}) {
    Stream stream(alone("opencl"), size, "NV12");
    expect_scale_spaces(stream.run(2), 2, size, "NV12");
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

TEST(SceneFeatures, EveryConfigurationComputesTheSame) {
  constexpr Size kSize{83, 101};
  for (const Configuration& c : all_configurations(1, 2, have_opencl_device() ? 1 : 0)) {
    SCOPED_TRACE(to_string(c));
    Stream stream(bin_of("scenefeatures", "keep-tensors=true " + properties_of(c)), kSize, "I420");
    expect_scale_spaces(stream.run(4), 4, kSize, "I420");
    EXPECT_EQ(stream.configuration(), to_string(c));
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

TEST(SceneFeatures, CapsThatChangeInMidStream) {
  const Size sizes[] = {{160, 120}, {83, 61}, {16, 16}, {64, 200}, {160, 120}};
  for (const std::string& middle :
       {alone("cpu"), bin_of("scenefeatures", "keep-tensors=true granularity=mg"),
        bin_of("scenefeatures", "keep-tensors=true threads=2")}) {
    SCOPED_TRACE(middle);
    Stream stream(middle);
    stream.play();
    int next = 0;
    for (const Size size : sizes) {
      stream.caps(size);
      stream.push(next, next + 2);
      next += 2;
    }
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_EQ(indices(got), count_to(next));
    for (const Result& result : got) expect_scale_space(result, sizes[result.index / 2]);
  }
}

TEST(SceneFeatures, FramesThatAreTooSmallPassWithOneWarning) {
  std::vector<std::string> ways{alone("cpu"), bin_of("scenefeatures", "threads=2")};
  if (have_opencl_device()) ways.push_back(bin_of("scenefeatures", "mapping=g lanes=2"));
  for (const std::string& middle : ways) {
    for (const Size size : {Size{15, 200}, Size{256, 15}, Size{1, 1}}) {
      SCOPED_TRACE(middle + " " + caps_text(size));
      Stream stream(middle, size);
      EXPECT_EQ(indices(stream.run(4)), count_to(4));
      const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
      ASSERT_EQ(warnings.size(), 1U);
      EXPECT_EQ(warnings[0].text, "No scene can be recognised in frames of " +
                                      std::to_string(size.width) + "x" +
                                      std::to_string(size.height) +
                                      ": at least 16x16 pixels are needed. Put videoscale before "
                                      "the stages.");
    }
  }
}

}  // namespace
}  // namespace tandem::test
