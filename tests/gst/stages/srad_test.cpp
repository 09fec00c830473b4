// SPDX-License-Identifier: LGPL-2.1-or-later
// The six SRAD stages as elements: alone, in tandembin under every mapping, repeated, and with what
// a user does wrong.
#include "kernels/srad/srad.h"

#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/configuration.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr char kExtract[] = "sradextract";
constexpr char kMiddle[] = "sradprepare ! sradreduce ! sraddiffuse ! sradupdate";
constexpr char kCompress[] = "sradcompress";
constexpr int kStages = 6;

std::string alone(const std::string& device = "cpu", int iterations = 1) {
  const std::string on = " device=" + device + " opencl-device=any";
  std::string line = kExtract + on;
  for (int i = 0; i < iterations; ++i) {
    for (const char* stage : {"sradprepare", "sradreduce", "sraddiffuse", "sradupdate"})
      line += std::string(" ! ") + stage + on;
  }
  return line + " ! " + kCompress + on;
}

std::string in_bin(const std::string& properties = "", int iterations = 1) {
  return bin_of(std::string(kExtract) + " ! " + kMiddle +
                    " name=update iterations=" + std::to_string(iterations) + " ! " + kCompress,
                properties);
}

/// What the reference makes of frame `index`.
std::vector<uint8_t> despeckled(int index, Size size, const char* format, int iterations,
                                float lambda = 0.5f) {
  std::vector<uint8_t> frame = pixels(index, size, format);
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format),
                            static_cast<guint>(size.width), static_cast<guint>(size.height));
  const int w = size.width, h = size.height;
  const std::size_t count = static_cast<std::size_t>(w) * h;
  std::vector<float> values(5 * count);
  const Plane<float> image{values.data(), w, h, w}, squares{&values[count], w, h, w},
      coefficient{&values[2 * count], w, h, w}, differences{&values[3 * count], w, 2 * h, w};
  const Plane<uint8_t> luma{frame.data(), w, h, info.stride[0]};
  std::vector<SradSums> sums(static_cast<std::size_t>(h));
  srad_extract_ref(luma, image, {0, h});
  for (int i = 0; i < iterations; ++i) {
    srad_prepare_ref(image, squares, {0, h});
    srad_reduce_ref(image, squares, sums.data(), {0, h});
    srad_diffuse_ref(image, srad_combine(sums.data(), w, h).variation, differences, coefficient,
                     {0, h});
    srad_update_ref(image, differences, coefficient, lambda, image, {0, h});
  }
  srad_compress_ref(image, luma, {0, h});
  return frame;
}

/// As the reference has the frame. A value next to half a grey level may be rounded the other way,
/// chroma is untouched.
void expect_despeckled(const Result& result, Size size, const char* format, int iterations) {
  const std::vector<uint8_t> wanted = despeckled(result.index, size, format, iterations);
  ASSERT_EQ(result.pixels.size(), wanted.size());
  std::size_t differing = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_LE(std::abs(result.pixels[i] - wanted[i]), 1) << "byte " << i;
    differing += result.pixels[i] != wanted[i] ? 1 : 0;
  }
  EXPECT_LE(differing, wanted.size() / 500);
}

void expect_despeckled(const std::vector<Result>& results, int frames, Size size,
                       const char* format, int iterations) {
  ASSERT_EQ(indices(results), count_to(frames));
  for (const Result& result : results) expect_despeckled(result, size, format, iterations);
}

std::string error_of(const std::string& middle) {
  Stream stream(middle);
  stream.play();
  stream.push(0, 3);
  stream.end();
  return stream.messages.wait(GST_MESSAGE_ERROR).text;
}

TEST(SradAlone, OnTheCpuInEveryLumaFormat) {
  for (const char* format : {"GRAY8", "I420", "NV12"}) {
    for (const Size size : {Size{160, 208}, Size{131, 77}}) {
      SCOPED_TRACE(caps_text(size, format));
      Stream stream(alone(), size, format);
      expect_despeckled(stream.run(3), 3, size, format, 1);
    }
  }
}

TEST(SradAlone, OnTheDevice) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  Stream stream(alone("opencl"), {131, 77}, "NV12");
  expect_despeckled(stream.run(3), 3, {131, 77}, "NV12", 1);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
}

TEST(SradAlone, TheMiddleStagesAsOftenAsTheyAreWritten) {
  Stream stream(alone("cpu", 5));
  expect_despeckled(stream.run(3), 3, {}, "GRAY8", 5);
}

TEST(SradAlone, TheTensorsAreOnTheFrame) {
  Stream stream(alone());
  const Result result = stream.run(1).at(0);
  const std::size_t count = 160 * 208;
  EXPECT_EQ(result.tensors.at("srad-image").size(), count);
  EXPECT_EQ(result.tensors.at("srad-squares").size(), count);
  EXPECT_EQ(result.tensors.at("srad-statistics").size(), 2U);
  EXPECT_EQ(result.tensors.at("srad-differences").size(), 2 * count);
  EXPECT_EQ(result.tensors.at("srad-coefficient").size(), count);
  EXPECT_EQ(result.tensors.size(), 5U);
}

TEST(SradInTheBin, EveryConfigurationComputesTheSame) {
  constexpr Size kSize{83, 61};
  const uint32_t capable = have_opencl_device() ? (1U << kStages) - 1 : 0;
  for (const Configuration& c : all_configurations(kStages, 2, capable)) {
    SCOPED_TRACE(to_string(c));
    Stream stream(in_bin(properties_of(c)), kSize, "I420");
    expect_despeckled(stream.run(4), 4, kSize, "I420", 1);
    EXPECT_EQ(stream.configuration(), to_string(c));
    EXPECT_EQ(stream.stat("frames"), 4U);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
  if (!have_opencl_device())
    GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd): the mappings without g alone ran";
}

TEST(SradInTheBin, EveryMappingRepeatsTheMiddleStages) {
  constexpr Size kSize{83, 61};
  constexpr int kIterations = 7;
  const uint32_t capable = have_opencl_device() ? (1U << kStages) - 1 : 0;
  for (const Configuration& c : all_configurations(kStages, 2, capable)) {
    if (c.granularity == Granularity::coarse && c.threads != 2) continue;
    SCOPED_TRACE(to_string(c));
    Stream stream(in_bin(properties_of(c), kIterations), kSize);
    expect_despeckled(stream.run(3), 3, kSize, "GRAY8", kIterations);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

TEST(SradInTheBin, RepeatingIsWritingTheStagesAgain) {
  Stream stream(std::string("tandembin.( name=tandembin0 opencl-device=any adapt=off mapping=") +
                (have_opencl_device() ? "cgggcgccgg" : "cccccccccc") + " " + kExtract + " ! " +
                kMiddle + " ! " + kMiddle + " ! " + kCompress + " )");
  expect_despeckled(stream.run(3), 3, {}, "GRAY8", 2);
}

TEST(SradInTheBin, ManyFramesOfManyIterations) {
  for (const char* configuration : {"threads=3", "granularity=mg", "mapping=gggggg threads=3"}) {
    if (configuration[0] == 'm' && !have_opencl_device()) continue;
    SCOPED_TRACE(configuration);
    Stream stream(in_bin(configuration, 100), {61, 47});
    expect_despeckled(stream.run(12), 12, {61, 47}, "GRAY8", 100);
  }
}

TEST(SradInTheBin, IterationsThatChangeInMidStreamTakeEffectWithTheNextFrame) {
  Stream stream(in_bin("threads=2", 1));
  stream.play();
  std::vector<Result> got;
  for (int i = 0; i < 12; ++i) {
    g_object_set(stream.element("update"), "iterations", 1 + i % 3, nullptr);
    stream.push(i, i + 1);
    // The buffer is on its way through appsrc's thread: the frame must be in before the next
    // change.
    for (Result& result : stream.pull(1)) got.push_back(std::move(result));
  }
  ASSERT_EQ(indices(got), count_to(12));
  for (const Result& result : got) expect_despeckled(result, {}, "GRAY8", 1 + result.index % 3);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST(SradInTheBin, CapsThatChangeInMidStream) {
  const Size sizes[] = {{160, 208}, {83, 61}, {1, 1}, {320, 240}, {2, 1}, {160, 208}};
  for (const char* configuration :
       {"threads=3", "granularity=mg", "mapping=cggggc threads=2", "mapping=gggggg threads=3"}) {
    if (configuration[0] == 'm' && !have_opencl_device()) continue;
    SCOPED_TRACE(configuration);
    Stream stream(in_bin(configuration, 3));
    stream.play();
    int next = 0;
    for (const Size size : sizes) {
      stream.caps(size);
      stream.push(next, next + 3);
      next += 3;
    }
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_EQ(indices(got), count_to(next));
    for (const Result& result : got) expect_despeckled(result, sizes[result.index / 3], "GRAY8", 3);
  }
}

TEST(SradInTheBin, AFrameThatOthersHoldKeepsItsPixels) {
  Stream stream(in_bin("threads=2", 4));
  stream.play();
  GstBuffer* shared = make_frame(0, {});
  stream.push_buffer(gst_buffer_ref(shared));
  stream.end();
  const std::vector<Result> got = stream.pull_all();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_NE(got[0].pixels, pixels(0, {}));
  EXPECT_EQ(read_result(shared).pixels, pixels(0, {}));
  gst_buffer_unref(shared);
}

/// Pixels that change end a run: what comes behind reads the new ones.
TEST(SradInTheBin, AStageBehindReadsTheDespeckledPixels) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const std::string vivid = " ! vividfilter scales=1";
  Stream expected(alone() + vivid + " device=cpu");
  Stream stream(std::string("tandembin.( name=tandembin0 keep-tensors=true opencl-device=any "
                            "adapt=off threads=1 mapping=ggggggg ") +
                kExtract + " ! " + kMiddle + " ! " + kCompress + vivid + " )");
  const Result wanted = expected.run(1).at(0), got = stream.run(1).at(0);
  std::size_t differing = 0;
  const std::vector<float>&a = wanted.tensors.at("vivid-index"), &b = got.tensors.at("vivid-index");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) differing += a[i] != b[i] ? 1 : 0;
  EXPECT_LE(differing, a.size() / 100);
}

TEST(SradBadInput, ConstantAndTinyFramesComeBackAsTheyAre) {
  std::vector<std::string> middles{alone(), in_bin("threads=2", 5), in_bin("granularity=mg", 5)};
  if (have_opencl_device()) {
    middles.push_back(alone("opencl"));
    middles.push_back(in_bin("mapping=gggggg threads=2", 5));
    middles.push_back(in_bin("mapping=cgcgcg granularity=mg", 5));
  }
  for (const std::string& middle : middles) {
    for (const Size size : {Size{1, 1}, Size{1, 9}, Size{9, 1}, Size{64, 48}}) {
      SCOPED_TRACE(middle + " " + caps_text(size));
      Stream stream(middle, size);
      stream.play();
      for (const int level : {0, 77, 255}) {
        GstBuffer* buffer = make_frame(0, size);
        gst_buffer_memset(buffer, 0, static_cast<guint8>(level), gst_buffer_get_size(buffer));
        stream.push_buffer(buffer);
        const std::vector<Result> got = stream.pull(1);
        ASSERT_EQ(got.size(), 1U);
        GstVideoInfo info;
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, static_cast<guint>(size.width),
                                  static_cast<guint>(size.height));
        for (int y = 0; y < size.height; ++y) {
          for (int x = 0; x < size.width; ++x)
            ASSERT_EQ(got[0].pixels[static_cast<std::size_t>(y) * info.stride[0] + x], level);
        }
      }
    }
  }
}

TEST(SradBadInput, AMissingStageIsNamed) {
  const auto message = [](const std::string& stage, const char* tensor, const std::string& maker) {
    return stage + " needs the tensor '" + tensor + "', which " + maker + " makes: put " + maker +
           " before " + stage + ".";
  };
  EXPECT_EQ(error_of("sradprepare device=cpu"),
            message("sradprepare", "srad-image", "sradextract"));
  EXPECT_EQ(error_of("tandembin.( sradextract ! sradreduce )"),
            message("sradreduce", "srad-squares", "sradprepare"));
  EXPECT_EQ(error_of("tandembin.( sradextract ! sraddiffuse )"),
            message("sraddiffuse", "srad-statistics", "sradreduce"));
  EXPECT_EQ(error_of("tandembin.( sradextract ! sradupdate )"),
            message("sradupdate", "srad-differences", "sraddiffuse"));
  EXPECT_EQ(error_of("tandembin.( sradcompress )"),
            message("sradcompress", "srad-image", "sradextract"));
}

TEST(SradBadInput, IterationsWithoutTandembin) {
  EXPECT_EQ(
      error_of("sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate "
               "iterations=3 ! sradcompress"),
      "sradupdate is set to send frames 3 times through the stages from sradprepare on, which "
      "needs tandembin around them. Without tandembin, put the stages from sradprepare to "
      "sradupdate into the pipeline 3 times.");
}

TEST(SradBadInput, IterationsOfAPartThatIsNotThere) {
  EXPECT_EQ(error_of("sradextract ! sradprepare ! tandembin.( sradreduce ! sraddiffuse ! "
                     "sradupdate iterations=2 )"),
            "sradupdate is set to send frames 2 times through the stages from sradprepare on, but "
            "none of that name precedes it in this tandembin.");
  EXPECT_EQ(error_of(std::string("tandembin.( sradextract ! ") + kMiddle + " iterations=2 ! " +
                     kMiddle + " iterations=3 )"),
            "sradupdate is set to send frames 3 times through the stages from sradprepare on, but "
            "tandembin repeats one part of a chain only: set the other one to 1.");
}

}  // namespace
}  // namespace tandem::test
