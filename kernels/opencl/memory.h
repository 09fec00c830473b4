// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/opencl/opencl.h"

/// Device memory, for Buffer. Implemented by memory.cpp; a build without OpenCL links stubs.cpp
/// instead, which throws, so that Buffer has one implementation.
namespace tandem::opencl::memory {

/// Rows in host memory; in device memory they lie packed.
struct HostRows {
  std::size_t row_bytes = 0;
  std::size_t rows = 0;
  std::size_t stride_bytes = 0;
  std::size_t at = 0;  ///< begin in device memory: a multiple of `row_bytes`, or one row
};

/// Rows from row `first_row` on of device memory of `bytes`. Throws Error if they exceed it.
inline HostRows rows_within(std::size_t bytes, std::size_t row_bytes, int rows,
                            std::size_t stride_bytes, int first_row = 0) {
  const HostRows layout{row_bytes, static_cast<std::size_t>(std::max(rows, 0)), stride_bytes,
                        row_bytes * static_cast<std::size_t>(first_row)};
  if (layout.at + row_bytes * layout.rows > bytes) throw Error("the rows exceed the buffer");
  return layout;
}

/// Allocates memory on one of the context's devices and returns its cl_mem. Throws Error.
void* create(Context& context, int device, std::size_t bytes);
void release(void* mem) noexcept;

/// Whether the context's devices copy faster to and from page-locked host memory.
bool gains_by_locking(const Context& context);

/// Page-locks whole pages of host memory in place, so that the device copies faster and beside its
/// kernels. Null: ordinary memory is as fast, or locking failed. release() unlocks them and has to
/// be called before the memory is freed.
void* lock_pages(Context& context, int device, void* host, std::size_t bytes) noexcept;

/// Page-locked memory with its own allocation.
struct Pinned {
  void* mem = nullptr;   ///< the cl_mem of lock_pages()
  void* host = nullptr;  ///< whole pages; null: no gain or no memory, see lock_pages()
};
Pinned create_pinned(Context& context, int device, std::size_t bytes) noexcept;
void release_pinned(const Pinned& pinned) noexcept;

/// Enqueue a copy; the host memory must live until the queue has finished. Throw Error.
void upload(Queue& queue, void* mem, const void* host, const HostRows& rows);
void download(Queue& queue, void* mem, void* host, std::size_t bytes, std::size_t at = 0);

/// Copy packed bytes to or from the device, after all enqueued commands, and wait. Throw Error.
void upload_now(Queue& queue, void* mem, const void* host, std::size_t bytes, std::size_t at);
void download_now(Queue& queue, void* mem, void* host, std::size_t bytes, std::size_t at);

/// Enqueues the fill of `bytes`, a multiple of 4, with 0. Throws Error.
void clear(Queue& queue, void* mem, std::size_t bytes);

/// Copies to the host on the device's own queue, and waits. `at`: offset of the bytes in device
/// memory. Throws an Error that names the device.
void download_now(Context& context, int device, void* mem, void* host, std::size_t bytes,
                  std::size_t at = 0);
void download_now(Context& context, int device, void* mem, void* host, const HostRows& rows);

}  // namespace tandem::opencl::memory
