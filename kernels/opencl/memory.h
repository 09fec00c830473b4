// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

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

/// Memory of one of the context's devices, a cl_mem; throws Error.
void* create(Context& context, int device, std::size_t bytes);
void release(void* mem) noexcept;

/// Page-locked host memory, where the device copies faster to and from it.
struct Pinned {
  void* mem = nullptr;  ///< cl_mem
  void* host =
      nullptr;  ///< 64-byte aligned; null: ordinary memory does as well, or there is none left
  int device = 0;
};
Pinned create_pinned(Context& context, int device, std::size_t bytes) noexcept;
void release_pinned(Context& context, const Pinned& pinned) noexcept;

/// Enqueue a copy; the host memory must live until the queue has finished. Throw Error.
void upload(Queue& queue, void* mem, const void* host, const HostRows& rows);
void download(Queue& queue, void* mem, void* host, const HostRows& rows);

/// Copies to the host and waits, on the device's own queue. Throws Error, which names the device.
/// Copies packed bytes to the device, after all that is enqueued before, and waits.
void upload_now(Queue& queue, void* mem, const void* host, std::size_t bytes, std::size_t at);

/// `at`: where the bytes begin in device memory.
void download_now(Context& context, int device, void* mem, void* host, std::size_t bytes,
                  std::size_t at = 0);

}  // namespace tandem::opencl::memory
