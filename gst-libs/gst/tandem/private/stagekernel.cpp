// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/frame.h>
#include <gst/tandem/private/stagekernel.h>

#include <array>

namespace tandem {

bool StageKernel::add_argument(opencl::SourceKernel::Argument value) {
  if (arguments_.size() == kMostArguments) return false;
  arguments_.push_back(value);
  return true;
}

void StageKernel::build(opencl::Context& context, const _GstTandemDescription& description) {
  kernel_ = std::make_unique<opencl::SourceKernel>(context, description.kernel_source,
                                                   description.kernel_name);
}

void StageKernel::enqueue(GstTandemFrame& frame, opencl::Queue& queue) const {
  using Access = opencl::Buffer::Access;
  std::array<opencl::SourceKernel::Argument, 2 * kMaxTensors + 3 + kMostArguments> arguments;
  std::size_t count = 0;
  if (luma_ >= 0) {
    const GstVideoFrame* const video = frame.video;
    const auto width = GST_VIDEO_FRAME_WIDTH(video);
    const auto height = GST_VIDEO_FRAME_HEIGHT(video);
    opencl::Buffer& packed = *frame.outputs[static_cast<std::size_t>(luma_)].buffer;
    packed.enqueue_upload_rows(queue, GST_VIDEO_FRAME_PLANE_DATA(video, 0),
                               static_cast<std::size_t>(width), height,
                               static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(video, 0)));
    arguments[count++] = packed.device(queue, Access::read);
    arguments[count++] = width;
    arguments[count++] = height;
  }
  for (std::size_t i = 0; i < frame.work->inputs.size(); ++i)
    arguments[count++] = frame.inputs[i].buffer->device(queue, Access::read);
  for (std::size_t i = 0; i < frame.work->outputs.size(); ++i)
    if (static_cast<int>(i) != luma_)
      arguments[count++] = frame.outputs[i].buffer->device(queue, Access::write);
  for (const auto& value : arguments_) arguments[count++] = value;
  kernel_->enqueue(queue, items_, {arguments.data(), count});
}

}  // namespace tandem
