// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/memory.h"

#include "kernels/opencl/native.h"

namespace tandem::opencl {

cl::Buffer constant_data(Context& context, const void* data, std::size_t bytes) {
  return checked("copy a kernel's constants to the device", [&] {
    cl::Buffer buffer(context.native().context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                      const_cast<void*>(data));
    ++counters().buffers_created;
    return buffer;
  });
}

namespace memory {

void* create(Context& context, std::size_t bytes) {
  cl_int status = CL_SUCCESS;
  // OpenCL has no empty buffers.
  const cl_mem mem = clCreateBuffer(context.native().context(), CL_MEM_READ_WRITE,
                                    bytes == 0 ? 1 : bytes, nullptr, &status);
  if (status != CL_SUCCESS) {
    throw Error("cannot allocate " + std::to_string(bytes) +
                " bytes on the device: " + describe(cl::Error(status, "clCreateBuffer")));
  }
  return mem;
}

void release(void* mem) noexcept { clReleaseMemObject(static_cast<cl_mem>(mem)); }

Pinned create_pinned(Context& context, std::size_t bytes) noexcept {
  const DeviceDescription& device = context.device();
  if (bytes == 0 || device.is_cpu || device.unified_memory) return {};
  cl_int status = CL_SUCCESS;
  Pinned pinned;
  pinned.mem = clCreateBuffer(context.native().context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                              bytes, nullptr, &status);
  if (status != CL_SUCCESS) return {};
  const std::lock_guard lock(context.native().transfer_mutex);
  pinned.host =
      clEnqueueMapBuffer(context.native().transfer(), static_cast<cl_mem>(pinned.mem), CL_TRUE,
                         CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &status);
  if (status == CL_SUCCESS && reinterpret_cast<std::uintptr_t>(pinned.host) % 64 == 0)
    return pinned;
  clReleaseMemObject(static_cast<cl_mem>(pinned.mem));
  return {};
}

void release_pinned(Context& context, const Pinned& pinned) noexcept {
  const std::lock_guard lock(context.native().transfer_mutex);
  const auto mem = static_cast<cl_mem>(pinned.mem);
  clEnqueueUnmapMemObject(context.native().transfer(), mem, pinned.host, 0, nullptr, nullptr);
  clFinish(context.native().transfer());
  clReleaseMemObject(mem);
}

void upload(Queue& queue, void* mem, const void* host, const HostRows& rows) {
  const std::size_t bytes = rows.row_bytes * rows.rows;
  if (bytes == 0) return;
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  enqueue_deferred(queue);
  cl::CommandQueue& commands = queue.native().queue;
  command(commands, "copy to the device", [&] {
    if (rows.rows == 1 || rows.stride_bytes == rows.row_bytes) {
      commands.enqueueWriteBuffer(buffer, CL_FALSE, 0, bytes, host);
    } else {
      commands.enqueueWriteBufferRect(buffer, CL_FALSE, {0, 0, 0}, {0, 0, 0},
                                      {rows.row_bytes, rows.rows, 1}, rows.row_bytes, 0,
                                      rows.stride_bytes, 0, host);
    }
  });
}

void download(Queue& queue, void* mem, void* host, const HostRows& rows) {
  const std::size_t bytes = rows.row_bytes * rows.rows;
  if (bytes == 0) return;
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  enqueue_deferred(queue);
  cl::CommandQueue& commands = queue.native().queue;
  command(commands, "copy from the device", [&] {
    if (rows.rows == 1 || rows.stride_bytes == rows.row_bytes) {
      commands.enqueueReadBuffer(buffer, CL_FALSE, 0, bytes, host);
    } else {
      commands.enqueueReadBufferRect(buffer, CL_FALSE, {0, 0, 0}, {0, 0, 0},
                                     {rows.row_bytes, rows.rows, 1}, rows.row_bytes, 0,
                                     rows.stride_bytes, 0, host);
    }
  });
}

void download_now(Context& context, void* mem, void* host, std::size_t bytes) {
  if (bytes == 0) return;
  const cl::Buffer buffer(static_cast<cl_mem>(mem), true);
  const std::lock_guard lock(context.native().transfer_mutex);
  cl::CommandQueue& commands = context.native().transfer;
  command(commands, "copy from the device",
          [&] { commands.enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, host); });
}

}  // namespace memory
}  // namespace tandem::opencl
