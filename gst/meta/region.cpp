// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/region.h"

#include <algorithm>
#include <cmath>

#include "gst/meta/analytics.h"
#include "gst/meta/resultmeta.h"

namespace tandem {
namespace {

// The part of [begin, begin + length) that is in [0, all).
struct Span {
  Span(double begin, double length, int all_pixels)
      : all(all_pixels), first(std::max(begin, 0.0)), end(std::min(begin + length, double(all))) {}

  // False for numbers that are none, too.
  bool is_any() const { return first < end; }
  // In whole pixels: at least one, and none beyond the frame.
  guint place() const { return static_cast<guint>(std::min(std::lround(first), all - 1L)); }
  guint pixels() const {
    return static_cast<guint>(std::clamp(std::lround(end - first), 1L, all - long{place()}));
  }
  double least() const { return first / all; }
  double most() const { return end / all; }

  int all;
  double first, end;
};

// The region without an object of GstAnalyticsRelationMeta, and what is known of it.
struct Attached {
  GstVideoRegionOfInterestMeta* meta = nullptr;
  RegionResult* result = nullptr;
};

Attached attach(GstBuffer* frame, const Region& region, FrameSize size) {
  const Span x(region.x, region.width, size.width), y(region.y, region.height, size.height);
  FrameResultMeta* const results = x.is_any() && y.is_any() ? ensure_result_meta(frame) : nullptr;
  if (!results) return {};
  const GstVideoCropMeta* const crop = gst_buffer_get_video_crop_meta(frame);
  GstVideoRegionOfInterestMeta* meta = gst_buffer_add_video_region_of_interest_meta_id(
      frame, region.label, x.place() + (crop ? crop->x : 0), y.place() + (crop ? crop->y : 0),
      x.pixels(), y.pixels());
  if (!meta) return {};
  // One counter for all elements of the process, those of other plugins included: regions of
  // several stages may meet on one frame.
  meta->id = static_cast<gint>(gst_util_seqnum_next());
  meta->parent_id = -1;
  gst_video_region_of_interest_meta_add_param(
      meta, gst_structure_new("detection", "label", G_TYPE_STRING, g_quark_to_string(region.label),
                              "label_id", G_TYPE_INT, region.label_id, "confidence", G_TYPE_DOUBLE,
                              region.confidence, "x_min", G_TYPE_DOUBLE, x.least(), "y_min",
                              G_TYPE_DOUBLE, y.least(), "x_max", G_TYPE_DOUBLE, x.most(), "y_max",
                              G_TYPE_DOUBLE, y.most(), nullptr));
  return {meta, &add_result(results, {meta->id, meta->id, region.label, region.label_id,
                                      region.confidence, false, region.is_predicted, 0})};
}

// Gives the region the id that it has in GstAnalyticsRelationMeta, where there is one.
void share_id(const Attached& attached, gint id) {
  if (id >= 0) attached.meta->id = attached.result->region = id;
}

void add_object_id(GstVideoRegionOfInterestMeta* meta, uint64_t object_id) {
  gst_video_region_of_interest_meta_add_param(
      meta,
      gst_structure_new("object_id", "id", G_TYPE_INT, static_cast<gint>(object_id), nullptr));
}

}  // namespace

GstVideoRegionOfInterestMeta* attach_region(GstBuffer* frame, const Region& region,
                                            FrameSize size) {
  const Attached attached = attach(frame, region, size);
  if (!attached.meta) return nullptr;
  share_id(attached, analytics::add_object(frame, region, attached.meta));
  return attached.meta;
}

GstVideoRegionOfInterestMeta* attach_scene(GstBuffer* frame, const Region& scene, FrameSize size,
                                           const char* model_name) {
  Region whole = scene;
  whole.x = whole.y = 0;
  whole.width = size.width;
  whole.height = size.height;
  const Attached attached = attach(frame, whole, size);
  if (!attached.meta) return nullptr;
  attached.result->is_scene = true;
  share_id(attached, analytics::add_scene(frame, scene));
  gst_video_region_of_interest_meta_add_param(
      attached.meta,
      gst_structure_new("scene", "label", G_TYPE_STRING, g_quark_to_string(scene.label), "label_id",
                        G_TYPE_INT, scene.label_id, "confidence", G_TYPE_DOUBLE, scene.confidence,
                        "attribute_name", G_TYPE_STRING, "scene", "model_name", G_TYPE_STRING,
                        model_name, nullptr));
  return attached.meta;
}

void mark_detected(GstBuffer* frame) {
  if (FrameResultMeta* meta = ensure_result_meta(frame)) meta->detector_ran = true;
  analytics::mark(frame);
}

void set_object_id(GstBuffer* frame, const FrameObject& object, uint64_t object_id,
                   GstClockTime first_seen, GstClockTime last_seen) {
  if (object.region) {
    add_object_id(object.region, object_id);
    for (RegionResult& result : results_in(result_meta_of(frame)))
      if (result.region == object.region->id) result.object_id = object_id;
  }
  analytics::add_track(frame, object.analytics_id, object_id, first_seen, last_seen);
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
