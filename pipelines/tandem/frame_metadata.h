// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <nlohmann/json.hpp>
#include <string>

#include "gst/meta/motionmeta.h"

/// What Tandem's stages leave on the frames, read by the command.
namespace tandem {

/// The regions of a frame one by one; begins with *state null, null in the end.
GstVideoRegionOfInterestMeta* next_region(GstBuffer* frame, gpointer* state);
/// What the region was recognised as; empty when nothing says so.
std::string label_of(const GstVideoRegionOfInterestMeta* region);

/// The frame's motion vectors; null when it has none. The type is the plugin's.
const GstTandemMotionMeta* motion_of(GstBuffer* frame);

/// {"pts", "frame", "regions": [{"x", "y", "w", "h", "label", "confidence"}]}, and for a frame with
/// motion vectors "vectors": [{"x", "y", "dx", "dy", "track", "age"}].
nlohmann::ordered_json describe_frame(GstBuffer* frame, uint64_t number);

}  // namespace tandem
