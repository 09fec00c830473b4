// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/motionmeta.h>
#include <gst/video/video.h>

GType gst_tandem_motion_meta_api_get_type(void) {
  // Places in pixels are of no use in a frame of another size or orientation.
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

// A copy of the frame shares the vectors; a scaled or cropped frame is another frame.
static gboolean motion_meta_transform(GstBuffer* destination, GstMeta* meta, GstBuffer*,
                                      GQuark type, gpointer data) {
  if (!GST_META_TRANSFORM_IS_COPY(type) || static_cast<GstMetaTransformCopy*>(data)->region)
    return FALSE;
  auto* motion = reinterpret_cast<GstTandemMotionMeta*>(meta);
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
