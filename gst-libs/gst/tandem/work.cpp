// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/work.h>

#include <algorithm>

#include "gst/stage/cstage.h"

const GstVideoInfo* gst_tandem_work_get_video_info(const GstTandemWork* work) {
  return &work->request->video;
}

GstTandemElementType gst_tandem_work_get_input_type(const GstTandemWork* work, guint input) {
  g_return_val_if_fail(input < work->request->inputs.size(), GST_TANDEM_ELEMENT_TYPE_UINT8);
  return work->request->inputs[input].spec.type;
}

const gsize* gst_tandem_work_get_input_shape(const GstTandemWork* work, guint input,
                                             guint* dimensions) {
  *dimensions = 0;
  g_return_val_if_fail(input < work->request->inputs.size(), nullptr);
  const tandem::TensorSpec& spec = work->request->inputs[input].spec;
  *dimensions = spec.dimensions;
  return spec.shape.data();
}

void gst_tandem_work_add_output(GstTandemWork* work, const gchar* name,
                                GstTandemElementType element_type, guint dimensions,
                                const gsize* shape) {
  g_return_if_fail(dimensions >= 1 && dimensions <= GST_TANDEM_TENSOR_MAX_DIMENSIONS);
  g_return_if_fail(work->work->outputs().size() + 1 < tandem::kMaxTensors);
  tandem::TensorSpec spec{name, element_type, dimensions};
  std::copy_n(shape, dimensions, spec.shape.begin());
  work->work->add_output(spec);
}

void gst_tandem_work_set_rows(GstTandemWork* work, gint rows) {
  g_return_if_fail(rows >= 1);
  work->work->set_rows(rows);
}

void gst_tandem_work_set_items(GstTandemWork* work, gsize items) {
  g_return_if_fail(items >= 1);
  work->work->set_items(items);
}

void gst_tandem_work_add_int(GstTandemWork* work, gint value) { work->work->add_argument(value); }

void gst_tandem_work_add_float(GstTandemWork* work, gfloat value) {
  work->work->add_argument(value);
}

void gst_tandem_work_set_data(GstTandemWork* work, gpointer data, GDestroyNotify destroy) {
  work->work->set_data(data, destroy);
}

void gst_tandem_work_set_notice(GstTandemWork* work, const gchar* notice) {
  work->work->set_notice(notice);
}
