// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst/meta/region.h"
#include "gst/meta/results.h"

/// GstAnalyticsRelationMeta, which elements of GStreamer 1.24 and later read. Without that library
/// nothing is attached and nothing found. At most 256 entries are added to a frame.
namespace tandem::analytics {

/// Adds an object whose box is `region`'s. Returns the id of its GstAnalyticsODMtd; -1: not added.
gint add_object(GstBuffer* frame, const Region& region, const GstVideoRegionOfInterestMeta* meta);

/// Adds a class that belongs to no object. Returns its id; -1: not added.
gint add_scene(GstBuffer* frame, const Region& scene);

/// Relates an object to its track. Times are running times of the stream; `first_seen` and
/// `last_seen` may be GST_CLOCK_TIME_NONE.
void add_track(GstBuffer* frame, gint object, uint64_t object_id, GstClockTime first_seen,
               GstClockTime last_seen);

/// Adds a meta without entries to a frame that has none: readers then know that a detector ran. On
/// a frame without a meta, objectdetectionoverlay of GStreamer draws its last boxes.
void mark(GstBuffer* frame);

/// Appends objects and scenes.
void read(GstBuffer* frame, FrameResults& results);

/// Whether the frame has a GstAnalyticsRelationMeta with entries.
bool is_on(GstBuffer* frame);

}  // namespace tandem::analytics
