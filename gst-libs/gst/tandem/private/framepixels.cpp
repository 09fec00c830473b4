// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/framepixels.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tandem {
namespace {

// A thread copies smaller ones in the time of a device command (decision 54).
constexpr std::size_t kLargeBytes = std::size_t{64} << 10;

struct Luma {
  explicit Luma(const GstVideoFrame& video)
      : data(static_cast<uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&video, 0))),
        width(static_cast<std::size_t>(GST_VIDEO_FRAME_WIDTH(&video))),
        stride(static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&video, 0))),
        height(GST_VIDEO_FRAME_HEIGHT(&video)) {}

  std::size_t bytes() const { return width * static_cast<std::size_t>(height); }

  uint8_t* data;
  std::size_t width, stride;
  int height;
};

}  // namespace

bool takes_luma_from_device(const GstVideoFrame& video) {
  return Luma(video).bytes() >= kLargeBytes && gst_buffer_n_memory(video.buffer) > 0 &&
         gst_memory_is_type(gst_buffer_peek_memory(video.buffer, 0), kPageLockedType);
}

void take_luma(opencl::Buffer& from, const GstVideoFrame& video) {
  const Luma to(video);
  if (takes_luma_from_device(video) && from.download_rows(to.data, to.width, to.height, to.stride))
    return;
  const auto* const packed = static_cast<const uint8_t*>(from.host(opencl::Buffer::Access::read));
  for (int y = 0; y < to.height; ++y) {
    const auto row = static_cast<std::size_t>(y);
    std::copy_n(packed + row * to.width, to.width, to.data + row * to.stride);
  }
}

}  // namespace tandem
