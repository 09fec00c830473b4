// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/framepool.h"

#include <gst/video/gstvideopool.h>
#include <gst/video/video.h>

#include <mutex>
#include <utility>
#include <vector>

#include "gst/memory/pagelocked.h"

namespace tandem {
namespace {

// Free page-locked buffers, the latest one last. The parent keeps those of
// ordinary memory.
struct Idle {
  std::mutex mutex;
  std::vector<GstBuffer*> buffers;
  bool bounded = false;  // the configuration names a largest number of buffers
  guint bytes = 0;       // of each
};

struct TandemFramePool {
  GstVideoBufferPool parent;
  Idle* idle;
};
struct TandemFramePoolClass {
  GstVideoBufferPoolClass parent_class;
};

G_DEFINE_TYPE(TandemFramePool, frame_pool, GST_TYPE_VIDEO_BUFFER_POOL)

Idle& idle_of(GstBufferPool* pool) { return *reinterpret_cast<TandemFramePool*>(pool)->idle; }
GstBufferPoolClass* parent() { return GST_BUFFER_POOL_CLASS(frame_pool_parent_class); }

gboolean set_config(GstBufferPool* pool, GstStructure* config) {
  if (!parent()->set_config(pool, config)) return FALSE;
  Idle& idle = idle_of(pool);
  guint most = 0;
  gst_buffer_pool_config_get_params(config, nullptr, &idle.bytes, nullptr, &most);
  idle.bounded = most > 0;  // the parent lets callers wait for a buffer
  return TRUE;
}

GstFlowReturn acquire_buffer(GstBufferPool* pool, GstBuffer** buffer,
                             GstBufferPoolAcquireParams* params) {
  if (!GST_BUFFER_POOL_IS_FLUSHING(pool)) {
    Idle& idle = idle_of(pool);
    const std::lock_guard lock(idle.mutex);
    if (!idle.buffers.empty()) {
      *buffer = idle.buffers.back();
      idle.buffers.pop_back();
      return GST_FLOW_OK;
    }
  }
  return parent()->acquire_buffer(pool, buffer, params);
}

// The parent frees a buffer whose memory is another one now.
void release_buffer(GstBufferPool* pool, GstBuffer* buffer) {
  Idle& idle = idle_of(pool);
  const bool intact = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_TAG_MEMORY) &&
                      gst_buffer_get_size(buffer) == idle.bytes &&
                      gst_buffer_is_all_memory_writable(buffer);
  if (idle.bounded || !intact || !is_page_locked(buffer))
    return parent()->release_buffer(pool, buffer);
  const std::lock_guard lock(idle.mutex);
  idle.buffers.push_back(buffer);
}

// The parent frees all that it has, and counts them.
gboolean stop(GstBufferPool* pool) {
  Idle& idle = idle_of(pool);
  std::vector<GstBuffer*> buffers;
  {
    const std::lock_guard lock(idle.mutex);
    buffers = std::exchange(idle.buffers, {});
  }
  for (GstBuffer* buffer : buffers) parent()->release_buffer(pool, buffer);
  return parent()->stop(pool);
}

void frame_pool_init(TandemFramePool* self) { self->idle = new Idle; }

void frame_pool_class_init(TandemFramePoolClass* klass) {
  GstBufferPoolClass* const pool = GST_BUFFER_POOL_CLASS(klass);
  pool->set_config = set_config;
  pool->acquire_buffer = acquire_buffer;
  pool->release_buffer = release_buffer;
  pool->stop = stop;
  G_OBJECT_CLASS(klass)->finalize = [](GObject* object) {
    // Stops it, if it is still active.
    Idle* const idle = reinterpret_cast<TandemFramePool*>(object)->idle;
    G_OBJECT_CLASS(frame_pool_parent_class)->finalize(object);
    delete idle;
  };
}

constexpr GstAllocationParams kAligned{static_cast<GstMemoryFlags>(0), 63, 0, 0, {}};

// Upstream takes the first offer, and a query only appends: the offers of downstream are removed
// and appended again behind ours.

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
  auto* made = static_cast<GstBufferPool*>(g_object_new(frame_pool_get_type(), nullptr));
  ObjectRef<GstBufferPool> pool(GST_BUFFER_POOL(gst_object_ref_sink(made)));
  GstStructure* config = gst_buffer_pool_get_config(pool.get());
  gst_buffer_pool_config_set_params(config, caps, bytes, 0, 0);
  gst_buffer_pool_config_set_allocator(config, allocator, &kAligned);
  if (!gst_buffer_pool_set_config(pool.get(), config)) pool.reset();
  return pool;
}

}  // namespace

bool offer_frame_pool(GstQuery* query, const AllocatorFor& allocator_for) {
  GstCaps* caps = nullptr;
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &need_pool);
  GstVideoInfo info;
  if (!caps || !gst_video_info_from_caps(&info, caps)) return false;
  const auto bytes = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info));
  const ObjectRef<GstAllocator> allocator = allocator_for(bytes);
  if (!allocator) return false;
  // Only downstream can propose GstVideoMeta, because it receives the frames unchanged.
  put_allocator_first(query, allocator.get());
  ObjectRef<GstBufferPool> pool;
  if (need_pool) pool = make_pool(caps, bytes, allocator.get());
  put_pool_first(query, pool.get(), bytes);
  return true;
}

}  // namespace tandem
