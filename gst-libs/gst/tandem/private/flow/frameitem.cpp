// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/flow/frameitem.h>
#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/gsttensors.h>
#include <gst/tandem/private/leftout.h>

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

// Leaves the part that is seen, of the size `info`, where an element only marks what is cut off.
void keep_seen(GstVideoFrame& video, const GstVideoCropMeta& crop, const GstVideoInfo& info) {
  const gint width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
  if (int64_t{crop.x} + width > GST_VIDEO_FRAME_WIDTH(&video) ||
      int64_t{crop.y} + height > GST_VIDEO_FRAME_HEIGHT(&video))
    return;
  const GstVideoFormatInfo* const format = video.info.finfo;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); ++c) {
    const guint plane = GST_VIDEO_FORMAT_INFO_PLANE(format, c);
    if (GST_VIDEO_FORMAT_INFO_POFFSET(format, c) != 0) continue;  // not the plane's first
    const auto x = static_cast<gint>(crop.x >> GST_VIDEO_FORMAT_INFO_W_SUB(format, c));
    const auto y = static_cast<gint>(crop.y >> GST_VIDEO_FORMAT_INFO_H_SUB(format, c));
    video.data[plane] = static_cast<guint8*>(video.data[plane]) +
                        y * GST_VIDEO_FRAME_PLANE_STRIDE(&video, plane) +
                        x * GST_VIDEO_FORMAT_INFO_PSTRIDE(format, c);
  }
  video.info.width = width;
  video.info.height = height;
}

}  // namespace

void FrameItem::keep(bool all) {
  keep_tensors = keep_all_ = all;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    slots[k].choice = stages[k]->tensor_choice();
    keep_tensors |= slots[k].choice && gst_tensors::are_available();
  }
}

bool FrameItem::stays(const GstTandemFrame& slot, TensorName tensor) const {
  return keep_all_ || (keep_tensors && slot.choice && slot.choice->has(tensor));
}

bool FrameItem::is_to_host(int stage) const {
  return keep_tensors && (keep_all_ || slots[static_cast<std::size_t>(stage)].choice);
}

bool FrameItem::open(GstBuffer* owned, const GstVideoInfo& info, bool writes_pixels) {
  buffer = owned;
  const GstMapFlags access = writes_pixels ? GST_MAP_READWRITE : GST_MAP_READ;
  const auto flags = static_cast<GstMapFlags>(int{access} | int{GST_VIDEO_FRAME_MAP_FLAG_NO_REF});
  mapped = gst_video_frame_map(&video, &info, buffer, flags);
  const GstVideoCropMeta* const crop = gst_buffer_get_video_crop_meta(buffer);
  if (mapped && crop) keep_seen(video, *crop, info);
  return mapped;
}

Plane<const uint8_t> FrameItem::previous_luma(const opencl::Queue* queue) const {
  if (!previous) return {};
  opencl::Buffer& dense = *tandem_memory_buffer(previous.get());
  if (queue) dense.lock_pages(*queue);
  const int width = GST_VIDEO_FRAME_WIDTH(&video);
  const auto* luma = static_cast<const uint8_t*>(dense.host(opencl::Buffer::Access::read));
  return {luma, width, GST_VIDEO_FRAME_HEIGHT(&video), width};
}

// The first lanes are of one device each, in the order of their numbers.
int FrameItem::device_of(const opencl::Error& error) const {
  if (error.device() < 0 || !error.context() || !queues) return -1;
  for (int d = 0; d < kMaxDevices && queues[d]; ++d)
    if (&queues[d]->context() == error.context() && queues[d]->device() == error.device()) return d;
  return -1;
}

void FrameItem::waits(int stage, int restart) {
  if (keep_all_) return;
  const auto is_read = [&](TensorName tensor, int from) {
    return std::ranges::any_of(stages.subspan(from), [&](const StageAdapter* reader) {
      return std::ranges::any_of(reader->description().inputs,
                                 [&](const auto& input) { return input.tensor == tensor; });
    });
  };
  // Repeated stages may come again: what they write, and what any of them reads.
  const bool repeats = repeat.holds(stage);
  for (int k = 0; k < stage; ++k) {
    if (repeats && repeat.holds(k)) continue;
    GstTandemFrame& slot = slots[k];
    const int from = k < restart ? restart : stage;
    for (int i = 0; i < kMaxTensors; ++i) {
      const TensorName tensor = slot.outputs[i].spec.name;
      if (!slot.memories[i] || stays(slot, tensor) ||
          is_read(tensor, repeats ? std::min(from, repeat.first) : from))
        continue;
      slot.memories[i].reset();
      slot.outputs[i] = {};
    }
    for (MemoryRef& input : slot.local_inputs) input.reset();
  }
}

void FrameItem::completed() {
  if (mapped) gst_video_frame_unmap(&video);
  mapped = false;
  previous.reset();
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (!slots[k].notice.empty()) stages[k]->post(std::exchange(slots[k].notice, {}));
  }
  if (buffer && keep_tensors && left_out != 0) mark_left_out(buffer);
  if (status.ok()) put_on_buffer();
  for (GstTandemFrame& slot : slots) {
    for (MemoryRef& output : slot.memories) output.reset();
    for (MemoryRef& input : slot.local_inputs) input.reset();
    slot.outputs.fill({});
    slot.work.reset();
    slot.choice.reset();
    slot.published = false;
  }
}

void FrameItem::put_on_buffer() {
  std::vector<const GstTandemTensorMeta*> chosen;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    GstTandemFrame& slot = slots[k];
    if (slot.choice && slot.work) stages[k]->check(*slot.choice, slot.work->outputs);
    for (int i = 0; i < kMaxTensors; ++i) {
      const TensorSpec& spec = slot.outputs[i].spec;
      if (!slot.memories[i] || spec.scratch || !stays(slot, spec.name)) continue;
      const auto* meta =
          gst_buffer_add_tandem_tensor_meta(buffer, spec.name.text(), spec.type, spec.dimensions,
                                            spec.shape.data(), slot.memories[i].release());
      if (meta && slot.choice && slot.choice->has(spec.name)) chosen.push_back(meta);
    }
  }
  if (!chosen.empty()) gst_tensors::add(buffer, chosen);
}

GstBuffer* FrameItem::close() {
  completed();
  return std::exchange(buffer, nullptr);
}

}  // namespace tandem
