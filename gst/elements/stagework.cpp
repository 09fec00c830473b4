// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/stagework.h"

#include <gst/tandem/error.h>
#include <gst/tandem/private/stageopencl.h>

#include <algorithm>

#include "files/error_text.h"
#include "gst/elements/splitwork.h"

namespace tandem {

Plane<uint8_t> StageFrame::luma() const {
  return {static_cast<uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(video, 0)), GST_VIDEO_FRAME_WIDTH(video),
          GST_VIDEO_FRAME_HEIGHT(video), GST_VIDEO_FRAME_PLANE_STRIDE(video, 0)};
}

Plane<const uint8_t> StageFrame::previous() const {
  gsize stride = 0;
  const guint8* const data = gst_tandem_frame_get_previous_luma(frame_, &stride);
  return {data, GST_VIDEO_FRAME_WIDTH(video), GST_VIDEO_FRAME_HEIGHT(video),
          static_cast<std::ptrdiff_t>(stride)};
}

Stop StageFrame::stop() const {
  const auto asks = [](const void* frame) {
    return gst_tandem_frame_is_stopped(static_cast<const GstTandemFrame*>(frame)) != FALSE;
  };
  return {asks, frame_};
}

opencl::DevicePlane StageFrame::upload(Plane<const uint8_t> pixels, int i, int end) const {
  void* const packed = gst_tandem_frame_upload(
      frame_, static_cast<guint>(i), pixels.data, static_cast<gsize>(pixels.width),
      std::clamp(end, 0, pixels.height), static_cast<gsize>(pixels.stride));
  return {checked(packed), 0, pixels.width, pixels.height, pixels.width};
}

void StageFrame::download(int i) const {
  if (!gst_tandem_frame_download(frame_, static_cast<guint>(i))) fail();
}

void StageFrame::download_luma(int i) const {
  if (!gst_tandem_frame_download_luma(frame_, static_cast<guint>(i))) fail();
}

void StageFrame::take_luma(int i) const {
  if (!gst_tandem_frame_take_luma(frame_, static_cast<guint>(i))) fail();
}

// The library reports the reason.
void StageFrame::fail() { throw opencl::Error("the device failed"); }

Tensor::Tensor(GstTandemWork* work, guint input, TensorName name) : work_(work), input_(input) {
  spec.name = name;
  spec.type = gst_tandem_work_get_input_type(work, input);
  const gsize* const shape = gst_tandem_work_get_input_shape(work, input, &spec.dimensions);
  std::copy_n(shape, spec.dimensions, spec.shape.begin());
}

const void* Tensor::values() const {
  const void* const values = gst_tandem_work_get_input(work_, input_);
  if (!values) throw opencl::Error("the device failed");
  return values;
}

namespace stage_functions {
void fail(GstTandemFrame* frame, const std::exception& why) {
  gst_tandem_frame_fail(frame, error_text(why).c_str());
}

void describe(const StageDescription& from, GstTandemDescription* description) {
  for (const StageDescription::Input& input : from.inputs)
    gst_tandem_description_add_input(description, input.tensor.text(), input.producer);
  gst_tandem_description_set_serial(description, from.serial);
  gst_tandem_description_set_has_cpu(description, from.has_cpu);
  gst_tandem_description_set_has_device(description, from.has_opencl);
  gst_tandem_description_set_changes_pixels(description, from.changes_pixels);
  gst_tandem_description_set_needs_previous(description, from.needs_previous);
  gst_tandem_description_set_whole(description, from.whole.empty() ? nullptr : from.whole.c_str());
  gst_tandem_description_set_joins(description, from.joins);
  gst_tandem_description_set_bands(description, from.whole.empty() && !from.joins);
  if (from.repeats_from) gst_tandem_description_set_repeats_from(description, from.repeats_from);
  opencl::take_deferred(description);
}

gboolean make_work(const StageDescription& description, GstTandemWork* work, GError** error,
                   const std::function<std::unique_ptr<StageWork>(const WorkRequest&)>& make) {
  try {
    std::vector<Tensor> inputs;
    for (const StageDescription::Input& input : description.inputs)
      inputs.emplace_back(work, static_cast<guint>(inputs.size()), input.tensor);
    std::unique_ptr<StageWork> made =
        make({*gst_tandem_work_get_video_info(work), inputs, opencl::context_of(work)});
    for (const TensorSpec& spec : made->outputs()) {
      if (spec.scratch) {
        gst_tandem_work_add_scratch(work, spec.bytes());
      } else {
        gst_tandem_work_add_output(work, spec.name.text(), spec.type, spec.dimensions,
                                   spec.shape.data());
      }
    }
    gst_tandem_work_set_rows(work, std::max(1, made->rows()));
    if (const auto* split = dynamic_cast<const SplitWork*>(made.get())) {
      for (std::size_t i = 0; i < made->outputs().size(); ++i)
        gst_tandem_work_set_planes(work, static_cast<guint>(i),
                                   static_cast<guint>(split->planes(static_cast<int>(i))));
    }
    gst_tandem_work_set_notice(work, made->notice().c_str());
    gst_tandem_work_set_data(work, made.release(),
                             [](gpointer data) { delete static_cast<StageWork*>(data); });
    return TRUE;
  } catch (const opencl::Error& e) {
    g_set_error_literal(error, GST_TANDEM_DEVICE_ERROR, GST_TANDEM_DEVICE_ERROR_FAILED, e.what());
  } catch (const std::exception& e) {
    g_set_error_literal(error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                        error_text(e).c_str());
  }
  return FALSE;
}

void compute(GstTandemStage*, GstTandemFrame* frame, gint first_row, gint end_row) {
  StageFrame here(frame);
  work_of(frame).compute(here, {first_row, end_row});
}

gboolean enqueue_failed(GstTandemFrame* frame, GError** error, const std::exception& why) {
  if (dynamic_cast<const opencl::Error*>(&why) == nullptr) {
    fail(frame, why);
  } else {
    g_set_error_literal(error, GST_TANDEM_DEVICE_ERROR, GST_TANDEM_DEVICE_ERROR_FAILED, why.what());
  }
  return FALSE;
}

gboolean enqueue(GstTandemStage*, GstTandemFrame* frame, gpointer, GError** error) {
  try {
    StageFrame here(frame);
    work_of(frame).enqueue(here, opencl::queue_of(frame));
    return TRUE;
  } catch (const std::exception& e) {
    return enqueue_failed(frame, error, e);
  }
}

}  // namespace stage_functions
}  // namespace tandem
