// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <random>
#include <vector>

namespace tandem {

struct Size {
  int width, height;
};

/// Grey frames with some texture, owned by the caller.
inline std::vector<GstBuffer*> make_frames(Size size, int count = 32) {
  std::mt19937 random(1);
  std::vector<GstBuffer*> frames;
  for (int i = 0; i < count; ++i) {
    const gsize stride = GST_ROUND_UP_4(size.width);  // as in GstVideoInfo
    const gsize bytes = stride * size.height;
    GstBuffer* frame = gst_buffer_new_allocate(nullptr, bytes, nullptr);
    GstMapInfo map;
    gst_buffer_map(frame, &map, GST_MAP_WRITE);
    for (gsize p = 0; p < bytes; ++p)
      map.data[p] = static_cast<guint8>((p % stride) / 3 + random() % 64);
    gst_buffer_unmap(frame, &map);
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace tandem
