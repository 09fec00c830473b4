// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <cstdint>

#include "gst/meta/results.h"

/// Writes results to a frame, in every form that other elements read. results.h reads them.
namespace tandem {

/// A recognised object and its box. Places are pixels of the frame and need not be whole.
struct Region {
  GQuark label = 0;
  gint label_id = 0;       ///< index of the label among those of the model, from 0 on
  gdouble confidence = 0;  ///< 0 to 1
  gdouble x = 0, y = 0, width = 0, height = 0;
  bool is_predicted = false;  ///< a tracker expects it here; no detector found it
};

/// Attaches the part of `region` that lies in the frame to a writable buffer, at least one pixel of
/// it, in the forms that other elements read. If the buffer has a GstVideoCropMeta, the frame is
/// its visible part. The meta's type is the label; it has no parent (-1). Its parameter `detection`
/// has `label` (string), `label_id` (int), `confidence`, and `x_min`, `y_min`, `x_max`, `y_max`
/// (doubles), which are fractions of the frame from 0 to 1. Where GStreamer has
/// GstAnalyticsRelationMeta, an object of it has the same box, and its id is the region's.
/// Elsewhere that id is unique in this process and never 0. Returns the meta. Null: nothing of the
/// region lies in the frame, a number of its box is NaN, or the buffer is not writable.
GstVideoRegionOfInterestMeta* attach_region(GstBuffer* frame, const Region& region, FrameSize size);

/// Attaches a label of the whole frame: a region that covers it, and a class of
/// GstAnalyticsRelationMeta that belongs to no object. The region has a further parameter `scene`,
/// which is a classification as DL Streamer's elements attach it. Its fields are `label`,
/// `label_id`, `confidence`, `attribute_name` ("scene") and `model_name` (strings). Only label,
/// label_id and confidence of the argument `scene` count.
GstVideoRegionOfInterestMeta* attach_scene(GstBuffer* frame, const Region& scene, FrameSize size,
                                           const char* model_name);

/// Marks that a detector processed this frame, with or without a finding.
void mark_detected(GstBuffer* frame);

/// Gives an object that read_results() returned an id: in its region, as the parameter `object_id`
/// with `id` (int) that DL Streamer's gvatrack writes, and as its GstAnalyticsTrackingMtd. Times
/// are running times.
void set_object_id(GstBuffer* frame, const FrameObject& object, uint64_t object_id,
                   GstClockTime first_seen, GstClockTime last_seen);

/// The regions of a frame one by one; begins with *state null, returns null in the end.
GstVideoRegionOfInterestMeta* next_region(GstBuffer* frame, gpointer* state);

/// The parameter of that name, such as "detection"; null when there is none.
const GstStructure* param_of(const GstVideoRegionOfInterestMeta* region, const char* name);

/// The label of the region: that of `detection`, else the type of the region. Not always UTF-8,
/// because any element may have written it; empty: none.
const gchar* label_of(const GstVideoRegionOfInterestMeta* region);

}  // namespace tandem
