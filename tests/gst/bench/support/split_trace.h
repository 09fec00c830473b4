// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <map>
#include <string>

namespace tandem {

/// `split-times` of a bin's `stats`: the parts of a segment, in microseconds; empty: nothing was
/// split.
struct Trace {
  static constexpr const char* kParts[] = {"prepare-us", "enqueue-us", "cores-us",
                                           "device-us",  "wait-us",    "join-us"};
  std::map<std::string, double> sums;  // over segments
  guint64 segments = 0;

  static Trace of(GstElement* bin) {
    Trace trace;
    GstStructure *stats = nullptr, *times = nullptr;
    g_object_get(bin, "stats", &stats, nullptr);
    if (gst_structure_get(stats, "split-times", GST_TYPE_STRUCTURE, &times, nullptr)) {
      gst_structure_get_uint64(times, "segments", &trace.segments);
      for (const char* part : kParts) {
        double us = 0;
        gst_structure_get_double(times, part, &us);
        trace.sums[part] = us * static_cast<double>(trace.segments);
      }
      gst_structure_free(times);
    }
    gst_structure_free(stats);
    return trace;
  }
  Trace since(const Trace& before) const {
    Trace all = *this;
    all.segments -= before.segments;
    for (const auto& [part, sum] : before.sums) all.sums[part] -= sum;
    return all;
  }
};

}  // namespace tandem
