// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/frame.h>
#include <gst/tandem/private/classwork.h>
#include <gst/tandem/private/framepixels.h>
#include <gst/tandem/private/tensorpool.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "kernels/opencl/handles.h"

using tandem::SlotTensor;
using tandem::opencl::Buffer;
using Inside = _GstTandemFrame::Inside;

const GstStructure* gst_tandem_frame_get_settings(const GstTandemFrame* frame) {
  return frame->work.values();
}

gpointer gst_tandem_frame_get_data(const GstTandemFrame* frame) { return frame->work.data(); }

const GstVideoFrame* gst_tandem_frame_get_video(const GstTandemFrame* frame) {
  return frame->frame.video;
}

guint8* gst_tandem_frame_get_luma(const GstTandemFrame* frame, gsize* stride) {
  const GstVideoFrame* video = frame->frame.video;
  *stride = static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(video, 0));
  return static_cast<guint8*>(GST_VIDEO_FRAME_PLANE_DATA(video, 0));
}

const guint8* gst_tandem_frame_get_previous_luma(const GstTandemFrame* frame, gsize* stride) {
  *stride = static_cast<gsize>(frame->frame.previous.stride);
  return frame->frame.previous.data;
}

gconstpointer gst_tandem_frame_get_input(GstTandemFrame* frame, guint input) {
  g_return_val_if_fail(input < tandem::kMaxTensors, nullptr);
  if (frame->inside == Inside::compute) return frame->frame.host_inputs[input];
  Buffer* const buffer = frame->frame.inputs[input].buffer;
  if (!buffer || frame->inside == Inside::enqueue) return nullptr;
  return frame->attempt([&] { return buffer->host(Buffer::Access::read); });
}

gpointer gst_tandem_frame_get_output(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors, nullptr);
  if (frame->inside == Inside::compute) return frame->frame.host_outputs[output];
  Buffer* const buffer = frame->frame.outputs[output].buffer;
  if (!buffer || frame->inside == Inside::enqueue) return nullptr;
  const auto access = frame->inside == Inside::prepare ? Buffer::Access::write
                      : frame->inside == Inside::join  ? Buffer::Access::read_write
                                                       : Buffer::Access::read;
  return frame->attempt([&] { return buffer->host(access); });
}

GstMemory* gst_tandem_frame_get_output_memory(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors, nullptr);
  return frame->frame.outputs[output].memory;
}

static gpointer on_device(GstTandemFrame* frame, Buffer* buffer, Buffer::Access access) {
  g_return_val_if_fail(frame->queue && buffer, nullptr);
  return frame->attempt([&] { return buffer->device(*frame->queue, access); });
}

gpointer gst_tandem_frame_get_device_input(GstTandemFrame* frame, guint input) {
  g_return_val_if_fail(input < tandem::kMaxTensors, nullptr);
  return on_device(frame, frame->frame.inputs[input].buffer, Buffer::Access::read);
}

gpointer gst_tandem_frame_get_device_output(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors, nullptr);
  return on_device(frame, frame->frame.outputs[output].buffer, Buffer::Access::write);
}

gpointer gst_tandem_frame_get_device_memory(GstTandemFrame* frame, GstMemory* memory) {
  return on_device(frame, tandem::tandem_memory_buffer(memory), Buffer::Access::read);
}

guint gst_tandem_frame_get_device(const GstTandemFrame* frame) {
  g_return_val_if_fail(frame->queue, 0);
  return static_cast<guint>(frame->queue->device());
}

gint gst_tandem_frame_get_first_row(const GstTandemFrame* frame) { return frame->band.begin; }

gpointer gst_tandem_frame_upload(GstTandemFrame* frame, guint output, gconstpointer data,
                                 gsize row_bytes, gint rows, gsize stride) {
  g_return_val_if_fail(output < tandem::kMaxTensors && frame->queue, nullptr);
  const SlotTensor& scratch = frame->frame.outputs[output];
  g_return_val_if_fail(scratch.buffer && scratch.spec.scratch, nullptr);
  int& uploaded = frame->frame.uploaded[output];
  const int first = frame->in_bands() ? std::min(uploaded, rows) : 0;
  return frame->attempt([&] {
    if (first < rows) {
      scratch.buffer->enqueue_upload_rows(
          *frame->queue, static_cast<const std::byte*>(data) + static_cast<gsize>(first) * stride,
          row_bytes, rows - first, stride, first);
    }
    uploaded = rows;
    return scratch.buffer->device(*frame->queue, Buffer::Access::read);
  });
}

gboolean gst_tandem_frame_download(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors && frame->queue, FALSE);
  Buffer* const buffer = frame->frame.outputs[output].buffer;
  g_return_val_if_fail(buffer, FALSE);
  return frame->attempt([&] {
    if (frame->in_bands()) {
      frame->work.download_band(frame->frame, *frame->queue, static_cast<int>(output), frame->band);
    } else {
      buffer->enqueue_download(*frame->queue);
    }
    return TRUE;
  });
}

static bool has_luma(const GstTandemFrame* frame, guint output) {
  if (output >= tandem::kMaxTensors) return false;
  const Buffer* const buffer = frame->frame.outputs[output].buffer;
  const auto width = static_cast<gsize>(GST_VIDEO_FRAME_WIDTH(frame->frame.video));
  return buffer &&
         buffer->size() >= width * static_cast<gsize>(GST_VIDEO_FRAME_HEIGHT(frame->frame.video));
}

gboolean gst_tandem_frame_download_luma(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(frame->queue && has_luma(frame, output), FALSE);
  if (frame->whole && tandem::takes_luma_from_device(*frame->frame.video)) return TRUE;
  return gst_tandem_frame_download(frame, output);
}

gboolean gst_tandem_frame_take_luma(GstTandemFrame* frame, guint output) {
  if (!has_luma(frame, output)) {
    gst_tandem_frame_fail(frame, "the stage takes luma from an output that is smaller");
    g_return_val_if_reached(FALSE);
  }
  return frame->attempt([&] {
    tandem::take_luma(*frame->frame.outputs[output].buffer, *frame->frame.video);
    return TRUE;
  });
}

gboolean gst_tandem_frame_keep_pace(GstTandemFrame* frame) {
  g_return_val_if_fail(frame->queue, FALSE);
  return frame->attempt([&] {
    tandem::opencl::keep_pace(*frame->queue);
    return TRUE;
  });
}

void gst_tandem_frame_fail(GstTandemFrame* frame, const gchar* why) {
  if (!frame->problem) frame->problem = std::make_exception_ptr(std::runtime_error(why));
}

gboolean gst_tandem_frame_is_stopped(const GstTandemFrame* frame) {
  return frame->frame.stop && *frame->frame.stop;
}
