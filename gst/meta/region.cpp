// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/region.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

double fraction(double place, int all) { return all > 0 ? std::clamp(place / all, 0.0, 1.0) : 0; }

guint pixels(double length) { return static_cast<guint>(std::lround(std::max(length, 0.0))); }

}  // namespace

GstVideoRegionOfInterestMeta* attach_region(GstBuffer* frame, const Region& region,
                                            FrameSize size) {
  GstVideoRegionOfInterestMeta* meta = gst_buffer_add_video_region_of_interest_meta_id(
      frame, region.label, pixels(region.x), pixels(region.y), pixels(region.width),
      pixels(region.height));
  if (!meta) return nullptr;
  // One counter for all elements of the process, those of other plugins included: regions of
  // several stages may meet on one frame.
  meta->id = static_cast<gint>(gst_util_seqnum_next());
  meta->parent_id = -1;
  gst_video_region_of_interest_meta_add_param(
      meta,
      gst_structure_new("detection", "label", G_TYPE_STRING, g_quark_to_string(region.label),
                        "label_id", G_TYPE_INT, region.label_id, "confidence", G_TYPE_DOUBLE,
                        region.confidence, "x_min", G_TYPE_DOUBLE, fraction(region.x, size.width),
                        "y_min", G_TYPE_DOUBLE, fraction(region.y, size.height), "x_max",
                        G_TYPE_DOUBLE, fraction(region.x + region.width, size.width), "y_max",
                        G_TYPE_DOUBLE, fraction(region.y + region.height, size.height), nullptr));
  return meta;
}

GstVideoRegionOfInterestMeta* attach_scene(GstBuffer* frame, const Region& scene, FrameSize size,
                                           const char* model_name) {
  Region whole = scene;
  whole.x = whole.y = 0;
  whole.width = size.width;
  whole.height = size.height;
  GstVideoRegionOfInterestMeta* meta = attach_region(frame, whole, size);
  if (!meta) return nullptr;
  gst_video_region_of_interest_meta_add_param(
      meta, gst_structure_new("scene", "label", G_TYPE_STRING, g_quark_to_string(scene.label),
                              "label_id", G_TYPE_INT, scene.label_id, "confidence", G_TYPE_DOUBLE,
                              scene.confidence, "attribute_name", G_TYPE_STRING, "scene",
                              "model_name", G_TYPE_STRING, model_name, nullptr));
  return meta;
}

GstVideoRegionOfInterestMeta* next_region(GstBuffer* frame, gpointer* state) {
  return reinterpret_cast<GstVideoRegionOfInterestMeta*>(
      gst_buffer_iterate_meta_filtered(frame, state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
}

const GstStructure* param_of(const GstVideoRegionOfInterestMeta* region, const char* name) {
  // GStreamer only reads what it is given here.
  return gst_video_region_of_interest_meta_get_param(
      const_cast<GstVideoRegionOfInterestMeta*>(region), name);
}

const gchar* label_of(const GstVideoRegionOfInterestMeta* region) {
  const GstStructure* detection = param_of(region, "detection");
  const gchar* label = detection ? gst_structure_get_string(detection, "label") : nullptr;
  if (!label) label = g_quark_to_string(region->roi_type);
  return label ? label : "";
}

}  // namespace tandem
