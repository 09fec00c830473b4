// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <vector>

namespace tandem {

/// The pool that whoever is behind a source pad offers for frames with these caps, for the caller
/// to give back; null: none.
inline GstBufferPool* offered_pool(GstPad* source, GstCaps* caps) {
  GstQuery* query = gst_query_new_allocation(caps, TRUE);
  GstBufferPool* pool = nullptr;
  if (gst_pad_peer_query(source, query) && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, nullptr, nullptr);
  gst_query_unref(query);
  return pool;
}

/// Puts the pixels of `frame` into a buffer of its size.
inline void fill(GstBuffer* buffer, GstBuffer* frame) {
  GstMapInfo map;
  gst_buffer_map(frame, &map, GST_MAP_READ);
  gst_buffer_fill(buffer, 0, map.data, map.size);
  gst_buffer_unmap(frame, &map);
}

/// Copies of frames in the memory of a pool, as many as it has, for the caller to give back before
/// the pool goes.
inline std::vector<GstBuffer*> copies_in(GstBufferPool* pool,
                                         const std::vector<GstBuffer*>& frames) {
  std::vector<GstBuffer*> copies;
  if (!pool || !gst_buffer_pool_set_active(pool, TRUE)) return copies;
  for (GstBuffer* frame : frames) {
    GstBufferPoolAcquireParams without_waiting{};
    without_waiting.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
    GstBuffer* copy = nullptr;
    if (gst_buffer_pool_acquire_buffer(pool, &copy, &without_waiting) != GST_FLOW_OK) break;
    fill(copy, frame);
    copies.push_back(copy);
  }
  return copies;
}

}  // namespace tandem
