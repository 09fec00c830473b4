// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/tensorpool.h>

#include <algorithm>
#include <utility>

#include "kernels/util/plane_offset.h"

namespace tandem {

// Standard layout: GstMemory first, as GStreamer's C casts need it.
struct TandemMemory {
  GstMemory base;
  opencl::Buffer* buffer;
  // The pool that it returns to; empty while it lies in the pool, or the two would keep each other.
  std::shared_ptr<TensorPool>* pool;
};

namespace {

std::atomic<uint64_t> allocation_count{0};

// Pools of a frame's tensors are made one after the other. Small tensors have no offset.
std::size_t next_host_offset(std::size_t bytes) {
  constexpr std::size_t kSmall = 16384;
  static std::atomic<unsigned> planes{0};
  return bytes < kSmall ? 0 : plane_offset(planes.fetch_add(1, std::memory_order_relaxed));
}

struct TandemAllocator {
  GstAllocator parent;
};
struct TandemAllocatorClass {
  GstAllocatorClass parent_class;
};

G_DEFINE_TYPE(TandemAllocator, tandem_allocator, GST_TYPE_ALLOCATOR)

TandemMemory* tensor_memory(GstMemory* memory) { return reinterpret_cast<TandemMemory*>(memory); }

gpointer map(GstMemory* memory, gsize, GstMapFlags flags) {
  using Access = opencl::Buffer::Access;
  const bool reads = (flags & GST_MAP_READ) != 0, writes = (flags & GST_MAP_WRITE) != 0;
  try {
    return tensor_memory(memory)->buffer->host(reads && writes ? Access::read_write
                                               : writes        ? Access::write
                                                               : Access::read);
  } catch (const std::exception& e) {
    GST_ERROR("cannot map a tensor to the host: %s", e.what());
    return nullptr;
  }
}

void unmap(GstMemory*) {}

void tandem_allocator_init(TandemAllocator* self) {
  GstAllocator* allocator = GST_ALLOCATOR_CAST(self);
  allocator->mem_type = "TandemTensor";
  allocator->mem_map = map;
  allocator->mem_unmap = unmap;
  GST_OBJECT_FLAG_SET(self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

void tandem_allocator_class_init(TandemAllocatorClass* klass) {
  // Only a pool makes this memory, because it has the device.
  GST_ALLOCATOR_CLASS(klass)->alloc = [](GstAllocator*, gsize, GstAllocationParams*) -> GstMemory* {
    return nullptr;
  };
  GST_ALLOCATOR_CLASS(klass)->free = [](GstAllocator*, GstMemory* memory) {
    delete tensor_memory(memory)->buffer;
    delete tensor_memory(memory)->pool;
    delete tensor_memory(memory);
  };
}

// Threads have numbers in the order in which they come, so that few share a shelf.
std::size_t number_of_thread() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

GstAllocator* allocator() {
  static GstAllocator* const instance = [] {
    auto* made = static_cast<GstAllocator*>(g_object_new(tandem_allocator_get_type(), nullptr));
    gst_object_ref_sink(made);
    GST_OBJECT_FLAG_SET(made, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    return made;
  }();
  return instance;
}

}  // namespace

gboolean tandem_memory_dispose(GstMiniObject* object) {
  TandemMemory* memory = tensor_memory(reinterpret_cast<GstMemory*>(object));
  const std::shared_ptr<TensorPool> pool = std::move(*memory->pool);
  memory->pool->reset();
  // No caller will request it from the pool.
  if (!pool || (pool.use_count() == 1 && !pool->heir())) return TRUE;
  gst_mini_object_ref(object);
  pool->recycle(memory);
  return FALSE;
}

opencl::Buffer* tandem_memory_buffer(GstMemory* memory) {
  return memory->allocator == allocator() ? tensor_memory(memory)->buffer : nullptr;
}

TensorPool::TensorPool(std::shared_ptr<opencl::Context> context, std::size_t bytes)
    : context_(std::move(context)), bytes_(bytes), host_offset_(next_host_offset(bytes)) {
  // Before anything is added to it. TensorSpec::bytes() is SIZE_MAX where a product of sizes is.
  if (bytes > PTRDIFF_MAX) throw std::bad_alloc();
}

TensorPool::~TensorPool() {
  for (Shelf& shelf : shelves_)
    for (TandemMemory* memory : shelf.memories) gst_memory_unref(&memory->base);
}

// The one used last is the one that caches hold.
template <class Suits>
TandemMemory* TensorPool::Shelf::take(Suits&& suits) {
  const auto chosen = std::find_if(memories.rbegin(), memories.rend(), suits);
  if (chosen == memories.rend()) return nullptr;
  TandemMemory* const memory = *chosen;
  memories.erase(std::next(chosen).base());
  return memory;
}

// From this thread's shelf, else from one behind it.
template <class Suits>
TandemMemory* TensorPool::take_from_shelf(Suits&& suits) {
  const std::size_t mine = number_of_thread();
  for (std::size_t i = 0; i < kShelves; ++i) {
    Shelf& shelf = shelves_[(mine + i) % kShelves];
    std::lock_guard lock(shelf.mutex);
    if (TandemMemory* const memory = shelf.take(suits)) return memory;
  }
  return nullptr;
}

// Prefers memory that is on this device, if there are several devices. Null: all are in use.
TandemMemory* TensorPool::take(int device) {
  const auto any = [](const TandemMemory*) { return true; };
  if (device >= 0 && context_ && context_->devices() > 1) {
    const auto is_there = [&](const TandemMemory* each) { return each->buffer->is_on(device); };
    if (TandemMemory* const there = take_from_shelf(is_there)) return there;
  }
  if (TandemMemory* const memory = take_from_shelf(any)) return memory;
  // One may have come to a shelf that was empty a moment ago, and the next shelf lost another.
  std::array<std::unique_lock<std::mutex>, kShelves> locks;
  for (std::size_t i = 0; i < kShelves; ++i) locks[i] = std::unique_lock(shelves_[i].mutex);
  for (Shelf& shelf : shelves_)
    if (TandemMemory* const memory = shelf.take(any)) return memory;
  return nullptr;
}

MemoryRef TensorPool::acquire(int device) {
  TandemMemory* memory = take(device);
  if (!memory) {
    memory = new TandemMemory{};
    memory->buffer = new opencl::Buffer(context_, std::max<std::size_t>(bytes_, 1), host_offset_);
    memory->pool = new std::shared_ptr<TensorPool>;
    gst_memory_init(&memory->base, GST_MEMORY_FLAG_NO_SHARE, allocator(), nullptr, bytes_, 63, 0,
                    bytes_);
    GST_MINI_OBJECT_CAST(memory)->dispose = tandem_memory_dispose;
    allocation_count.fetch_add(1, std::memory_order_relaxed);
  }
  memory->base.offset = 0;  // an element may have resized it
  memory->base.size = bytes_;
  *memory->pool = shared_from_this();
  return MemoryRef(&memory->base);
}

void TensorPool::recycle(TandemMemory* memory) {
  if (const std::shared_ptr<TensorPool> next = heir()) return next->adopt(memory);
  memory->buffer->discard();
  shelve(memory);
}

void TensorPool::adopt(TandemMemory* memory) {
  memory->buffer->join(context_);
  shelve(memory);
}

std::shared_ptr<TensorPool> TensorPool::heir() {
  if (!has_heir_) return nullptr;
  std::lock_guard lock(heir_mutex_);
  return heir_.lock();
}

void TensorPool::take_over(TensorPool& before) {
  constexpr std::size_t kSoonMade = std::size_t{1} << 20;
  if (!context_ || before.context_ || bytes_ != before.bytes_ || bytes_ < kSoonMade) return;
  {
    std::lock_guard lock(before.heir_mutex_);
    before.heir_ = weak_from_this();
    before.has_heir_ = true;
  }
  for (Shelf& shelf : before.shelves_) {
    std::unique_lock lock(shelf.mutex);
    const std::vector<TandemMemory*> memories = std::exchange(shelf.memories, {});
    lock.unlock();
    for (TandemMemory* memory : memories) adopt(memory);
  }
}

void TensorPool::shelve(TandemMemory* memory) {
  Shelf& shelf = shelves_[number_of_thread() % kShelves];
  std::lock_guard lock(shelf.mutex);
  shelf.memories.push_back(memory);
}

uint64_t TensorPool::allocations() { return allocation_count.load(std::memory_order_relaxed); }

}  // namespace tandem
