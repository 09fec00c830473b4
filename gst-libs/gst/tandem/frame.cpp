// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/frame.h>

#include "gst/stage/cstage.h"

const GstStructure* gst_tandem_frame_get_settings(const GstTandemFrame* frame) {
  return frame->work->values();
}

gpointer gst_tandem_frame_get_data(const GstTandemFrame* frame) { return frame->work->data(); }

const GstVideoFrame* gst_tandem_frame_get_video(const GstTandemFrame* frame) {
  return frame->frame->video;
}

guint8* gst_tandem_frame_get_luma(const GstTandemFrame* frame, gsize* stride) {
  const auto luma = frame->frame->luma();
  *stride = static_cast<gsize>(luma.stride);
  return luma.data;
}

const guint8* gst_tandem_frame_get_previous_luma(const GstTandemFrame* frame, gsize* stride) {
  *stride = static_cast<gsize>(frame->frame->previous.stride);
  return frame->frame->previous.data;
}

gconstpointer gst_tandem_frame_get_input(const GstTandemFrame* frame, guint input) {
  g_return_val_if_fail(input < tandem::kMaxTensors, nullptr);
  return frame->frame->host_inputs[input];
}

gpointer gst_tandem_frame_get_output(const GstTandemFrame* frame, guint output) {
  g_return_val_if_fail(output < tandem::kMaxTensors, nullptr);
  return frame->frame->host_outputs[output];
}

static gpointer on_device(GstTandemFrame* frame, guint i, bool input) {
  g_return_val_if_fail(frame->queue && i < tandem::kMaxTensors, nullptr);
  try {
    const int number = static_cast<int>(i);
    return input ? frame->frame->device_input(number, *frame->queue)
                 : frame->frame->device_output(number, *frame->queue);
  } catch (const std::exception& e) {
    frame->problem = e.what();
    return nullptr;
  }
}

gpointer gst_tandem_frame_get_device_input(GstTandemFrame* frame, guint input) {
  return on_device(frame, input, true);
}

gpointer gst_tandem_frame_get_device_output(GstTandemFrame* frame, guint output) {
  return on_device(frame, output, false);
}

gboolean gst_tandem_frame_is_stopped(const GstTandemFrame* frame) {
  return frame->frame->stop && *frame->frame->stop;
}
