// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/analytics.h"

#include <gst/analytics/analytics.h>

namespace tandem::analytics {
namespace {

// Each entry may relate to each other one: adding the 500th copies a table so often that it takes
// 20 ms, and every copy of the frame copies it. Further objects stand in regions alone.
constexpr gsize kMostEntries = 256;
// Memory for as many is there at once: seldom are there more objects in a frame.
constexpr gsize kFirstEntries = 32, kEntryBytes = 64;

// The frame's meta; null if there is none and none can be added.
GstAnalyticsRelationMeta* ensure_meta(GstBuffer* frame) {
  GstAnalyticsRelationMeta* const meta = gst_buffer_get_analytics_relation_meta(frame);
  if (meta || !gst_buffer_is_writable(frame)) return meta;
  GstAnalyticsRelationMetaInitParams sizes{kFirstEntries, kFirstEntries * kEntryBytes};
  return gst_buffer_add_analytics_relation_meta_full(frame, &sizes);
}

// The frame's meta if it may have one entry more; null otherwise.
GstAnalyticsRelationMeta* meta_for_one_more(GstBuffer* frame) {
  GstAnalyticsRelationMeta* const meta = ensure_meta(frame);
  return meta && gst_analytics_relation_get_length(meta) < kMostEntries ? meta : nullptr;
}

// The first class of a classification. One with several is a distribution: the most probable.
std::optional<FrameScene> best_class(GstAnalyticsClsMtd* mtd, BadResults& bad) {
  const gsize length = gst_analytics_cls_mtd_get_length(mtd);
  if (length == 0) return std::nullopt;
  gsize best = 0;
  for (gsize i = 1; i < length; ++i)
    if (gst_analytics_cls_mtd_get_level(mtd, i) > gst_analytics_cls_mtd_get_level(mtd, best))
      best = i;
  return FrameScene{clean_label(g_quark_to_string(gst_analytics_cls_mtd_get_quark(mtd, best)), bad),
                    std::nullopt,
                    clean_confidence(gst_analytics_cls_mtd_get_level(mtd, best), bad)};
}

std::optional<uint64_t> track_of(GstAnalyticsRelationMeta* meta, guint object) {
  GstAnalyticsTrackingMtd track;
  gpointer state = nullptr;
  if (!gst_analytics_relation_meta_get_direct_related(meta, object, GST_ANALYTICS_REL_TYPE_ANY,
                                                      gst_analytics_tracking_mtd_get_mtd_type(),
                                                      &state, &track))
    return std::nullopt;
  guint64 id = 0;
  GstClockTime first, last;
  gboolean lost;
  if (!gst_analytics_tracking_mtd_get_info(&track, &id, &first, &last, &lost)) return std::nullopt;
  return id;
}

bool belongs_to_object(GstAnalyticsRelationMeta* meta, guint id) {
  GstAnalyticsODMtd object;
  gpointer state = nullptr;
  return gst_analytics_relation_meta_get_direct_related(
      meta, id, GST_ANALYTICS_REL_TYPE_ANY, gst_analytics_od_mtd_get_mtd_type(), &state, &object);
}

}  // namespace

gint add_object(GstBuffer* frame, const Region& region, const GstVideoRegionOfInterestMeta* box) {
  GstAnalyticsRelationMeta* meta = meta_for_one_more(frame);
  GstAnalyticsODMtd object;
  if (!meta || !gst_analytics_relation_meta_add_od_mtd(
                   meta, region.label, static_cast<gint>(box->x), static_cast<gint>(box->y),
                   static_cast<gint>(box->w), static_cast<gint>(box->h),
                   static_cast<gfloat>(region.confidence), &object))
    return -1;
  return static_cast<gint>(object.id);
}

gint add_scene(GstBuffer* frame, const Region& scene) {
  GstAnalyticsRelationMeta* meta = meta_for_one_more(frame);
  GstAnalyticsClsMtd mtd;
  if (!meta || !gst_analytics_relation_meta_add_one_cls_mtd(
                   meta, static_cast<gfloat>(scene.confidence), scene.label, &mtd))
    return -1;
  return static_cast<gint>(mtd.id);
}

void add_track(GstBuffer* frame, gint object, uint64_t object_id, GstClockTime first_seen,
               GstClockTime last_seen) {
  GstAnalyticsRelationMeta* meta = meta_for_one_more(frame);
  GstAnalyticsTrackingMtd track;
  if (object < 0 || !meta ||
      !gst_analytics_relation_meta_add_tracking_mtd(meta, object_id, first_seen, &track))
    return;
  gst_analytics_tracking_mtd_update_last_seen(&track, last_seen);
  const auto from = static_cast<guint>(object);
  gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, from, track.id);
  gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, track.id, from);
}

void mark(GstBuffer* frame) { ensure_meta(frame); }

void read(GstBuffer* frame, FrameResults& results) {
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(frame);
  if (!meta) return;
  BadResults& bad = results.bad;
  const auto is_full = [&] {
    const bool full = results.objects.size() + results.scenes.size() >= kMostObjects;
    if (full) ++bad.not_read;
    return full;
  };
  GstAnalyticsMtd mtd;
  for (gpointer state = nullptr; gst_analytics_relation_meta_iterate(
           meta, &state, gst_analytics_od_mtd_get_mtd_type(), &mtd);) {
    if (is_full()) continue;
    FrameObject object;
    gfloat confidence = 0;
    if (!gst_analytics_od_mtd_get_location(&mtd, &object.x, &object.y, &object.width,
                                           &object.height, &confidence))
      continue;
    object.label = clean_label(g_quark_to_string(gst_analytics_od_mtd_get_obj_type(&mtd)), bad);
    object.confidence = clean_confidence(confidence, bad);
    object.analytics_id = static_cast<gint>(mtd.id);
    object.object_id = track_of(meta, mtd.id);
    results.objects.push_back(object);
  }
  for (gpointer state = nullptr; gst_analytics_relation_meta_iterate(
           meta, &state, gst_analytics_cls_mtd_get_mtd_type(), &mtd);) {
    if (is_full() || belongs_to_object(meta, mtd.id)) continue;
    if (const auto scene = best_class(&mtd, bad)) results.scenes.push_back(*scene);
  }
}

bool is_on(GstBuffer* frame) {
  GstAnalyticsRelationMeta* const meta = gst_buffer_get_analytics_relation_meta(frame);
  return meta && gst_analytics_relation_get_length(meta) > 0;
}

}  // namespace tandem::analytics
