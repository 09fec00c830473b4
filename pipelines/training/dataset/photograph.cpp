// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset/photograph.h"

#include <gst/app/gstappsink.h>
#include <gst/base/gsttypefindhelper.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>

#include "files/ascii.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

using Element = ObjectRef<GstElement>;

// A decoder that neither delivers a picture nor fails is given up after this time.
constexpr GstClockTime kPatience = 30 * GST_SECOND;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw std::runtime_error("photograph '" + path + "' cannot be read: " + why);
}

Element decoder_of(const std::string& path, const char* format) {
  GError* error = nullptr;
  const std::string launch =
      "filesrc name=file ! decodebin ! videoconvert ! appsink name=frames sync=false "
      "caps=video/x-raw,format=" +
      std::string(format);
  Element pipeline(gst_parse_launch(launch.c_str(), &error));
  if (error) {
    const std::string why = error->message;
    g_error_free(error);
    fail(path, why + " (are GStreamer's base plugins installed?)");
  }
  const Element file(gst_bin_get_by_name(GST_BIN(pipeline.get()), "file"));
  g_object_set(file.get(), "location", path.c_str(), nullptr);
  return pipeline;
}

/// Waits until the first frame has reached the sink of a pipeline that is going to PAUSED.
void wait_for_frame(GstElement* pipeline, const std::string& path) {
  const ObjectRef<GstBus> bus(gst_element_get_bus(pipeline));
  const MiniObjectRef<GstMessage> message(gst_bus_timed_pop_filtered(
      bus.get(), kPatience,
      static_cast<GstMessageType>(GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_ERROR)));
  if (!message) fail(path, "the decoder did not respond within 30 s");
  if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR) {
    GError* error = nullptr;
    gst_message_parse_error(message.get(), &error, nullptr);
    const std::string why = error->message;
    g_error_free(error);
    fail(path, why);
  }
}

GreyImage copy_frame(GstSample* sample, const std::string& path) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
    fail(path, "its picture cannot be mapped");
  GreyImage image{GST_VIDEO_FRAME_WIDTH(&frame), GST_VIDEO_FRAME_HEIGHT(&frame), {}};
  const Plane<const uint8_t> luma{
      static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)), image.width, image.height,
      GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0)};
  image.pixels.reserve(static_cast<std::size_t>(image.width) * image.height);
  for (int y = 0; y < image.height; ++y)
    image.pixels.insert(image.pixels.end(), luma.row(y), luma.row(y) + image.width);
  gst_video_frame_unmap(&frame);
  return image;
}

/// A PNG file begins with its size: GStreamer's typefinder does not say it.
PictureSize size_in_png(std::string_view header) {
  constexpr std::string_view kBegin = "\x89PNG\r\n\x1a\n";
  constexpr std::size_t kWidth = 16, kHeight = 20, kEnd = 24;
  if (!header.starts_with(kBegin) || header.size() < kEnd) return {};
  const auto number = [&](std::size_t at) {
    return GST_READ_UINT32_BE(reinterpret_cast<const guint8*>(header.data()) + at);
  };
  constexpr uint32_t kMost = 1u << 30;
  if (number(kWidth) - 1 >= kMost || number(kHeight) - 1 >= kMost) return {};
  return {static_cast<int>(number(kWidth)), static_cast<int>(number(kHeight))};
}

/// Width and height of 0 when the first `bytes` do not say them.
PictureSize size_in_header(const std::string& path, std::size_t bytes) {
  std::vector<char> header(bytes);
  std::ifstream file(path, std::ios::binary);
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  const CapsRef caps(gst_type_find_helper_for_data(nullptr,
                                                   reinterpret_cast<const guint8*>(header.data()),
                                                   static_cast<gsize>(file.gcount()), nullptr));
  PictureSize size = size_in_png({header.data(), static_cast<std::size_t>(file.gcount())});
  if (!caps || size.width > 0) return size;
  const GstStructure* type = gst_caps_get_structure(caps.get(), 0);
  if (!gst_structure_get_int(type, "width", &size.width) ||
      !gst_structure_get_int(type, "height", &size.height) || size.width < 1 || size.height < 1)
    return {};
  return size;
}

/// `around` holds the true paths of the folders that this one is in.
void collect_files(const fs::path& folder, std::vector<fs::path>& around,
                   std::vector<std::string>& files) {
  const fs::path true_path = fs::canonical(folder);
  if (std::find(around.begin(), around.end(), true_path) != around.end()) return;
  around.push_back(true_path);
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) collect_files(entry.path(), around, files);
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  around.pop_back();
}

}  // namespace

MiniObjectRef<GstSample> load_frame(const std::string& path, const char* format) {
  if (!fs::is_regular_file(path)) fail(path, "there is no such file");
  const Element pipeline = decoder_of(path, format);
  // Runs before the pipeline is released, also when something below throws.
  const std::unique_ptr<GstElement,
                        decltype([](GstElement* p) { gst_element_set_state(p, GST_STATE_NULL); })>
      stop(pipeline.get());
  gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
  wait_for_frame(pipeline.get(), path);
  const Element sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "frames"));
  MiniObjectRef<GstSample> sample(gst_app_sink_try_pull_preroll(GST_APP_SINK(sink.get()), 0));
  if (!sample) fail(path, "it holds no picture");
  return sample;
}

GreyImage load_photograph(const std::string& path) {
  return copy_frame(load_frame(path, "GRAY8").get(), path);
}

PictureSize picture_size(const std::string& path) {
  // A JPEG file may have a preview and a colour profile before its size.
  if (fs::is_regular_file(path))
    for (const std::size_t bytes : {std::size_t{4} << 10, std::size_t{1} << 20})
      if (const PictureSize size = size_in_header(path, bytes); size.width > 0) return size;
  const GreyImage picture = load_photograph(path);
  return {picture.width, picture.height};
}

GreyImage mirrored(const GreyImage& image) {
  GreyImage mirror = image;
  for (int y = 0; y < image.height; ++y) {
    const auto row = mirror.pixels.begin() + static_cast<std::ptrdiff_t>(y) * image.width;
    std::reverse(row, row + image.width);
  }
  return mirror;
}

std::vector<std::string> files_below(const std::string& folder) {
  if (!fs::is_directory(folder)) throw std::runtime_error("there is no folder '" + folder + "'");
  std::vector<std::string> files;
  std::vector<fs::path> around;
  collect_files(folder, around, files);
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> photographs_below(const std::string& folder) {
  static const std::set<std::string> kExtensions = {".jpg", ".jpeg", ".png",
                                                    ".bmp", ".pgm",  ".ppm"};
  std::vector<std::string> paths = files_below(folder);
  std::erase_if(paths, [](const std::string& path) {
    return !kExtensions.contains(ascii_lower(fs::path(path).extension().string()));
  });
  return paths;
}

}  // namespace tandem
