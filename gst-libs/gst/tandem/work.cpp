// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/error.h>
#include <gst/tandem/private/classwork.h>
#include <gst/tandem/work.h>

#include <algorithm>

#include "kernels/opencl/handles.h"

const GstVideoInfo* gst_tandem_work_get_video_info(const GstTandemWork* work) {
  return &work->request.video;
}

GstTandemElementType gst_tandem_work_get_input_type(const GstTandemWork* work, guint input) {
  g_return_val_if_fail(input < work->request.inputs.size(), GST_TANDEM_ELEMENT_TYPE_UINT8);
  return work->request.inputs[input].spec.type;
}

const gsize* gst_tandem_work_get_input_shape(const GstTandemWork* work, guint input,
                                             guint* dimensions) {
  *dimensions = 0;
  g_return_val_if_fail(input < work->request.inputs.size(), nullptr);
  const tandem::TensorSpec& spec = work->request.inputs[input].spec;
  *dimensions = spec.dimensions;
  return spec.shape.data();
}

void gst_tandem_work_add_output(GstTandemWork* work, const gchar* name,
                                GstTandemElementType element_type, guint dimensions,
                                const gsize* shape) {
  g_return_if_fail(dimensions >= 1 && dimensions <= GST_TANDEM_TENSOR_MAX_DIMENSIONS);
  g_return_if_fail(work->work.outputs().size() < tandem::kMaxTensors);
  tandem::TensorSpec spec{name, element_type, dimensions};
  std::copy_n(shape, dimensions, spec.shape.begin());
  work->work.add_output(spec);
}

void gst_tandem_work_add_scratch(GstTandemWork* work, gsize bytes) {
  g_return_if_fail(work->work.outputs().size() < tandem::kMaxTensors);
  work->work.add_output(tandem::TensorSpec::of_scratch(bytes));
}

gconstpointer gst_tandem_work_get_input(GstTandemWork* work, guint input) {
  g_return_val_if_fail(input < work->request.inputs.size(), nullptr);
  return work->attempt([&] {
    return work->request.inputs[input].buffer->host(tandem::opencl::Buffer::Access::read);
  });
}

guint gst_tandem_work_get_devices(const GstTandemWork* work) {
  const auto& context = work->request.context;
  return context ? static_cast<guint>(context->devices()) : 0;
}

gpointer gst_tandem_work_get_cl_context(const GstTandemWork* work, guint device) {
  g_return_val_if_fail(device < gst_tandem_work_get_devices(work), nullptr);
  return tandem::opencl::context_handle(*work->request.context, static_cast<int>(device));
}

gpointer gst_tandem_work_get_cl_device(const GstTandemWork* work, guint device) {
  g_return_val_if_fail(device < gst_tandem_work_get_devices(work), nullptr);
  return tandem::opencl::device_handle(*work->request.context, static_cast<int>(device));
}

gpointer gst_tandem_work_build_program(GstTandemWork* work, guint device, const gchar* source,
                                       const gchar* options, GError** error) {
  g_return_val_if_fail(device < gst_tandem_work_get_devices(work), nullptr);
  try {
    return tandem::opencl::program_handle(*work->request.context, static_cast<int>(device), source,
                                          options ? options : "");
  } catch (const std::exception& e) {
    g_set_error_literal(error, GST_TANDEM_DEVICE_ERROR, GST_TANDEM_DEVICE_ERROR_FAILED, e.what());
    return nullptr;
  }
}

void gst_tandem_work_set_rows(GstTandemWork* work, gint rows) {
  g_return_if_fail(rows >= 1);
  work->work.set_rows(rows);
}

void gst_tandem_work_set_planes(GstTandemWork* work, guint output, guint planes) {
  g_return_if_fail(output < work->work.outputs().size());
  work->work.set_planes(output, static_cast<int>(planes));
}

void gst_tandem_work_set_items(GstTandemWork* work, gsize items) {
  g_return_if_fail(items >= 1);
  work->work.set_items(items);
}

void gst_tandem_work_add_int(GstTandemWork* work, gint value) {
  const bool added = work->work.add_argument(value);
  g_return_if_fail(added);
}

void gst_tandem_work_add_float(GstTandemWork* work, gfloat value) {
  const bool added = work->work.add_argument(value);
  g_return_if_fail(added);
}

void gst_tandem_work_set_data(GstTandemWork* work, gpointer data, GDestroyNotify destroy) {
  work->work.set_data(data, destroy);
}

void gst_tandem_work_set_notice(GstTandemWork* work, const gchar* notice) {
  work->work.set_notice(notice);
}
