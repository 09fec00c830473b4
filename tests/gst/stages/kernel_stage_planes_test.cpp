// SPDX-License-Identifier: LGPL-2.1-or-later
// kernelstage reads planes of chroma, whatever format has them, and rows of split frames.
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/gst/support/breaks.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{47, 21};

/// A stage of luma with both planes of chroma above it; `size` of these.
std::string file_of(const std::string& name, const std::string& size) {
  const std::string path = temporary_folder() + "/" + name + ".cl";
  std::ofstream(path) << "//!STAGE " << name << "\n//!READ luma\n//!READ cb" << size
                      << "\n//!READ cr" << size << " halo=1\n//!WRITE mixed float32\n"
                      << "//!MAP\nmixed = luma(0, 0) + 256 * cb(0, 0) + 65536 * cr(1, -1);\n";
  return path;
}

std::vector<float> expected(int index, const char* format, int divisor) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format), kSize.width, kSize.height);
  const std::vector<uint8_t> all = pixels(index, kSize, format);
  const auto at = [&](guint component, int x, int y) -> int {
    x = std::clamp(x, 0, GST_VIDEO_INFO_COMP_WIDTH(&info, component) - 1);
    y = std::clamp(y, 0, GST_VIDEO_INFO_COMP_HEIGHT(&info, component) - 1);
    return all.at(GST_VIDEO_INFO_COMP_OFFSET(&info, component) +
                  static_cast<std::size_t>(y * GST_VIDEO_INFO_COMP_STRIDE(&info, component) +
                                           x * GST_VIDEO_INFO_COMP_PSTRIDE(&info, component)));
  };
  std::vector<float> values;
  for (int y = 0; y < kSize.height; ++y)
    for (int x = 0; x < kSize.width; ++x)
      values.push_back(static_cast<float>(at(0, x, y) + 256 * at(1, x / divisor, y / divisor) +
                                          65536 * at(2, x / divisor + 1, y / divisor - 1)));
  return values;
}

void expect_mixed(const std::string& stage, const char* format, int divisor) {
  std::vector<std::string> ways{stage + " device=cpu"};
  for (const char* mapping : {"c granularity=mg", "g", "g lanes=2 threads=2"})
    if (have_opencl_device() || *mapping == 'c')
      ways.push_back(bin_of(stage, std::string("keep-tensors=true mapping=") + mapping));
  for (const std::string& way : ways) {
    SCOPED_TRACE(std::string(format) + " " + way);
    Stream stream(way, kSize, format);
    const auto results = stream.run(4);
    ASSERT_EQ(indices(results), count_to(4));
    for (const Result& result : results)
      ASSERT_EQ(result.tensors.at("mixed"), expected(result.index, format, divisor));
  }
}

TEST(KernelStagePlanes, OfHalfTheSizeInEveryOrder) {
  const std::string stage = "kernelstage location=" + file_of("halves", "");
  for (const char* format : {"I420", "YV12", "NV12", "NV21"}) expect_mixed(stage, format, 2);
}

TEST(KernelStagePlanes, OfTheFramesSize) {
  const std::string stage = "kernelstage location=" + file_of("whole", " size=1/1");
  for (const char* format : {"Y444", "NV24"}) expect_mixed(stage, format, 1);
}

TEST(KernelStagePlanes, FormatsWithoutThemAreNamed) {
  const std::string path = file_of("other", "");
  for (const char* format : {"GRAY8", "Y444", "Y42B"}) {
    Stream stream("kernelstage device=cpu location=" + path, kSize, format);
    stream.play();
    stream.push(0, 1);
    EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
              path + " reads cb of 24x11, but " + format + " has no such plane of that size");
  }
}

constexpr int kFrames = 6;

std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = temporary_folder() + "/" + name + ".cl";
  std::ofstream(path) << text;
  return path;
}

std::string error_of(const std::string& stages) {
  Stream stream(stages, kSize);
  stream.play();
  stream.push(0, 1);
  return stream.messages.wait(GST_MESSAGE_ERROR).text;
}

// Rows of each side, with what the other side makes next to them.
TEST(KernelStageSplit, FramesAreTheSame) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const auto stage = [](const std::string& name, const std::string& text) {
    return "kernelstage location=" + write_file(name, "//!STAGE " + name + "\n" + text);
  };
  const std::string near = stage("near",
                                 "//!READ luma halo=2\n//!WRITE near float32\n//!MAP\n"
                                 "near = luma(0, -2) + 2 * luma(1, 2);\n");
  const std::string far = stage("far",
                                "//!READ near float32 halo=3\n//!READ luma\n//!WRITE far float32\n"
                                "//!MAP\nfar = near(0, -3) - 3 * near(-1, 3) + luma(0, 0);\n");
  const std::string half = stage("smaller",
                                 "//!READ luma halo=1\n//!WRITE smaller uint8 size=1/2\n//!MAP\n"
                                 "smaller = (luma(0, -1) + luma(1, 1)) / 2;\n");
  const std::string blur = stage("blur2",
                                 "//!READ luma halo=1\n//!WRITE luma\n//!MAP\n"
                                 "luma = (luma(0, -1) + luma(0, 1)) / 2;\n");
  const std::string own =
                        stage("own", "//!READ luma\n//!WRITE a float32\n//!MAP\na = luma(0, 0);\n"),
                    next = stage("next",
                                 "//!READ a float32\n//!WRITE b float32\n//!MAP\nb = -a(0, 0);\n");
  for (const std::string& stages :
       {near, near + " ! " + far, half, blur, blur + " ! " + near, own + " ! " + next}) {
    Stream alone(bin_of(stages, "keep-tensors=true mapping=" +
                                    std::string(stages.find('!') == stages.npos ? "c" : "cc")),
                 kSize);
    const auto expected = alone.run(kFrames);
    ASSERT_EQ(indices(expected), count_to(kFrames));
    for (const char* split : {"10", "37", "90"}) {
      SCOPED_TRACE(stages + " " + split);
      Stream stream(
          bin_of(stages, "keep-tensors=true opencl-device=any split=" + std::string(split) +
                             (stages.find('!') == stages.npos ? " mapping=s" : " mapping=ss")),
          kSize);
      const auto results = stream.run(kFrames);
      ASSERT_EQ(indices(results), count_to(kFrames));
      for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i].tensors, expected[i].tensors);
        EXPECT_EQ(results[i].pixels, expected[i].pixels);
      }
    }
  }
}

TEST(KernelStageSplit, SaysWhyFramesAreWhole) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  int number = 0;
  const auto why = [&](const std::string& text) {
    const std::string path =
        write_file("whole" + std::to_string(++number), "//!STAGE own\n" + text);
    const std::string error =
        error_of(bin_of("kernelstage location=" + path, "opencl-device=any mapping=s"));
    const std::string before = "kernelstage, which cannot be split: ";
    const std::size_t at = error.find(before);
    return at == error.npos ? error : error.substr(at + before.size());
  };
  const std::string sum =
      "//!READ luma\n//!WRITE sum int32 shape=1\n//!REDUCE\nsum[0] += luma(0, 0);\n";
  EXPECT_NE(why(sum).find("its file has a REDUCE, which needs all rows"), std::string::npos);
  EXPECT_NE(
      why("//!READ luma\n//!WRITE a uint8\n//!LOOP 3\na = luma(0, 0) + a(0, 0);\n").find("LOOP"),
      std::string::npos);
  EXPECT_NE(why("//!READ luma\n//!WRITE a uint8\n//!MAP\na = luma(0, 0);\n//!READ a halo=1\n"
                "//!WRITE b uint8\n//!MAP\nb = a(1, 0);\n")
                .find("2 MAPs"),
            std::string::npos);
  EXPECT_NE(why("//!READ luma\n//!WRITE a float32 kept\n//!MAP\na = a(0, 0) + luma(0, 0);\n")
                .find("'a' is kept from frame to frame"),
            std::string::npos);
  EXPECT_NE(why("//!READ luma\n//!WRITE a float32 shape=5\n//!MAP\na = x;\n").find("shape"),
            std::string::npos);
  EXPECT_NE(why("//!READ cb\n//!WRITE a uint8 size=1/2\n//!MAP\na = cb(0, 0);\n").find("'cb'"),
            std::string::npos);
}

// As a flat array of C: a loop over a[n], or over rows of another length.
TEST(KernelStageArrays, TakeATensorOfOtherRows) {
  constexpr Size kWide{48, 21};  // rows without gaps
  const std::string writer = write_file(
      "writer", "//!STAGE writer\n//!READ luma\n//!WRITE in float32\n//!MAP\nin = luma(0, 0);\n");
  const auto stages = [&](const std::string& name, const std::string& shape) {
    return "kernelstage location=" + writer + " ! kernelstage location=" +
           write_file(name, "//!STAGE reader\n//!READ in float32 shape=" + shape +
                                "\n//!WRITE out float32 shape=3,336\n//!MAP\n"
                                "out = in[336 * y + x] + 1;\n");
  };
  for (const char* shape : {"1008", "3,336", "48,21"}) {
    for (const char* mapping : {"cc", "gg"}) {
      if (*mapping == 'g' && !have_opencl_device()) continue;
      SCOPED_TRACE(std::string(shape) + " " + mapping);
      Stream stream(
          bin_of(stages("reader", shape), std::string("keep-tensors=true mapping=") + mapping),
          kWide, "GRAY8");
      const auto results = stream.run(2);
      ASSERT_EQ(indices(results), count_to(2));
      for (const Result& result : results) {
        const auto& out = result.tensors.at("out");
        ASSERT_EQ(out.size(), result.pixels.size());
        for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], result.pixels[i] + 1);
      }
    }
  }
  EXPECT_NE(error_of(stages("longer", "3,337")).find("it is float32 of 21x47"), std::string::npos);
}

TEST(KernelStageKept, BeginsAnew) {
  const std::string path = write_file("anew",
                                      "//!STAGE anew\n//!READ luma\n//!WRITE count float32 kept\n"
                                      "//!WRITE number float32\n"
                                      "//!MAP\ncount = count(0, 0) + 1;\nnumber = frame;\n");
  std::vector<std::string> ways{"kernelstage device=cpu location=" + path};
  for (const char* mapping : {"c threads=2", "g lanes=2"}) {
    if (*mapping == 'g' && !have_opencl_device()) continue;
    ways.push_back("tandembin cores=2 adapt=off opencl-device=any keep-tensors=true mapping=" +
                   std::string(mapping) + " stages=\"kernelstage location=" + path + "\"");
  }
  constexpr int kEach = 3;
  for (const std::string& way : ways) {
    SCOPED_TRACE(way);
    const auto all =
        pass_breaks(way, kSize, kEach, [](int index) { return make_frame(index, kSize); });
    int before = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(i == 0 ? "the beginning" : breaks()[i - 1].name);
      if (i > 0 && breaks()[i - 1].anew) before = 0;
      for (GstBuffer* buffer : all[i]) {
        ASSERT_TRUE(buffer);
        const Result result = read_result(buffer);
        gst_buffer_unref(buffer);
        EXPECT_EQ(result.tensors.at("number").at(0), before++);
        EXPECT_EQ(result.tensors.at("count").at(0), before);
      }
    }
  }
}

}  // namespace
}  // namespace tandem::test
