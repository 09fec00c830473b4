// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdint>

namespace tandem {

/// A whole number of an element's `stats`; ~0: there is none of this name.
inline uint64_t stat_of(GstElement* element, const char* name) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  const GValue* value = gst_structure_get_value(stats, name);
  uint64_t number = ~uint64_t{0};
  if (value)
    number = G_VALUE_HOLDS_UINT64(value) ? g_value_get_uint64(value)
             : G_VALUE_HOLDS_UINT(value) ? g_value_get_uint(value)
                                         : static_cast<uint64_t>(g_value_get_int(value));
  gst_structure_free(stats);
  return number;
}

/// One of milliseconds; 0: unknown.
inline double ms_of(GstElement* element, const char* name) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  double ms = 0;
  gst_structure_get_double(stats, name, &ms);
  gst_structure_free(stats);
  return ms;
}

}  // namespace tandem
