// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <optional>
#include <vector>

/// What elements, of Tandem or of others, found in a frame.
namespace tandem {

/// An object with its box in pixels of the frame that is seen.
struct FrameObject {
  gint64 id = 0;            ///< unique in this process for objects that Tandem found; 0: none
  const gchar* label = "";  ///< lives as long as the buffer; not always UTF-8
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
  const gchar* label = "";
  std::optional<gint> label_id;
  std::optional<gdouble> confidence;
};

struct FrameResults {
  std::vector<FrameObject> objects;
  std::vector<FrameScene> scenes;
};

/// Reads GstAnalyticsRelationMeta, where GStreamer has it, and GstVideoRegionOfInterestMeta. An
/// object that has both, a region with the id of its GstAnalyticsODMtd, comes once. Behind an
/// element that only marks what is cut off (GstVideoCropMeta), boxes are those in the visible part,
/// and objects outside of it are left out.
FrameResults read_results(GstBuffer* frame);

/// Whether there may be something to read.
bool has_results(GstBuffer* frame);

}  // namespace tandem
