// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/pagelocked.h"

#include <gst/tandem/private/framepixels.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "files/parse_number.h"
#include "kernels/opencl/memory.h"
#include "scheduler/machine/memory.h"

namespace tandem {
namespace {

constexpr std::size_t kShareOfMemory = 32;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kPage = 4096;
constexpr int kDevice = 0;        // of the context, in whose cl_context pages are locked
constexpr gsize kAlignment = 63;  // of GstAllocationParams; pages have it

std::size_t bound_bytes() {
  const std::size_t usual = std::min(memory_of_process() / kShareOfMemory, kMostBytes);
  const char* const text = std::getenv("TANDEM_PAGE_LOCKED_MIB");
  if (text == nullptr) return usual;
  const auto mib = parse_number<std::size_t>(text);
  if (mib && *mib <= SIZE_MAX >> 20) return *mib << 20;
  GST_WARNING("TANDEM_PAGE_LOCKED_MIB=%s is not a whole number of MiB, so the limit stays %zu MiB",
              text, usual >> 20);
  return usual;
}

// The allocators of the process share the bound.
std::atomic<std::size_t> locked_bytes{0};

bool reserve(std::size_t bytes, std::size_t bound) {
  std::size_t locked = locked_bytes;
  do {
    if (bytes > bound || locked > bound - bytes) return false;
  } while (!locked_bytes.compare_exchange_weak(locked, locked + bytes));
  return true;
}

// Page-locked memory of one context, with its free chunks.
class Store {
 public:
  struct Chunk {
    opencl::memory::Pinned pinned;
    std::size_t bytes = 0;
  };

  Store(std::shared_ptr<opencl::Context> context, std::size_t bound)
      : context_(std::move(context)), bound_(bound) {}

  ~Store() {
    for (const Chunk& chunk : idle_) release(chunk);
  }

  // Without a host side when none is left.
  Chunk take(std::size_t bytes) {
    bytes = (bytes + kPage - 1) / kPage * kPage;
    if (Chunk idle; pop(bytes, idle)) return idle;
    while (!reserve(bytes, bound_)) {
      // Upstream takes other sizes now: what is left of the former ones makes room.
      Chunk unfit;
      if (!pop(0, unfit)) return {};
      release(unfit);
    }
    const Chunk made{opencl::memory::create_pinned(*context_, kDevice, bytes), bytes};
    if (made.pinned.host) {
      ++opencl::counters().buffers_created;
    } else {
      locked_bytes -= bytes;
    }
    return made;
  }

  void give_back(const Chunk& chunk) {
    std::lock_guard lock(mutex_);
    idle_.push_back(chunk);
  }

 private:
  // Takes a chunk of this many bytes, 0: of any.
  bool pop(std::size_t bytes, Chunk& found) {
    std::lock_guard lock(mutex_);
    // The one used last is the one that caches hold.
    const auto fit = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Chunk& chunk) {
      return bytes == 0 || chunk.bytes == bytes;
    });
    if (fit == idle_.rend()) return false;
    found = *fit;
    idle_.erase(std::next(fit).base());
    return true;
  }

  void release(const Chunk& chunk) {
    opencl::memory::release_pinned(chunk.pinned);
    locked_bytes -= chunk.bytes;
  }

  const std::shared_ptr<opencl::Context> context_;
  const std::size_t bound_;
  std::mutex mutex_;
  std::vector<Chunk> idle_;
};

// Standard layout: GstMemory first, as GStreamer's C casts need it.
struct PageLockedMemory {
  GstMemory base;
  char* data;          // at offset 0
  Store::Chunk chunk;  // none in a part of other memory
};

struct PageLockedAllocator {
  GstAllocator parent;
  Store* store;
};
struct PageLockedAllocatorClass {
  GstAllocatorClass parent_class;
};

G_DEFINE_TYPE(PageLockedAllocator, page_locked_allocator, GST_TYPE_ALLOCATOR)

PageLockedAllocator* cast(gpointer allocator) {
  return static_cast<PageLockedAllocator*>(allocator);
}
PageLockedMemory* cast(GstMemory* memory) { return reinterpret_cast<PageLockedMemory*>(memory); }

GstMemory* allocate(GstAllocator* allocator, gsize size, GstAllocationParams* params) {
  const gsize wanted = params->prefix + size + params->padding;
  const gsize slack = params->align > kAlignment ? params->align : 0;
  const Store::Chunk chunk = cast(allocator)->store->take(std::max<gsize>(wanted + slack, 1));
  if (!chunk.pinned.host) return gst_allocator_alloc(nullptr, size, params);
  auto* host = static_cast<char*>(chunk.pinned.host);
  host += -reinterpret_cast<guintptr>(host) & params->align;
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED) std::memset(host, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    std::memset(host + params->prefix + size, 0, params->padding);
  auto* memory = new PageLockedMemory{{}, host, chunk};
  gst_memory_init(&memory->base, params->flags, allocator, nullptr, wanted,
                  std::max(params->align, kAlignment), params->prefix, size);
  return &memory->base;
}

void free_memory(GstAllocator* allocator, GstMemory* memory) {
  if (cast(memory)->chunk.pinned.host) cast(allocator)->store->give_back(cast(memory)->chunk);
  delete cast(memory);
}

GstMemory* share(GstMemory* memory, gssize offset, gssize size) {
  GstMemory* whole = memory->parent ? memory->parent : memory;
  const gsize skipped = static_cast<gsize>(offset);
  const gsize shared = size < 0 ? memory->size - skipped : static_cast<gsize>(size);
  auto* part = new PageLockedMemory{{}, cast(memory)->data, {}};
  const auto flags = static_cast<GstMemoryFlags>(GST_MINI_OBJECT_FLAGS(whole) |
                                                 GST_MINI_OBJECT_FLAG_LOCK_READONLY);
  gst_memory_init(&part->base, flags, memory->allocator, whole, memory->maxsize, memory->align,
                  memory->offset + skipped, shared);
  return &part->base;
}

// Writers of shared memory copy it, which may happen for every frame: the copy is page-locked and
// reuses freed memory as well.
GstMemory* copy(GstMemory* memory, gssize offset, gssize size) {
  const gsize skipped = static_cast<gsize>(offset);
  const gsize bytes = size < 0 ? memory->size - skipped : static_cast<gsize>(size);
  GstAllocationParams params{};
  params.align = memory->align;
  GstMemory* const made = gst_allocator_alloc(memory->allocator, bytes, &params);
  GstMapInfo to;
  gst_memory_map(made, &to, GST_MAP_WRITE);
  std::memcpy(to.data, cast(memory)->data + memory->offset + skipped, bytes);
  gst_memory_unmap(made, &to);
  return made;
}

void page_locked_allocator_init(PageLockedAllocator* self) {
  GstAllocator* allocator = GST_ALLOCATOR_CAST(self);
  allocator->mem_type = kPageLockedType;
  allocator->mem_map = [](GstMemory* memory, gsize, GstMapFlags) -> gpointer {
    return cast(memory)->data;
  };
  allocator->mem_unmap = [](GstMemory*) {};
  allocator->mem_share = share;
  allocator->mem_copy = copy;
}

void page_locked_allocator_class_init(PageLockedAllocatorClass* klass) {
  GST_ALLOCATOR_CLASS(klass)->alloc = allocate;
  GST_ALLOCATOR_CLASS(klass)->free = free_memory;
  G_OBJECT_CLASS(klass)->finalize = [](GObject* object) {
    delete cast(object)->store;
    G_OBJECT_CLASS(page_locked_allocator_parent_class)->finalize(object);
  };
}

}  // namespace

ObjectRef<GstAllocator> make_page_locked_allocator(std::shared_ptr<opencl::Context> context) {
  const opencl::DeviceDescription& device = context->device();
  const std::size_t bound = bound_bytes();
  if (bound == 0 || device.is_cpu || device.unified_memory) return {};
  auto* made = cast(g_object_new(page_locked_allocator_get_type(), nullptr));
  made->store = new Store(std::move(context), bound);
  return ObjectRef<GstAllocator>(GST_ALLOCATOR(gst_object_ref_sink(made)));
}

bool is_page_locked(GstBuffer* buffer) {
  if (gst_buffer_n_memory(buffer) == 0) return false;
  GstAllocator* allocator = gst_buffer_peek_memory(buffer, 0)->allocator;
  return G_TYPE_CHECK_INSTANCE_TYPE(allocator, page_locked_allocator_get_type());
}

}  // namespace tandem
