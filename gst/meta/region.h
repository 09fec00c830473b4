// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

/// What was recognised in a part of a frame, as GstVideoRegionOfInterestMeta: attached in the form
/// that DL Streamer's elements read, and read in the form that any element attaches.
namespace tandem {

/// A recognised object and its box. Places are pixels of the frame and need not be whole.
struct Region {
  GQuark label = 0;
  gint label_id = 0;       ///< index of the label among those of the model, from 0 on
  gdouble confidence = 0;  ///< 0 to 1
  gdouble x = 0, y = 0, width = 0, height = 0;
};

/// Pixels of a frame.
struct FrameSize {
  gint width = 0, height = 0;
};

/// Attaches the part of `region` that lies in the frame to a writable buffer, at least one pixel of
/// it. The meta's type is the label; its id is unique in this process and never 0; it has no parent
/// (-1). Its parameter `detection` has `label` (string), `label_id` (int), `confidence`, and
/// `x_min`, `y_min`, `x_max`, `y_max` (doubles), which are fractions of the frame from 0 to 1.
/// Returns the meta. Null: nothing of the region lies in the frame, a number of its box is NaN, or
/// the buffer is not writable.
GstVideoRegionOfInterestMeta* attach_region(GstBuffer* frame, const Region& region, FrameSize size);

/// Attaches what is said of the frame as a whole: a region that covers it, with a further parameter
/// `scene`, which is a classification as DL Streamer's elements attach it: `label`, `label_id`,
/// `confidence`, `attribute_name` ("scene") and `model_name` (strings). Of `scene` only label,
/// label_id and confidence count.
GstVideoRegionOfInterestMeta* attach_scene(GstBuffer* frame, const Region& scene, FrameSize size,
                                           const char* model_name);

/// The regions of a frame one by one; begins with *state null, returns null in the end.
GstVideoRegionOfInterestMeta* next_region(GstBuffer* frame, gpointer* state);

/// The parameter of that name, such as "detection"; null when there is none.
const GstStructure* param_of(const GstVideoRegionOfInterestMeta* region, const char* name);

/// What the region was recognised as: the label of `detection`, else the type of the region. Not
/// always UTF-8, for any element may have written it; empty when nothing says so.
const gchar* label_of(const GstVideoRegionOfInterestMeta* region);

}  // namespace tandem
