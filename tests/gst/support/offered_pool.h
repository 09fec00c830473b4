// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

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

}  // namespace tandem
