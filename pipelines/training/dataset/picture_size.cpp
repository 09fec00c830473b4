// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset/picture_size.h"

#include <gst/base/gsttypefindhelper.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

#include "pipelines/training/dataset/photograph.h"

namespace tandem {
namespace {

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
  const std::unique_ptr<GstCaps, decltype([](GstCaps* caps) { gst_caps_unref(caps); })> caps(
      gst_type_find_helper_for_data(nullptr, reinterpret_cast<const guint8*>(header.data()),
                                    static_cast<gsize>(file.gcount()), nullptr));
  PictureSize size = size_in_png({header.data(), static_cast<std::size_t>(file.gcount())});
  if (!caps || size.width > 0) return size;
  const GstStructure* type = gst_caps_get_structure(caps.get(), 0);
  if (!gst_structure_get_int(type, "width", &size.width) ||
      !gst_structure_get_int(type, "height", &size.height) || size.width < 1 || size.height < 1)
    return {};
  return size;
}

}  // namespace

PictureSize picture_size(const std::string& path) {
  // A JPEG file may have a preview and a colour profile before its size.
  if (std::filesystem::is_regular_file(path))
    for (const std::size_t bytes : {std::size_t{4} << 10, std::size_t{1} << 20})
      if (const PictureSize size = size_in_header(path, bytes); size.width > 0) return size;
  const GreyImage picture = load_photograph(path);
  return {picture.width, picture.height};
}

}  // namespace tandem
