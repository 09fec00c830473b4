// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/memory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "kernels/opencl/host_memory.h"
#include "kernels/opencl/native.h"

namespace tandem::opencl {

ConstantData constant_data(Context& context, const void* data, std::size_t bytes) {
  return checked("copy a kernel's constants to the device", [&] {
    ConstantData copies;
    for (const auto& device : context.native().devices) {
      const auto copy = std::make_shared<cl::Buffer>(
          device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, const_cast<void*>(data));
      copies.each.emplace_back(copy, (*copy)());
      ++counters().buffers_created;
    }
    return copies;
  });
}

namespace memory {

void* create(Context& context, int device, std::size_t bytes) {
  cl_int status = CL_SUCCESS;
  // OpenCL has no empty buffers.
  const cl_mem mem = clCreateBuffer(context.native().at(device).context(), CL_MEM_READ_WRITE,
                                    bytes == 0 ? 1 : bytes, nullptr, &status);
  if (status != CL_SUCCESS) {
    throw Error("cannot allocate " + std::to_string(bytes) +
                " bytes on the device: " + describe(cl::Error(status, "clCreateBuffer")));
  }
  return mem;
}

void release(void* mem) noexcept { clReleaseMemObject(static_cast<cl_mem>(mem)); }

bool gains_by_locking(const Context& context) {
  const DeviceDescription& device = context.device();
  return !device.is_cpu && !device.unified_memory;
}

// The driver locks the pages of a buffer's memory when the buffer is made. No command ever uses the
// buffer and nobody maps it: it would be copied to the device and back. Memory of the driver's
// (CL_MEM_ALLOC_HOST_PTR) is as fast to copy to and takes 7 to 11 times as long to make.
void* lock_pages(Context& context, int device, void* host, std::size_t bytes) noexcept {
  if (bytes == 0 || !gains_by_locking(context)) return nullptr;
  cl_int status = CL_SUCCESS;
  const cl_mem mem = clCreateBuffer(context.native().at(device).context(),
                                    CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, &status);
  return status == CL_SUCCESS ? mem : nullptr;
}

Pinned create_pinned(Context& context, int device, std::size_t bytes) noexcept {
  if (bytes == 0 || !gains_by_locking(context)) return {};
  Pinned pinned;
  pinned.host = allocate_pages(bytes);
  if (pinned.host == nullptr) return {};
  touch(pinned.host, bytes);
  pinned.mem = lock_pages(context, device, pinned.host, bytes);
  if (pinned.mem != nullptr) return pinned;
  std::free(pinned.host);
  return {};
}

void release_pinned(const Pinned& pinned) noexcept {
  release(pinned.mem);
  std::free(pinned.host);
}

namespace {

// A copy of so much takes up to 100 ms where its memory is touched for the first time.
constexpr std::size_t kPieceBytes = std::size_t{32} << 20;

bool is_packed(const HostRows& rows) {
  return rows.rows == 1 || rows.stride_bytes == rows.row_bytes;
}

// Calls `copy` with the offset and the size of each piece: of all, unless the queue keeps a pace.
// The times of kernels do not predict those of copies, nor the reverse.
template <class Copy>
void in_pieces(Queue& queue, std::size_t bytes, Copy&& copy) {
  Queue::Native& native = queue.native();
  if (!native.stop || bytes <= kPieceBytes) return copy(0, bytes);
  queue.pace(native.stop);
  for (std::size_t at = 0; at < bytes; at += kPieceBytes) {
    copy(at, std::min(kPieceBytes, bytes - at));
    native.keep_pace();
  }
  queue.pace(native.stop);
}

}  // namespace

void upload(Queue& queue, void* mem, const void* host, const HostRows& rows) {
  const std::size_t bytes = rows.row_bytes * rows.rows;
  if (bytes == 0) return;
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  CopyPlace place = place_for_upload(queue);
  cl::CommandQueue& commands = place.queue;
  command(queue, "copy to the device", [&] {
    if (is_packed(rows)) {
      in_pieces(queue, bytes, [&](std::size_t at, std::size_t size) {
        commands.enqueueWriteBuffer(buffer, CL_FALSE, rows.at + at, size,
                                    static_cast<const std::byte*>(host) + at, nullptr, place.done);
      });
    } else {
      const std::array<std::size_t, 3> origin{0, rows.at / rows.row_bytes, 0};
      commands.enqueueWriteBufferRect(buffer, CL_FALSE, origin, {0, 0, 0},
                                      {rows.row_bytes, rows.rows, 1}, rows.row_bytes, 0,
                                      rows.stride_bytes, 0, host, nullptr, place.done);
    }
    if (place.done) commands.flush();
  });
}

void upload_now(Queue& queue, void* mem, const void* host, std::size_t bytes, std::size_t at) {
  if (bytes == 0) return;
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  enqueue_deferred(queue);
  command(queue, "copy to the device",
          [&] { queue.native().queue.enqueueWriteBuffer(buffer, CL_TRUE, at, bytes, host); });
}

void download_now(Queue& queue, void* mem, void* host, std::size_t bytes, std::size_t at) {
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  enqueue_deferred(queue);
  command(queue, "copy from the device",
          [&] { queue.native().queue.enqueueReadBuffer(buffer, CL_TRUE, at, bytes, host); });
}

void clear(Queue& queue, void* mem, std::size_t bytes) {
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  enqueue_deferred(queue);
  command(queue, "clear memory of the device",
          [&] { queue.native().queue.enqueueFillBuffer(buffer, cl_int{0}, 0, bytes); });
}

void download(Queue& queue, void* mem, void* host, std::size_t bytes, std::size_t at) {
  if (bytes == 0) return;
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  CopyPlace place = place_for_download(queue);
  cl::CommandQueue& commands = place.queue;
  command(queue, "copy from the device", [&] {
    in_pieces(queue, bytes, [&](std::size_t from, std::size_t size) {
      commands.enqueueReadBuffer(buffer, CL_FALSE, at + from, size,
                                 static_cast<std::byte*>(host) + from, place.waits, place.done);
    });
    if (place.done) commands.flush();
  });
}

void download_now(Context& context, int device, void* mem, void* host, std::size_t bytes,
                  std::size_t at) {
  download_now(context, device, mem, host, HostRows{bytes, 1, bytes, at});
}

void download_now(Context& context, int device, void* mem, void* host, const HostRows& rows) {
  if (rows.row_bytes * rows.rows == 0) return;
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  NativeDevice& native = context.native().at(device);
  const std::lock_guard lock(native.transfer_mutex);
  try {
    command(native, native.transfer, "copy from the device", [&] {
      if (is_packed(rows))
        native.transfer.enqueueReadBuffer(buffer, CL_TRUE, rows.at, rows.row_bytes * rows.rows,
                                          host);
      else
        native.transfer.enqueueReadBufferRect(buffer, CL_TRUE, {0, rows.at / rows.row_bytes, 0},
                                              {0, 0, 0}, {rows.row_bytes, rows.rows, 1},
                                              rows.row_bytes, 0, rows.stride_bytes, 0, host);
    });
  } catch (const Error& error) {
    throw Error(error.what(), device, context);
  }
}

}  // namespace memory
}  // namespace tandem::opencl
