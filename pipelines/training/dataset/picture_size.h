// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

struct PictureSize {
  int width = 0, height = 0;  ///< pixels
};

/// The size of a picture, from its header where GStreamer finds it there, else by decoding it.
/// Throws std::runtime_error that names the file. Needs gst_init.
PictureSize picture_size(const std::string& path);

}  // namespace tandem
