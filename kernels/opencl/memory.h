// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/opencl/opencl.h"

/// What a Buffer asks of the OpenCL runtime. memory.cpp does it; in a build without OpenCL
/// stubs.cpp says that it cannot be done, so that Buffer itself is written once.
namespace tandem::opencl::memory {

/// Rows in host memory; in device memory they lie packed.
struct HostRows {
  std::size_t row_bytes = 0;
  std::size_t rows = 0;
  std::size_t stride_bytes = 0;
  std::size_t at = 0;  ///< where they begin in device memory: a multiple of `row_bytes`, or one row
};

/// Of device memory of so many bytes, from row `first_row` on; throws Error where they exceed it.
inline HostRows rows_within(std::size_t bytes, std::size_t row_bytes, int rows,
                            std::size_t stride_bytes, int first_row = 0) {
  const HostRows layout{row_bytes, static_cast<std::size_t>(std::max(rows, 0)), stride_bytes,
                        row_bytes * static_cast<std::size_t>(first_row)};
  if (layout.at + row_bytes * layout.rows > bytes) throw Error("the rows exceed the buffer");
  return layout;
}

/// Memory of one of the context's devices, a cl_mem; throws Error.
void* create(Context& context, int device, std::size_t bytes);
void release(void* mem) noexcept;

/// Whether the context's devices copy faster to and from page-locked host memory.
bool gains_by_locking(const Context& context);

/// Page-locks whole pages of the host as they are, so that the device copies faster and beside what
/// else it does. Null: ordinary memory does as well, or it cannot be done. release() unlocks them,
/// before the memory is given back.
void* lock_pages(Context& context, int device, void* host, std::size_t bytes) noexcept;

/// Page-locked memory of its own.
struct Pinned {
  void* mem = nullptr;   ///< what lock_pages() made
  void* host = nullptr;  ///< whole pages; null: no use or none left, see lock_pages()
};
Pinned create_pinned(Context& context, int device, std::size_t bytes) noexcept;
void release_pinned(const Pinned& pinned) noexcept;

/// Enqueue a copy; the host memory must live until the queue has finished. Throw Error.
void upload(Queue& queue, void* mem, const void* host, const HostRows& rows);
void download(Queue& queue, void* mem, void* host, const HostRows& rows);

/// Copies packed bytes to the device, after all that is enqueued before, and waits.
void upload_now(Queue& queue, void* mem, const void* host, std::size_t bytes, std::size_t at);

/// Copies to the host and waits, on the device's own queue. Throws Error, which names the device.
/// `at`: where the bytes begin in device memory.
void download_now(Context& context, int device, void* mem, void* host, std::size_t bytes,
                  std::size_t at = 0);
void download_now(Context& context, int device, void* mem, void* host, const HostRows& rows);

}  // namespace tandem::opencl::memory
