// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/allocation.h"

#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>

#include <vector>

#include "gst/memory/framepool.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem {
namespace {

constexpr GstAllocationParams kAligned{static_cast<GstMemoryFlags>(0), 63, 0, 0, {}};

// Who asks takes the first of what is offered, and a query can only be added to: what downstream
// offered is taken out and put back behind ours.

void put_allocator_first(GstQuery* query, GstAllocator* ours) {
  struct Offer {
    ObjectRef<GstAllocator> allocator;
    GstAllocationParams params;
  };
  std::vector<Offer> theirs(gst_query_get_n_allocation_params(query));
  for (Offer& offer : theirs) {
    GstAllocator* allocator = nullptr;
    gst_query_parse_nth_allocation_param(query, 0, &allocator, &offer.params);
    offer.allocator.reset(allocator);
    gst_query_remove_nth_allocation_param(query, 0);
  }
  gst_query_add_allocation_param(query, ours, &kAligned);
  for (const Offer& offer : theirs)
    gst_query_add_allocation_param(query, offer.allocator.get(), &offer.params);
}

void put_pool_first(GstQuery* query, GstBufferPool* ours, guint bytes) {
  struct Offer {
    ObjectRef<GstBufferPool> pool;
    guint size, least, most;
  };
  std::vector<Offer> theirs(gst_query_get_n_allocation_pools(query));
  for (Offer& offer : theirs) {
    GstBufferPool* pool = nullptr;
    gst_query_parse_nth_allocation_pool(query, 0, &pool, &offer.size, &offer.least, &offer.most);
    offer.pool.reset(pool);
    gst_query_remove_nth_allocation_pool(query, 0);
  }
  gst_query_add_allocation_pool(query, ours, bytes, 0, 0);
  for (const Offer& offer : theirs) {
    gst_query_add_allocation_pool(query, offer.pool.get(), offer.size, offer.least, offer.most);
  }
}

ObjectRef<GstBufferPool> make_pool(GstCaps* caps, guint bytes, GstAllocator* allocator) {
  ObjectRef<GstBufferPool> pool = make_frame_pool();
  GstStructure* config = gst_buffer_pool_get_config(pool.get());
  gst_buffer_pool_config_set_params(config, caps, bytes, 0, 0);
  gst_buffer_pool_config_set_allocator(config, allocator, &kAligned);
  if (!gst_buffer_pool_set_config(pool.get(), config)) pool.reset();
  return pool;
}

}  // namespace

bool offer_page_locked(BinRun& run, GstQuery* query) {
  GstCaps* caps = nullptr;
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &need_pool);
  GstVideoInfo info;
  if (!caps || !gst_video_info_from_caps(&info, caps)) return false;
  const auto bytes = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info));
  const ObjectRef<GstAllocator> allocator(run.frame_allocator(bytes));
  if (!allocator) return false;
  // GstVideoMeta is for downstream to announce: the frames go on to it as they came.
  put_allocator_first(query, allocator.get());
  ObjectRef<GstBufferPool> pool;
  if (need_pool) pool = make_pool(caps, bytes, allocator.get());
  put_pool_first(query, pool.get(), bytes);
  GST_DEBUG("offers page-locked memory for %" GST_PTR_FORMAT, caps);
  return true;
}

}  // namespace tandem
