/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two stages with all that a stage can have, as a plugin outside of this tree: wholestage makes the
 * difference to the frame before, with a program of its own, and writes into the frame; wholerow
 * makes as many numbers as a value of the first stage says. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gst/tandem/tandem.h>
#include <stdlib.h>
#include <string.h>

enum { DIFFERENCE, LEVEL, LUMA, BEFORE };

typedef struct {
  GstTandemStage parent;
  gint level;
} WholeStage;
typedef GstTandemStageClass WholeStageClass;
G_DEFINE_TYPE(WholeStage, whole_stage, GST_TYPE_TANDEM_STAGE)

/* Of frames of one size. */
typedef struct {
  gint level, width, height;
  GMutex mutex; /* arguments belong to the kernel until it is enqueued */
  cl_kernel kernels[8];
  guint devices;
  guint8* black;
} Work;

static const gchar source[] =
    "__kernel void difference(__global const uchar* a, __global const uchar* b,\n"
    "                         __global uchar* out) {\n"
    "  size_t i = get_global_id(0);\n"
    "  out[i] = abs_diff(a[i], b[i]);\n"
    "}\n";

static void free_work(gpointer data) {
  Work* work = data;
  guint d;
  for (d = 0; d < work->devices; ++d) clReleaseKernel(work->kernels[d]);
  g_mutex_clear(&work->mutex);
  g_free(work->black);
  g_free(work);
}

static void whole_describe(GstTandemStage* stage, const GstStructure* settings,
                           GstTandemDescription* description) {
  (void)stage, (void)settings;
  gst_tandem_description_set_needs_previous(description, TRUE);
  gst_tandem_description_set_changes_pixels(description, TRUE);
}

static void whole_add_settings(GstTandemStage* stage, GstStructure* settings) {
  (void)stage;
  gst_structure_set(settings, "revision", G_TYPE_INT, 7, NULL);
}

static gboolean whole_make_work(GstTandemStage* stage, const GstStructure* settings,
                                GstTandemWork* made, GError** error) {
  const GstVideoInfo* info = gst_tandem_work_get_video_info(made);
  gsize shape[] = {GST_VIDEO_INFO_HEIGHT(info), GST_VIDEO_INFO_WIDTH(info)}, one = 1;
  const gsize pixels = shape[0] * shape[1];
  const guint devices = gst_tandem_work_get_devices(made);
  gint revision = 0;
  Work* work = g_new0(Work, 1);
  guint d;
  (void)stage;
  g_mutex_init(&work->mutex);
  work->black = g_malloc0(pixels);
  work->width = GST_VIDEO_INFO_WIDTH(info);
  work->height = GST_VIDEO_INFO_HEIGHT(info);
  gst_tandem_work_set_data(made, work, free_work);
  gst_structure_get_int(settings, "level", &work->level);
  if (!gst_structure_get_int(settings, "revision", &revision) || revision != 7) return FALSE;
  gst_tandem_work_add_output(made, "whole-difference", GST_TANDEM_ELEMENT_TYPE_UINT8, 2, shape);
  gst_tandem_work_add_output(made, "whole-level", GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, &one);
  gst_tandem_work_add_scratch(made, devices > 0 ? pixels : 0);
  gst_tandem_work_add_scratch(made, devices > 0 ? pixels : 0);
  gst_tandem_work_set_rows(made, work->height);
  gst_tandem_work_set_planes(made, LEVEL, 0); /* prepare writes it */
  for (d = 0; d < devices; ++d) {
    cl_program program = gst_tandem_work_build_program(made, d, source, "-DUNUSED=1", error);
    if (!program) return FALSE;
    work->kernels[d] = clCreateKernel(program, "difference", NULL);
    work->devices = d + 1;
    clReleaseProgram(program);
  }
  return TRUE;
}

static void whole_prepare(GstTandemStage* stage, GstTandemFrame* frame) {
  (void)stage;
  *(gfloat*)gst_tandem_frame_get_output(frame, LEVEL) =
      ((Work*)gst_tandem_frame_get_data(frame))->level;
}

static void whole_compute(GstTandemStage* stage, GstTandemFrame* frame, gint first_row,
                          gint end_row) {
  const Work* work = gst_tandem_frame_get_data(frame);
  gsize stride, stride_before;
  const guint8* luma = gst_tandem_frame_get_luma(frame, &stride);
  const guint8* before = gst_tandem_frame_get_previous_luma(frame, &stride_before);
  guint8* out = gst_tandem_frame_get_output(frame, DIFFERENCE);
  gint x, y;
  (void)stage;
  for (y = first_row; y < end_row; ++y)
    for (x = 0; x < work->width; ++x)
      out[y * work->width + x] =
          abs(luma[y * stride + x] - (before ? before[y * stride_before + x] : 0));
}

/* The first pixel: what was computed for it, and the level. */
static void mark(GstTandemFrame* frame) {
  const guint8* out = gst_tandem_frame_get_output(frame, DIFFERENCE);
  gsize stride;
  if (out)
    *gst_tandem_frame_get_luma(frame, &stride) =
        out[0] + ((Work*)gst_tandem_frame_get_data(frame))->level;
}

static void whole_combine(GstTandemStage* stage, GstTandemFrame* frame) {
  (void)stage;
  mark(frame);
}

static void whole_collect(GstTandemStage* stage, GstTandemFrame* frame) {
  (void)stage;
  mark(frame);
}

static void whole_join(GstTandemStage* stage, GstTandemFrame* frame, gint device_end,
                       gint cores_begin) {
  (void)stage, (void)device_end, (void)cores_begin;
  mark(frame);
}

static gboolean whole_enqueue_rows(GstTandemStage* stage, GstTandemFrame* frame, gint end_row,
                                   gpointer queue, GError** error) {
  Work* work = gst_tandem_frame_get_data(frame);
  const gsize row = work->width;
  gsize stride, stride_before, items = row * end_row;
  const guint8* luma = gst_tandem_frame_get_luma(frame, &stride);
  const guint8* before = gst_tandem_frame_get_previous_luma(frame, &stride_before);
  cl_kernel kernel = work->kernels[gst_tandem_frame_get_device(frame)];
  cl_mem a, b, out;
  cl_int failed;
  (void)stage;
  /* Of a split frame, other threads are in `compute` now and see it. */
  if (gst_tandem_frame_get_output(frame, DIFFERENCE)) {
    gst_tandem_frame_fail(frame, "enqueue_rows sees memory of the host");
    return FALSE;
  }
  if (work->level == 66) {
    gst_tandem_frame_fail(frame, "wholestage enqueues no 66: set another level");
    return FALSE;
  }
  a = gst_tandem_frame_upload(frame, LUMA, luma, row, end_row, stride);
  b = gst_tandem_frame_upload(frame, BEFORE, before ? before : work->black, row, end_row,
                              before ? stride_before : row);
  out = gst_tandem_frame_get_device_output(frame, DIFFERENCE);
  if (!a || !b || !out) return FALSE;
  g_mutex_lock(&work->mutex);
  clSetKernelArg(kernel, 0, sizeof a, &a);
  clSetKernelArg(kernel, 1, sizeof b, &b);
  clSetKernelArg(kernel, 2, sizeof out, &out);
  failed = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  g_mutex_unlock(&work->mutex);
  if (failed) {
    g_set_error(error, GST_TANDEM_DEVICE_ERROR, GST_TANDEM_DEVICE_ERROR_FAILED,
                "clEnqueueNDRangeKernel: %d", failed);
    return FALSE;
  }
  return gst_tandem_frame_keep_pace(frame) && gst_tandem_frame_download(frame, DIFFERENCE);
}

/* The difference once more: memory of the stage's on the buffer. */
static void whole_publish(GstTandemStage* stage, GstTandemFrame* frame, GstBuffer* buffer) {
  const Work* work = gst_tandem_frame_get_data(frame);
  gsize pixels = (gsize)work->width * work->height;
  (void)stage;
  gst_buffer_add_tandem_tensor_meta(
      buffer, "whole-published", GST_TANDEM_ELEMENT_TYPE_UINT8, 1, &pixels,
      gst_memory_ref(gst_tandem_frame_get_output_memory(frame, DIFFERENCE)));
}

static void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  (void)id, (void)spec;
  ((WholeStage*)object)->level = g_value_get_int(value);
}

static void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  (void)id, (void)spec;
  g_value_set_int(value, ((WholeStage*)object)->level);
}

static void whole_stage_init(WholeStage* self) { self->level = 1; }

static void whole_stage_class_init(WholeStageClass* klass) {
  G_OBJECT_CLASS(klass)->set_property = set_property;
  G_OBJECT_CLASS(klass)->get_property = get_property;
  g_object_class_install_property(
      G_OBJECT_CLASS(klass), 1,
      g_param_spec_int("level", "Level", "Added to the first pixel", 1, 100, 1,
                       G_PARAM_READWRITE | GST_TANDEM_PARAM_KEEPS_WORK));
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Whole stage",
                                        "Filter/Effect/Video", "All that a stage can have", "Me");
  klass->describe = whole_describe;
  klass->add_settings = whole_add_settings;
  klass->make_work = whole_make_work;
  klass->prepare = whole_prepare;
  klass->compute = whole_compute;
  klass->combine = whole_combine;
  klass->enqueue_rows = whole_enqueue_rows;
  klass->join = whole_join;
  klass->collect = whole_collect;
  klass->publish = whole_publish;
}

typedef GstTandemStage WholeRow;
typedef GstTandemStageClass WholeRowClass;
G_DEFINE_TYPE(WholeRow, whole_row, GST_TYPE_TANDEM_STAGE)

static void row_describe(GstTandemStage* stage, const GstStructure* settings,
                         GstTandemDescription* description) {
  (void)stage, (void)settings;
  gst_tandem_description_add_input(description, "whole-level", "wholestage");
}

static gboolean row_make_work(GstTandemStage* stage, const GstStructure* settings,
                              GstTandemWork* work, GError** error) {
  const gfloat* level = gst_tandem_work_get_input(work, 0);
  gsize length = level ? *level : 0;
  (void)stage, (void)settings, (void)error;
  gst_tandem_work_set_data(work, GSIZE_TO_POINTER(length), NULL);
  gst_tandem_work_add_output(work, "whole-row", GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, &length);
  return level != NULL;
}

static gboolean row_fits(GstTandemStage* stage, GstTandemFrame* frame) {
  const gfloat* level = gst_tandem_frame_get_input(frame, 0);
  (void)stage;
  return level && GPOINTER_TO_SIZE(gst_tandem_frame_get_data(frame)) == (gsize)*level;
}

static void row_compute(GstTandemStage* stage, GstTandemFrame* frame, gint first_row,
                        gint end_row) {
  gsize i, length = GPOINTER_TO_SIZE(gst_tandem_frame_get_data(frame));
  gfloat* out = gst_tandem_frame_get_output(frame, 0);
  (void)stage, (void)first_row, (void)end_row;
  for (i = 0; i < length; ++i) out[i] = i;
}

/* 13 is no level for it. */
static void row_combine(GstTandemStage* stage, GstTandemFrame* frame) {
  (void)stage;
  if (GPOINTER_TO_SIZE(gst_tandem_frame_get_data(frame)) == 13)
    gst_tandem_frame_fail(frame, "wholerow makes no row of 13: set another level");
}

static void whole_row_init(WholeRow* self) { (void)self; }

static void whole_row_class_init(WholeRowClass* klass) {
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Whole row",
                                        "Filter/Analyzer/Video", "As many as a value says", "Me");
  klass->describe = row_describe;
  klass->make_work = row_make_work;
  klass->fits = row_fits;
  klass->compute = row_compute;
  klass->combine = row_combine;
}

static gboolean plugin_init(GstPlugin* plugin) {
  return gst_element_register(plugin, "wholestage", GST_RANK_NONE, whole_stage_get_type()) &&
         gst_element_register(plugin, "wholerow", GST_RANK_NONE, whole_row_get_type());
}

#define PACKAGE "wholestage"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, wholestage, "All that a stage can have",
                  plugin_init, "1.0", "LGPL", "wholestage", "https://example.org")
