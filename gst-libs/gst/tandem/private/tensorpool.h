// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/ref.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/opencl/opencl.h"

namespace tandem {

struct TandemMemory;  ///< a GstMemory whose content is an opencl::Buffer

/// The synchronised host and device memory behind memory that a TensorPool made; null for any
/// other.
opencl::Buffer* tandem_memory_buffer(GstMemory* memory);

/// GstMemory of one size that maps to the host lazily. It returns to the pool with its last
/// reference, so that a steady stream allocates nothing. The pool lives as long as its memory;
/// without other owners, it frees memory that returns. Thread-safe.
class TensorPool : public std::enable_shared_from_this<TensorPool> {
 public:
  /// `context` may be null: plain host memory. `bytes` may be 0.
  TensorPool(std::shared_ptr<opencl::Context> context, std::size_t bytes);
  ~TensorPool();

  /// Content undefined. `device`: which of the context's will write it; negative: the host will.
  MemoryRef acquire(int device = -1);

  /// Takes over memory that `before` made without a context; memory in use follows when it returns.
  /// No effect if the sizes differ, or are so small that allocation is cheap.
  void take_over(TensorPool& before);

  /// Process-wide count of allocations; constant once the stream is steady.
  static uint64_t allocations();

 private:
  friend gboolean tandem_memory_dispose(GstMiniObject* object);
  void recycle(TandemMemory* memory);
  void adopt(TandemMemory* memory);
  std::shared_ptr<TensorPool> heir();
  void shelve(TandemMemory* memory);
  TandemMemory* take(int device);
  template <class Suits>
  TandemMemory* take_from_shelf(Suits&& suits);

  /// Memory in the pool, by the thread that returned it. The core of a thread has it in the cache,
  /// and threads that compute side by side do not wait for each other. Lock order: of several
  /// shelves, the first one first.
  struct alignas(64) Shelf {
    std::mutex mutex;
    std::vector<TandemMemory*> memories;
    template <class Suits>
    TandemMemory* take(Suits&& suits);
  };
  static constexpr std::size_t kShelves = 8;

  const std::shared_ptr<opencl::Context> context_;
  const std::size_t bytes_;
  const std::size_t host_offset_;  // differs from that of the tensors before and behind
  std::array<Shelf, kShelves> shelves_;
  std::atomic<bool> has_heir_{false};
  std::mutex heir_mutex_;
  std::weak_ptr<TensorPool> heir_;  // has taken this one over
};

}  // namespace tandem
