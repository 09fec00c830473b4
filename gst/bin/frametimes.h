// SPDX-License-Identifier: LGPL-2.1-or-later
// Between GStreamer's times and those of FrameInterval and BinLatency.
#pragma once

#include <gst/video/video.h>

#include "gst/bin/frameinterval.h"

namespace tandem {

/// How far apart frames with these caps come; none: the caps have no rate.
FrameInterval::Time nominal_interval(const GstVideoInfo& info);

/// FrameInterval::came() of a buffer.
bool frame_came(FrameInterval& interval, const GstBuffer* frame);

/// Adds `least_ns` to the minimum of an answered LATENCY query. Its maximum grows by `frames` that
/// can wait, `frame_ns` each.
void add_latency(GstQuery* query, uint64_t least_ns, int frames, uint64_t frame_ns);

}  // namespace tandem
