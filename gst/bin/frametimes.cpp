// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/frametimes.h"

namespace tandem {
namespace {

FrameInterval::Time time_or_none(GstClockTime time) {
  return GST_CLOCK_TIME_IS_VALID(time) ? FrameInterval::Time(time) : std::nullopt;
}

}  // namespace

FrameInterval::Time nominal_interval(const GstVideoInfo& info) {
  if (info.fps_n <= 0 || info.fps_d <= 0) return std::nullopt;
  return gst_util_uint64_scale(GST_SECOND, info.fps_d, info.fps_n);
}

bool frame_came(FrameInterval& interval, const GstBuffer* frame) {
  return interval.came(time_or_none(GST_BUFFER_PTS(frame)),
                       time_or_none(GST_BUFFER_DURATION(frame)));
}

void add_latency(GstQuery* query, uint64_t least_ns, int frames, uint64_t frame_ns) {
  gboolean live = FALSE;
  GstClockTime least = 0, most = 0;
  gst_query_parse_latency(query, &live, &least, &most);
  // None where the product overflows: there is no maximum then.
  const GstClockTime waiting = gst_util_uint64_scale(frame_ns, static_cast<guint64>(frames), 1);
  const bool bounded = GST_CLOCK_TIME_IS_VALID(most) && GST_CLOCK_TIME_IS_VALID(waiting);
  gst_query_set_latency(query, live, least + least_ns,
                        bounded ? most + waiting : GST_CLOCK_TIME_NONE);
}

}  // namespace tandem
