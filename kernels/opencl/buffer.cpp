// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdlib>
#include <new>

#include "kernels/opencl/memory.h"
#include "kernels/opencl/opencl.h"

namespace tandem::opencl {

namespace {

constexpr std::size_t kAlignment = 64;

bool reads(Buffer::Access access) { return access != Buffer::Access::write; }
bool writes(Buffer::Access access) { return access != Buffer::Access::read; }

}  // namespace

// Neither side is valid at first and after discard(); both are after a copy.
struct Buffer::Private {
  std::shared_ptr<Context> context;
  // Guards all below. Lock order: a buffer's mutex, then the context's transfer queue.
  std::mutex mutex;
  void* plain = nullptr;
  memory::Pinned pinned;
  void* mem = nullptr;
  bool host_valid = false;
  bool device_valid = false;

  ~Private();
  void* host(std::size_t bytes);
  void* device(std::size_t bytes);
  void upload_if_newer(Queue& queue, std::size_t bytes);
};

Buffer::Private::~Private() {
  if (mem != nullptr) memory::release(mem);
  if (pinned.mem != nullptr) memory::release_pinned(*context, pinned);
  std::free(plain);
}

void* Buffer::Private::host(std::size_t bytes) {
  if (pinned.host != nullptr) return pinned.host;
  if (plain != nullptr) return plain;
  // Page-locked memory is a matter of speed: without it, also on a device that is lost, the host
  // side has to exist, because the CPU goes on with the frame.
  if (context) pinned = memory::create_pinned(*context, bytes);
  if (pinned.host == nullptr) {
    const std::size_t rounded =
        (std::max<std::size_t>(bytes, 1) + kAlignment - 1) & ~(kAlignment - 1);
    plain = std::aligned_alloc(kAlignment, rounded);
    if (plain == nullptr) throw std::bad_alloc();
  }
  if (context) ++counters().buffers_created;
  return pinned.host != nullptr ? pinned.host : plain;
}

void* Buffer::Private::device(std::size_t bytes) {
  if (!context)
    throw Error("this buffer has host memory only: it was made without an OpenCL context");
  if (mem == nullptr) {
    mem = memory::create(*context, bytes);
    ++counters().buffers_created;
  }
  return mem;
}

void Buffer::Private::upload_if_newer(Queue& queue, std::size_t bytes) {
  if (device_valid || !host_valid) return;
  memory::upload(queue, mem, host(bytes), {bytes, 1, bytes});
  device_valid = true;
}

Buffer::Buffer(std::shared_ptr<Context> context, std::size_t bytes)
    : bytes_(bytes), self_(std::make_unique<Private>()) {
  self_->context = std::move(context);
}

Buffer::~Buffer() = default;

const Context* Buffer::context() const { return self_->context.get(); }

void* Buffer::host(Access access) {
  const std::lock_guard lock(self_->mutex);
  void* host = self_->host(bytes_);
  if (reads(access) && !self_->host_valid && self_->device_valid) {
    memory::download_now(*self_->context, self_->mem, host, bytes_);
    self_->host_valid = true;
  }
  if (writes(access)) {
    self_->host_valid = true;
    self_->device_valid = false;
  }
  return host;
}

void* Buffer::device(Queue& queue, Access access) {
  const std::lock_guard lock(self_->mutex);
  void* mem = self_->device(bytes_);
  if (reads(access)) self_->upload_if_newer(queue, bytes_);
  if (writes(access)) {
    self_->device_valid = true;
    self_->host_valid = false;
  }
  return mem;
}

void Buffer::enqueue_download(Queue& queue) {
  const std::lock_guard lock(self_->mutex);
  if (self_->host_valid || !self_->device_valid) return;
  memory::download(queue, self_->mem, self_->host(bytes_), {bytes_, 1, bytes_});
  self_->host_valid = true;
}

void Buffer::enqueue_upload_rows(Queue& queue, const void* source, std::size_t row_bytes, int rows,
                                 std::size_t source_stride_bytes) {
  const memory::HostRows layout{row_bytes, static_cast<std::size_t>(std::max(rows, 0)),
                                source_stride_bytes};
  if (layout.row_bytes * layout.rows > bytes_) throw Error("the rows to upload exceed the buffer");
  const std::lock_guard lock(self_->mutex);
  memory::upload(queue, self_->device(bytes_), source, layout);
  self_->device_valid = true;
  self_->host_valid = false;
}

void Buffer::enqueue_download_rows(Queue& queue, void* destination, std::size_t row_bytes, int rows,
                                   std::size_t destination_stride_bytes) {
  const memory::HostRows layout{row_bytes, static_cast<std::size_t>(std::max(rows, 0)),
                                destination_stride_bytes};
  if (layout.row_bytes * layout.rows > bytes_)
    throw Error("the rows to download exceed the buffer");
  const std::lock_guard lock(self_->mutex);
  void* mem = self_->device(bytes_);
  self_->upload_if_newer(queue, bytes_);
  memory::download(queue, mem, destination, layout);
}

void Buffer::discard() {
  const std::lock_guard lock(self_->mutex);
  self_->host_valid = false;
  self_->device_valid = false;
}

}  // namespace tandem::opencl
