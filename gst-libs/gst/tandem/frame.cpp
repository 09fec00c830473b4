// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/frame.h>
#include <gst/tandem/private/frame.h>
#include <gst/tandem/private/framepixels.h>
#include <gst/tandem/private/tensorpool.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <stdexcept>

#include "kernels/opencl/handles.h"

using tandem::SlotTensor;
using tandem::opencl::Buffer;
using Inside = _GstTandemFrame::Inside;

void _GstTandemFrame::forget_outputs() {
  for (tandem::MemoryRef& memory : memories) memory.reset();
  outputs.fill({});
}

void _GstTandemFrame::DeviceCall::begin(tandem::opencl::Queue& on, bool all_rows,
                                        tandem::Rows rows) {
  problem.forget();
  queue = &on;
  whole = all_rows;
  band = rows;
  thread.store(std::this_thread::get_id(), std::memory_order_relaxed);
}

void _GstTandemFrame::DeviceCall::end() {
  thread.store({}, std::memory_order_relaxed);
  band = {};
  whole = false;
  queue = nullptr;
}

template <typename Call>
void _GstTandemFrame::enqueue_by(tandem::opencl::Queue& queue, bool whole, tandem::Rows band,
                                 Call&& call) {
  gpointer const commands = work->takes_deferred ? nullptr : tandem::opencl::command_queue(queue);
  GError* error = nullptr;
  {
    struct End {
      DeviceCall& call;
      ~End() { call.end(); }
    } const end{device};
    device.begin(queue, whole, band);
    if (call(work->klass(), commands, &error) && !device.problem.first) return;
  }
  const std::string why = error ? error->message : "the stage reported no reason";
  g_clear_error(&error);
  // Commands enqueued before use memory of the frame, which others get after this.
  device.problem.attempt([&] {
    queue.finish();
    return true;
  });
  device.problem.rethrow();
  throw tandem::opencl::Error(why);
}

void _GstTandemFrame::enqueue(tandem::opencl::Queue& queue) {
  if (work->kernel.is_built()) return work->kernel.enqueue(*this, queue);
  enqueue_by(queue, true, {}, [&](GstTandemStageClass* klass, gpointer commands, GError** error) {
    return klass->enqueue ? klass->enqueue(work->stage, this, commands, error)
                          : klass->enqueue_rows(work->stage, this, work->rows, commands, error);
  });
}

void _GstTandemFrame::enqueue_first(tandem::opencl::Queue& queue, int end) {
  enqueue_by(queue, false, {}, [&](GstTandemStageClass* klass, gpointer commands, GError** error) {
    return klass->enqueue_rows(work->stage, this, end, commands, error);
  });
}

void _GstTandemFrame::enqueue_band(tandem::opencl::Queue& queue, tandem::Rows rows) {
  if (rows.begin == 0) uploaded.fill(0);
  enqueue_by(queue, false, rows,
             [&](GstTandemStageClass* klass, gpointer commands, GError** error) {
               return klass->enqueue_rows(work->stage, this, rows.end, commands, error);
             });
}

void _GstTandemFrame::download_rows(tandem::opencl::Queue& queue, int output,
                                    tandem::Rows rows) const {
  Buffer& buffer = *outputs[static_cast<std::size_t>(output)].buffer;
  const bool last = rows.end == work->rows;
  const int parts = work->planes[static_cast<std::size_t>(output)];
  if (parts > 0) {
    buffer.enqueue_download_part(
        queue, {parts, work->row_begin(output, rows.begin), work->row_begin(output, rows.end)},
        last);
  } else if (last) {
    buffer.enqueue_download(queue);
  }
}

const GstStructure* gst_tandem_frame_get_settings(const GstTandemFrame* frame) {
  return frame->work->settings->values.get();
}

gpointer gst_tandem_frame_get_data(const GstTandemFrame* frame) { return frame->work->data.get(); }

const GstVideoFrame* gst_tandem_frame_get_video(const GstTandemFrame* frame) {
  return frame->video;
}

guint8* gst_tandem_frame_get_luma(const GstTandemFrame* frame, gsize* stride) {
  const GstVideoFrame* video = frame->video;
  *stride = static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(video, 0));
  return static_cast<guint8*>(GST_VIDEO_FRAME_PLANE_DATA(video, 0));
}

const guint8* gst_tandem_frame_get_previous_luma(const GstTandemFrame* frame, gsize* stride) {
  *stride = static_cast<gsize>(frame->previous.stride);
  return frame->previous.data;
}

gconstpointer gst_tandem_frame_get_input(GstTandemFrame* frame, guint input) {
  g_return_val_if_fail(input < tandem::kMaxTensors, nullptr);
  if (frame->enqueues()) return nullptr;
  if (frame->host.computes()) return frame->host_inputs[input];
  Buffer* const buffer = frame->inputs[input].buffer;
  if (!buffer) return nullptr;
  return frame->host.problem.attempt([&] { return buffer->host(Buffer::Access::read); });
}

gpointer gst_tandem_frame_get_output(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors, nullptr);
  if (frame->enqueues()) return nullptr;
  if (frame->host.computes()) return frame->host_outputs[output];
  Buffer* const buffer = frame->outputs[output].buffer;
  if (!buffer) return nullptr;
  const auto access = frame->host.inside == Inside::prepare ? Buffer::Access::write
                      : frame->host.inside == Inside::join  ? Buffer::Access::read_write
                                                            : Buffer::Access::read;
  return frame->host.problem.attempt([&] { return buffer->host(access); });
}

GstMemory* gst_tandem_frame_get_output_memory(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors, nullptr);
  return frame->outputs[output].memory;
}

static gpointer on_device(GstTandemFrame* frame, Buffer* buffer, Buffer::Access access) {
  g_return_val_if_fail(frame->device.queue && buffer, nullptr);
  return frame->device.problem.attempt(
      [&] { return buffer->device(*frame->device.queue, access); });
}

gpointer gst_tandem_frame_get_device_input(GstTandemFrame* frame, guint input) {
  g_return_val_if_fail(input < tandem::kMaxTensors, nullptr);
  return on_device(frame, frame->inputs[input].buffer, Buffer::Access::read);
}

gpointer gst_tandem_frame_get_device_output(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors, nullptr);
  return on_device(frame, frame->outputs[output].buffer, Buffer::Access::write);
}

gpointer gst_tandem_frame_get_device_memory(GstTandemFrame* frame, GstMemory* memory) {
  return on_device(frame, tandem::tandem_memory_buffer(memory), Buffer::Access::read);
}

guint gst_tandem_frame_get_device(const GstTandemFrame* frame) {
  g_return_val_if_fail(frame->device.queue, 0);
  return static_cast<guint>(frame->device.queue->device());
}

gint gst_tandem_frame_get_first_row(const GstTandemFrame* frame) {
  return frame->device.band.begin;
}

gpointer gst_tandem_frame_upload(GstTandemFrame* frame, guint output, gconstpointer data,
                                 gsize row_bytes, gint rows, gsize stride) {
  g_return_val_if_fail(output < tandem::kMaxTensors && frame->device.queue, nullptr);
  const SlotTensor& scratch = frame->outputs[output];
  g_return_val_if_fail(scratch.buffer && scratch.spec.scratch, nullptr);
  int& uploaded = frame->uploaded[output];
  const int first = frame->device.in_bands() ? std::min(uploaded, rows) : 0;
  return frame->device.problem.attempt([&] {
    if (first < rows) {
      scratch.buffer->enqueue_upload_rows(
          *frame->device.queue,
          static_cast<const std::byte*>(data) + static_cast<gsize>(first) * stride, row_bytes,
          rows - first, stride, first);
    }
    uploaded = rows;
    return scratch.buffer->device(*frame->device.queue, Buffer::Access::read);
  });
}

gboolean gst_tandem_frame_download(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors && frame->device.queue, FALSE);
  Buffer* const buffer = frame->outputs[output].buffer;
  g_return_val_if_fail(buffer, FALSE);
  return frame->device.problem.attempt([&] {
    if (frame->device.in_bands()) {
      frame->download_rows(*frame->device.queue, static_cast<int>(output), frame->device.band);
    } else {
      buffer->enqueue_download(*frame->device.queue);
    }
    return TRUE;
  });
}

static bool has_luma(const GstTandemFrame* frame, guint output) {
  if (output >= tandem::kMaxTensors) return false;
  const Buffer* const buffer = frame->outputs[output].buffer;
  const auto width = static_cast<gsize>(GST_VIDEO_FRAME_WIDTH(frame->video));
  return buffer &&
         buffer->size() >= width * static_cast<gsize>(GST_VIDEO_FRAME_HEIGHT(frame->video));
}

gboolean gst_tandem_frame_download_luma(GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(frame->device.queue && has_luma(frame, output), FALSE);
  if (frame->device.whole && tandem::takes_luma_from_device(*frame->video)) return TRUE;
  return gst_tandem_frame_download(frame, output);
}

gboolean gst_tandem_frame_take_luma(GstTandemFrame* frame, guint output) {
  if (!has_luma(frame, output)) {
    gst_tandem_frame_fail(frame,
                          "the output that the stage copies to luma is smaller than the frame");
    g_return_val_if_reached(FALSE);
  }
  return frame->host.problem.attempt([&] {
    tandem::take_luma(*frame->outputs[output].buffer, *frame->video);
    return TRUE;
  });
}

gboolean gst_tandem_frame_keep_pace(GstTandemFrame* frame) {
  g_return_val_if_fail(frame->device.queue, FALSE);
  return frame->device.problem.attempt([&] {
    tandem::opencl::keep_pace(*frame->device.queue);
    return TRUE;
  });
}

void gst_tandem_frame_fail(GstTandemFrame* frame, const gchar* why) {
  const auto problem = std::make_exception_ptr(std::runtime_error(why));
  if (frame->enqueues()) {
    frame->device.problem.keep(problem);
  } else if (frame->host.inside != Inside::compute) {  // where many threads would meet
    frame->host.problem.keep(problem);
  }
}

gboolean gst_tandem_frame_is_stopped(const GstTandemFrame* frame) {
  return frame->stop && *frame->stop;
}
