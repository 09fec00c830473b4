// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/stage/stagework.h"

#include <algorithm>

#include "gst/stage/splitwork.h"

namespace tandem {

std::size_t TensorSpec::elements() const {
  std::size_t n = 1;
  for (guint d = 0; d < dimensions; ++d) n *= shape[d];
  return n;
}

std::size_t TensorSpec::bytes() const {
  return elements() * (type == GST_TANDEM_ELEMENT_TYPE_UINT8 ? 1 : 4);
}

bool TensorSpec::operator==(const TensorSpec& other) const {
  return name == other.name && type == other.type && dimensions == other.dimensions &&
         shape == other.shape && scratch == other.scratch;
}

TensorSpec TensorSpec::of_pixels(const char* name, int width, int height, bool device) {
  const gsize pixels = static_cast<gsize>(width) * static_cast<gsize>(height);
  return {name, GST_TANDEM_ELEMENT_TYPE_UINT8, 1, {device ? pixels : 0}, true};
}

Plane<uint8_t> StageFrame::luma() const {
  return {static_cast<uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(video, 0)), GST_VIDEO_FRAME_WIDTH(video),
          GST_VIDEO_FRAME_HEIGHT(video), GST_VIDEO_FRAME_PLANE_STRIDE(video, 0)};
}

std::size_t SplitWork::row_begin(int output, int row) const {
  const std::size_t all = outputs_[output].bytes() / static_cast<std::size_t>(planes(output));
  return rows() > 0 ? all / static_cast<std::size_t>(rows()) * static_cast<std::size_t>(row) : 0;
}

opencl::DevicePlane StageFrame::upload(Plane<const uint8_t> pixels, int i, opencl::Queue& queue,
                                       int end) const {
  opencl::Buffer& packed = *outputs[i].buffer;
  packed.enqueue_upload_rows(queue, pixels.data, static_cast<std::size_t>(pixels.width),
                             std::clamp(end, 0, pixels.height),
                             static_cast<std::size_t>(pixels.stride));
  return {packed.device(queue, opencl::Buffer::Access::read), 0, pixels.width, pixels.height,
          pixels.width};
}

}  // namespace tandem
