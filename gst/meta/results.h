// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/motionmeta.h>
#include <gst/video/video.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gst/meta/badresults.h"

/// What elements, of Tandem or of others, found in a frame.
namespace tandem {

/// Pixels of a frame.
struct FrameSize {
  gint width = 0, height = 0;
};

/// An object with its box in pixels of the frame that is seen, of which it has at least one.
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

/// Something said of the frame as a whole.
struct FrameScene {
  std::string label;  ///< UTF-8
  std::optional<gint> label_id;
  std::optional<gdouble> confidence;
};

struct FrameResults {
  std::vector<FrameObject> objects;
  std::vector<FrameScene> scenes;
  std::vector<GstTandemMotionVector> motion;  ///< in pixels of the frame that is seen
  BadResults bad;
};

/// Reads GstAnalyticsRelationMeta, where GStreamer has it, GstVideoRegionOfInterestMeta and
/// GstTandemMotionMeta. An object that has both of the first, a region with the id of its
/// GstAnalyticsODMtd, comes once.
///
/// `size` is that of the frame by its caps; 0x0: unknown. Boxes are cut at its edges. Behind an
/// element that only marks what is cut off (GstVideoCropMeta), places are those in the visible
/// part, and what lies outside of it is left out. Any element may have written the results:
/// BadResults lists what is left out or mended. Ids may stand on several objects, and parents of
/// regions are not read.
FrameResults read_results(GstBuffer* frame, FrameSize size);

/// Whether there may be something to read.
bool has_results(GstBuffer* frame);

/// The frame's motion vectors as they were written; null when it has none. The type is looked up by
/// its name: the plugin registers it, and programs that link this must not.
const GstTandemMotionMeta* motion_of(GstBuffer* frame);

}  // namespace tandem
