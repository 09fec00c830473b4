// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/plane.h"

namespace tandem {

/// A grey picture: width x height bytes, rows without gaps.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;
  Plane<const uint8_t> plane() const { return {pixels.data(), width, height, width}; }
};

/// Decodes the first frame of a file with GStreamer into a raw video format such as "I420". Safe
/// from many threads. Throws std::runtime_error with the file and the fault. Needs
/// gst_init.
MiniObjectRef<GstSample> load_frame(const std::string& path, const char* format);

/// The luma of that frame. Throws as load_frame() does.
GreyImage load_photograph(const std::string& path);

struct PictureSize {
  int width = 0, height = 0;  ///< pixels
};

/// The size of a picture, from its header where GStreamer finds it there, else by decoding it.
/// Throws as load_photograph() does.
PictureSize picture_size(const std::string& path);

/// Left and right exchanged.
GreyImage mirrored(const GreyImage& image);

/// The regular files below a folder, sorted by path. Links to folders are followed, but not into a
/// folder around them.
std::vector<std::string> files_below(const std::string& folder);

/// The pictures below a folder (.jpg .jpeg .png .bmp .pgm .ppm), sorted by path.
std::vector<std::string> photographs_below(const std::string& folder);

}  // namespace tandem
