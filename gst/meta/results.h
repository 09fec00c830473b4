// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/motionmeta.h>
#include <gst/video/video.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gst/meta/badresults.h"

/// Results for a frame, of elements of Tandem and of others.
namespace tandem {

/// Pixels of a frame.
struct FrameSize {
  gint width = 0, height = 0;
};

/// An object with its box in pixels of the visible frame, at least one pixel of it.
struct FrameObject {
  gint64 id = 0;      ///< unique in this process for objects that Tandem found; 0: none
  std::string label;  ///< UTF-8
  std::optional<gint> label_id;
  std::optional<gdouble> confidence;  ///< 0 to 1
  gint x = 0, y = 0, width = 0, height = 0;
  std::optional<uint64_t> object_id;  ///< the same object has it in other frames
  bool is_predicted = false;          ///< a tracker expects it here; no detector found it

  GstVideoRegionOfInterestMeta* region = nullptr;  ///< null: it has none
  gint analytics_id = -1;                          ///< of its GstAnalyticsODMtd; -1: it has none
};

/// A label of the whole frame.
struct FrameScene {
  std::string label;  ///< UTF-8
  std::optional<gint> label_id;
  std::optional<gdouble> confidence;
};

struct FrameResults {
  std::vector<FrameObject> objects;
  std::vector<FrameScene> scenes;
  std::vector<GstTandemMotionVector> motion;  ///< in pixels of the visible frame
  BadResults bad;
};

/// Reads GstAnalyticsRelationMeta, where GStreamer has it, GstVideoRegionOfInterestMeta and
/// GstTandemMotionMeta. An object that has both of the first, a region with the id of its
/// GstAnalyticsODMtd, comes once.
///
/// `size` is that of the frame by its caps; 0x0: unknown. Boxes are cut at its edges. Behind an
/// element that only marks a crop (GstVideoCropMeta), places refer to the visible part, and results
/// outside of it are left out. Any element may have written the results: BadResults counts those
/// that are left out or repaired. Ids may stand on several objects, and parents of regions are not
/// read.
FrameResults read_results(GstBuffer* frame, FrameSize size);

/// Whether the frame may have results.
bool has_results(GstBuffer* frame);

/// The frame's motion vectors as they were written; null when it has none. The type is looked up by
/// its name: the plugin registers it, and programs that link this must not.
const GstTandemMotionMeta* motion_of(GstBuffer* frame);

}  // namespace tandem
