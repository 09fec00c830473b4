// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <span>

namespace tandem {

/// The facts about a region that its box and its type do not hold.
struct RegionResult {
  gint region = 0;  ///< id of the GstVideoRegionOfInterestMeta
  gint id = 0;      ///< unique in this process, never 0
  GQuark label = 0;
  gint label_id = 0;
  gdouble confidence = 0;
  bool is_scene = false;      ///< a label of the whole frame
  bool is_predicted = false;  ///< where a tracker expects an object that no detector found
  uint64_t object_id = 0;     ///< from tandemtrack; 0: none
};

/// The results of Tandem's elements for a frame: GstTandemResultMeta. Copied with every frame, also
/// where a stock element makes a frame of another size or format of it. There, GStreamer 1.22 drops
/// the parameters of regions, and a scene would become a detection.
struct FrameResultMeta {
  GstMeta meta;
  GArray* results;    ///< of RegionResult; null: none
  bool detector_ran;  ///< a detector processed this frame, with or without a finding
};

/// The results in `meta`, which may be null.
std::span<RegionResult> results_in(const FrameResultMeta* meta);

/// The frame's results; null when it has none. Registers no type, so that programs may call it.
FrameResultMeta* result_meta_of(GstBuffer* frame);

/// The frame's results, added if it has none; null when the buffer is not writable.
FrameResultMeta* ensure_result_meta(GstBuffer* frame);

/// Adds a result; the reference is valid until the next call.
RegionResult& add_result(FrameResultMeta* meta, const RegionResult& result);

}  // namespace tandem
