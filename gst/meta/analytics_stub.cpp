// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/analytics.h"

namespace tandem::analytics {

gint add_object(GstBuffer*, const Region&, const GstVideoRegionOfInterestMeta*) { return -1; }
gint add_scene(GstBuffer*, const Region&) { return -1; }
void add_track(GstBuffer*, gint, uint64_t, GstClockTime, GstClockTime) {}
void mark(GstBuffer*) {}
void read(GstBuffer*, FrameResults&) {}

bool is_on(GstBuffer*) { return false; }

}  // namespace tandem::analytics
