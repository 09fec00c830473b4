/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stage of one's own: brightpixels marks the pixels that are brighter than a limit. */
#include <gst/tandem/tandem.h>

typedef struct { GstTandemStage parent; gint limit; } BrightPixels;
typedef struct { GstTandemStageClass parent_class; } BrightPixelsClass;
G_DEFINE_TYPE(BrightPixels, bright_pixels, GST_TYPE_TANDEM_STAGE)

static const gchar kernel[] =
    "__kernel void mark(__global const uchar *luma, int width, int height,\n"
    "                   __global uchar *marks, int limit) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < width * height) marks[i] = luma[i] > limit;\n"
    "}\n";

static void describe(GstTandemStage *stage, const GstStructure *settings, GstTandemDescription *description) {
  gst_tandem_description_set_reads_luma(description, TRUE);
  gst_tandem_description_set_kernel(description, kernel, "mark");
}

static gboolean make_work(GstTandemStage *stage, const GstStructure *settings, GstTandemWork *work, GError **error) {
  const GstVideoInfo *info = gst_tandem_work_get_video_info(work);
  gsize shape[] = {GST_VIDEO_INFO_HEIGHT(info), GST_VIDEO_INFO_WIDTH(info)};
  gint limit = 0;
  gst_structure_get_int(settings, "limit", &limit);
  gst_tandem_work_add_output(work, "bright-pixels", GST_TANDEM_ELEMENT_TYPE_UINT8, 2, shape);
  gst_tandem_work_set_rows(work, shape[0]);
  gst_tandem_work_set_items(work, shape[0] * shape[1]);
  gst_tandem_work_add_int(work, limit);
  return TRUE;
}

static void compute(GstTandemStage *stage, GstTandemFrame *frame, gint first_row, gint end_row) {
  gint x, y, limit = 0, width = GST_VIDEO_FRAME_WIDTH(gst_tandem_frame_get_video(frame));
  gsize stride;
  const guint8 *luma = gst_tandem_frame_get_luma(frame, &stride);
  guint8 *marks = gst_tandem_frame_get_output(frame, 0);
  gst_structure_get_int(gst_tandem_frame_get_settings(frame), "limit", &limit);
  for (y = first_row; y < end_row; ++y)
    for (x = 0; x < width; ++x) marks[y * width + x] = luma[y * stride + x] > limit;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
  ((BrightPixels *)object)->limit = g_value_get_int(value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
  g_value_set_int(value, ((BrightPixels *)object)->limit);
}

static void bright_pixels_init(BrightPixels *self) { self->limit = 128; }

static void bright_pixels_class_init(BrightPixelsClass *klass) {
  G_OBJECT_CLASS(klass)->set_property = set_property;
  G_OBJECT_CLASS(klass)->get_property = get_property;
  g_object_class_install_property(G_OBJECT_CLASS(klass), 1, g_param_spec_int("limit", "Limit",
      "Brighter pixels are marked", 0, 255, 128, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Bright pixels", "Filter/Analyzer/Video",
                                        "Marks pixels that are brighter than a limit", "Me");
  GST_TANDEM_STAGE_CLASS(klass)->describe = describe;
  GST_TANDEM_STAGE_CLASS(klass)->make_work = make_work;
  GST_TANDEM_STAGE_CLASS(klass)->compute = compute;
}

static gboolean plugin_init(GstPlugin *plugin) {
  return gst_element_register(plugin, "brightpixels", GST_RANK_NONE, bright_pixels_get_type());
}

#define PACKAGE "own-stage"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, ownstage, "A stage of one's own", plugin_init, "1.0", "LGPL",
                  "own-stage", "https://example.org")
