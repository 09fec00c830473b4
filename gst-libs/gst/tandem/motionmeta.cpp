// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/motionmeta.h>
#include <gst/video/video.h>

GType gst_tandem_motion_meta_api_get_type(void) {
  // Places in pixels are of no use in a frame of another orientation, and scaled for another size.
  static const gchar* tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                GST_META_TAG_VIDEO_ORIENTATION_STR, nullptr};
  static const GType type = gst_meta_api_type_register("GstTandemMotionMetaAPI", tags);
  return type;
}

static gboolean motion_meta_init(GstMeta* meta, gpointer, GstBuffer*) {
  auto* motion = reinterpret_cast<GstTandemMotionMeta*>(meta);
  motion->count = 0;
  motion->vectors = nullptr;
  motion->memory = nullptr;
  return TRUE;
}

static void motion_meta_free(GstMeta* meta, GstBuffer*) {
  auto* motion = reinterpret_cast<GstTandemMotionMeta*>(meta);
  if (motion->memory) gst_memory_unref(motion->memory);
}

static gboolean add_scaled(GstBuffer* destination, const GstTandemMotionMeta* motion,
                           const GstVideoMetaTransform* scale) {
  const int from_width = GST_VIDEO_INFO_WIDTH(scale->in_info);
  const int from_height = GST_VIDEO_INFO_HEIGHT(scale->in_info);
  if (from_width <= 0 || from_height <= 0) return FALSE;
  const float x = static_cast<float>(GST_VIDEO_INFO_WIDTH(scale->out_info)) / from_width;
  const float y = static_cast<float>(GST_VIDEO_INFO_HEIGHT(scale->out_info)) / from_height;
  const gsize bytes = motion->count * sizeof(GstTandemMotionVector);
  auto* vectors = static_cast<GstTandemMotionVector*>(g_memdup2(motion->vectors, bytes));
  for (guint i = 0; i < motion->count; ++i) {
    vectors[i].x *= x;
    vectors[i].dx *= x;
    vectors[i].y *= y;
    vectors[i].dy *= y;
  }
  GstMemory* memory =
      gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, vectors, bytes, 0, bytes, vectors, g_free);
  return gst_buffer_add_tandem_motion_meta(destination, vectors, motion->count, memory) != nullptr;
}

// A copy of the frame shares the vectors. A part of a frame is another frame.
static gboolean motion_meta_transform(GstBuffer* destination, GstMeta* meta, GstBuffer*,
                                      GQuark type, gpointer data) {
  auto* motion = reinterpret_cast<GstTandemMotionMeta*>(meta);
  if (GST_VIDEO_META_TRANSFORM_IS_SCALE(type))
    return add_scaled(destination, motion, static_cast<const GstVideoMetaTransform*>(data));
  if (!GST_META_TRANSFORM_IS_COPY(type) || static_cast<GstMetaTransformCopy*>(data)->region)
    return FALSE;
  return gst_buffer_add_tandem_motion_meta(destination, motion->vectors, motion->count,
                                           gst_memory_ref(motion->memory)) != nullptr;
}

const GstMetaInfo* gst_tandem_motion_meta_get_info(void) {
  static const GstMetaInfo* const info = gst_meta_register(
      gst_tandem_motion_meta_api_get_type(), "GstTandemMotionMeta", sizeof(GstTandemMotionMeta),
      motion_meta_init, motion_meta_free, motion_meta_transform);
  return info;
}

GstTandemMotionMeta* gst_buffer_add_tandem_motion_meta(GstBuffer* buffer,
                                                       const GstTandemMotionVector* vectors,
                                                       guint count, GstMemory* memory) {
  auto* motion = reinterpret_cast<GstTandemMotionMeta*>(
      gst_buffer_add_meta(buffer, gst_tandem_motion_meta_get_info(), nullptr));
  if (!motion) {
    gst_memory_unref(memory);
    return nullptr;
  }
  motion->count = count;
  motion->vectors = vectors;
  motion->memory = memory;
  return motion;
}

GstTandemMotionMeta* gst_buffer_get_tandem_motion_meta(GstBuffer* buffer) {
  return reinterpret_cast<GstTandemMotionMeta*>(
      gst_buffer_get_meta(buffer, gst_tandem_motion_meta_api_get_type()));
}

GBytes* gst_tandem_motion_meta_get_bytes(const GstTandemMotionMeta* motion) {
  const auto let_go = [](gpointer memory) { gst_memory_unref(static_cast<GstMemory*>(memory)); };
  return g_bytes_new_with_free_func(motion->vectors, motion->count * sizeof *motion->vectors,
                                    let_go, gst_memory_ref(motion->memory));
}
