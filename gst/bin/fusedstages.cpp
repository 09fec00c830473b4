// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/fusedstages.h"

#include <gst/tandem/private/framepixels.h>

#include <algorithm>

#include "gst/elements/kernelstage/stageprogram.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem {
namespace {

using Access = opencl::Buffer::Access;

Plane<uint8_t> pixels_of(const FrameItem& item, int component) {
  const GstVideoFrame& video = item.video;
  return {static_cast<uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&video, component)),
          GST_VIDEO_FRAME_COMP_WIDTH(&video, component),
          GST_VIDEO_FRAME_COMP_HEIGHT(&video, component),
          GST_VIDEO_FRAME_COMP_STRIDE(&video, component)};
}

}  // namespace

void FusedStages::compile(const std::shared_ptr<opencl::Context>& context) {
  const auto attempt = [&](const char* side, auto&& body) {
    try {
      body();
    } catch (const std::exception& error) {
      GST_INFO("stages %zu and %zu behind it are not fused on %s: %s", first_,
               fused_.file.parts.size() - 1, side, error.what());
    }
  };
  if (!std::exchange(tried_host_, true) && has_cores(fused_.file)) {
    attempt("the cores", [&] {
      host_ = std::make_unique<HostStage>(fused_.file, fused_.plan);
      has_host_ = true;
    });
  }
  if (context && !std::exchange(tried_device_, true)) {
    attempt("the device", [&] {
      device_ = std::make_unique<StageFileOpenCL>(*context, fused_.file, fused_.plan);
      has_device_ = true;
    });
  }
}

const StageFileWork& FusedStages::work(const FrameItem::Slot& slot) {
  return static_cast<const StageFileWork&>(*static_cast<const StageWork*>(slot.work->work->data()));
}

const StageFileWork::Place& FusedStages::place(FrameItem& item, std::size_t tensor) const {
  return work(slot(item, tensor)).place(static_cast<std::size_t>(fused_.origins[tensor].tensor));
}

bool FusedStages::is_output(FrameItem& item, std::size_t tensor) const {
  const StageFileWork::Place& at = place(item, tensor);
  return at.output >= 0 && at.component < 0;
}

SlotTensor& FusedStages::output(FrameItem& item, std::size_t tensor) const {
  return slot(item, tensor).frame.outputs[static_cast<std::size_t>(place(item, tensor).output)];
}

SlotTensor& FusedStages::input(FrameItem& item, std::size_t tensor) const {
  return slot(item, tensor).frame.inputs[static_cast<std::size_t>(place(item, tensor).input)];
}

StageView FusedStages::view(const FrameItem& item, std::size_t tensor, void* data) const {
  const StageShape& shape = fused_.plan.tensors[tensor].shape;
  const int columns = shape.columns(GST_VIDEO_FRAME_WIDTH(&item.video));
  return {data, columns, columns, shape.rows(GST_VIDEO_FRAME_HEIGHT(&item.video))};
}

// Each stage has the values that its own work was made with.
StageCall FusedStages::call(FrameItem& item, const Views& views, Values& values) const {
  std::size_t count = 0;
  for (std::size_t k = 0; count < fused_.file.parameters.size(); ++k)
    for (const StageValue value : work(item.slots[first_ + k]).parameters())
      values[count++] = value;
  return {.width = GST_VIDEO_FRAME_WIDTH(&item.video),
          .height = GST_VIDEO_FRAME_HEIGHT(&item.video),
          .parameters = values.data(),
          .tensors = views.data()};
}

void FusedStages::begin(FrameItem& item) const {
  // Inputs first: an output may be one of them.
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    const StageFileWork::Place& at = place(item, i);
    SlotFrame& frame = slot(item, i).frame;
    if (at.input >= 0)
      frame.host_inputs[static_cast<std::size_t>(at.input)] =
          input(item, i).buffer->host(Access::read);
    if (at.interleaved)
      frame.host_outputs[static_cast<std::size_t>(at.output)] =
          output(item, i).buffer->host(Access::read);
  }
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    if (is_output(item, i))
      slot(item, i).frame.host_outputs[static_cast<std::size_t>(place(item, i).output)] =
          output(item, i).buffer->host(Access::write);
  }
}

int FusedStages::rows(const FrameItem& item) const {
  return host_->rows(
      {.width = GST_VIDEO_FRAME_WIDTH(&item.video), .height = GST_VIDEO_FRAME_HEIGHT(&item.video)});
}

void FusedStages::compute(FrameItem& item, Rows rows) const {
  Views views;
  Values values;
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    const StageFileWork::Place& at = place(item, i);
    const SlotFrame& frame = slot(item, i).frame;
    if (at.component >= 0 && !at.interleaved) {
      const Plane<uint8_t> pixels = pixels_of(item, at.component);
      views[i] = {pixels.data, pixels.stride, pixels.width, pixels.height};
    } else {
      views[i] = view(item, i,
                      at.input >= 0 ? frame.host_inputs[static_cast<std::size_t>(at.input)]
                                    : frame.host_outputs[static_cast<std::size_t>(at.output)]);
    }
  }
  host_->compute(call(item, views, values), rows);
}

void FusedStages::enqueue(FrameItem& item, opencl::Queue& queue) const {
  Views views;
  Values values;
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    const StageFileWork::Place& at = place(item, i);
    if (at.component >= 0) {
      opencl::Buffer& packed = *output(item, i).buffer;
      if (!at.interleaved) {
        const Plane<uint8_t> pixels = pixels_of(item, at.component);
        packed.enqueue_upload_rows(queue, pixels.data, static_cast<std::size_t>(pixels.width),
                                   pixels.height, static_cast<std::size_t>(pixels.stride));
      }
      views[i] = view(item, i, packed.device(queue, Access::read));
    } else if (at.input >= 0) {
      views[i] = view(item, i, input(item, i).buffer->device(queue, Access::read));
    }
  }
  for (std::size_t i = 0; i < fused_.origins.size(); ++i)
    if (is_output(item, i))
      views[i] = view(item, i, output(item, i).buffer->device(queue, Access::write));
  device_->enqueue(queue, call(item, views, values));
  if (fused_.luma >= 0 && !takes_luma_from_device(item.video))
    output(item, static_cast<std::size_t>(fused_.luma)).buffer->enqueue_download(queue);
}

// The frame gets its luma when all of the stages are done: until then they can be computed again.
void FusedStages::finish(FrameItem& item) const {
  if (fused_.luma < 0) return;
  take_luma(*output(item, static_cast<std::size_t>(fused_.luma)).buffer, item.video);
}

}  // namespace tandem
