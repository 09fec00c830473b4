// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/flow/previousluma.h>

#include <cstring>
#include <utility>

namespace tandem {

void PreviousLuma::pass(FrameItem& item, const std::shared_ptr<opencl::Context>& context) {
  const int width = GST_VIDEO_FRAME_WIDTH(&item.video);
  const int height = GST_VIDEO_FRAME_HEIGHT(&item.video);
  const GstVideoFormat format = GST_VIDEO_FRAME_FORMAT(&item.video);
  if (width != width_ || height != height_ || format != format_) {
    last_.reset();
    format_ = format;
    width_ = width;
    height_ = height;
    pool_.reset();
  }
  if (!pool_ || context != context_) {
    context_ = context;
    pool_ = std::make_shared<TensorPool>(
        context, static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  }
  item.previous = std::move(last_);
  last_ = pool_->acquire();
  auto* to =
      static_cast<uint8_t*>(tandem_memory_buffer(last_.get())->host(opencl::Buffer::Access::write));
  const auto* from = static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&item.video, 0));
  for (int y = 0; y < height;
       ++y, to += width, from += GST_VIDEO_FRAME_PLANE_STRIDE(&item.video, 0))
    std::memcpy(to, from, static_cast<std::size_t>(width));
}

}  // namespace tandem
