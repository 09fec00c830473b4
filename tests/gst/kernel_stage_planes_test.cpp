// SPDX-License-Identifier: LGPL-2.1-or-later
// kernelstage reads planes of chroma, whatever format has them.
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

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
              path + " reads cb of 24x11, and " + format + " has none of that size");
  }
}

}  // namespace
}  // namespace tandem::test
