// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/motionmeta.h>
#include <gst/video/video.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Results for a frame, of elements of Tandem and of others.
namespace tandem {

/// Counts of bad results of a frame, which read_results() leaves out or repairs.
struct BadResults {
  gsize boxes = 0;        ///< left out: without an area, or outside of the frame
  gsize confidences = 0;  ///< unknown: not a number from 0 to 1
  gsize labels = 0;       ///< repaired: not UTF-8, or longer than kMostLabelBytes
  gsize vectors = 0;      ///< left out: not finite, or outside of the frame
  gsize not_read = 0;     ///< left out: beyond kMostObjects or kMostVectors
};

/// Objects and scenes of a frame that are read. Data sets of dense crowds have fewer people in
/// almost every picture. This bounds the cost of a frame: its line of JSON has at most 20 MB.
inline constexpr gsize kMostObjects = 10'000;
/// Motion vectors of a frame that are read.
inline constexpr gsize kMostVectors = 100'000;
/// Bytes of a label that are read. One label of a megabyte costs its writer nothing, as all regions
/// share the text, and each reader a megabyte for each region.
inline constexpr gsize kMostLabelBytes = 256;

/// The beginning of `text`, which may be null, as UTF-8.
std::string clean_label(const gchar* text, BadResults& bad);

/// A confidence from 0 to 1, with a tolerance for rounding; nothing for other numbers.
std::optional<gdouble> clean_confidence(gdouble value, BadResults& bad);

/// Posts a warning of each kind that `told` does not have yet, and adds it there.
void tell_bad_results(GstElement* element, const BadResults& bad, BadResults& told);

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
