// SPDX-License-Identifier: LGPL-2.1-or-later
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "kernels/opencl/host_memory.h"
#include "kernels/opencl/memory.h"
#include "kernels/opencl/opencl.h"
#include "kernels/opencl/staging.h"

namespace tandem::opencl {

namespace {
bool reads(Buffer::Access access) { return access != Buffer::Access::write; }
bool writes(Buffer::Access access) { return access != Buffer::Access::read; }

}  // namespace

// No side is valid at first and after discard(); a copy makes one more valid. When each side has a
// half, `halves` is set and no side is valid as a whole.
struct Buffer::Private {
  std::shared_ptr<Context> context;
  std::size_t host_offset = 0;  // of the host side within its memory
  // Guards all below. Lock order: a buffer's mutex, then a device's transfer queue.
  std::mutex mutex;
  void* pages = nullptr;  // the host side's memory
  // Page-locks it from the first copy on, because what the cores alone use need not be. Null: it is
  // not locked.
  void* lock = nullptr;
  bool lock_tried = false;
  // The host side where there is no context, and so no other side to agree with: no mutex is needed
  // to read it.
  std::atomic<void*> host_only{nullptr};
  std::array<void*, kMostDevices> mem{};
  bool host_valid = false;
  uint32_t device_valid = 0;  // bit d: on device d
  Halves halves{.planes = 0};
  int halves_on = 0;    // the device
  bool shared = false;  // each side is used as it is
  Staging up, down;
  // Where each plane's part begins that is on its way to `border_from`; null: none.
  std::byte* border_from = nullptr;
  std::size_t border_begin = 0;

  ~Private();
  void* host(std::size_t bytes);
  void* host_to_copy(std::size_t bytes, int device);
  void* device(int device, std::size_t bytes);
  void fetch(std::size_t bytes);
  void upload_if_newer(Queue& queue, std::size_t bytes);
  bool valid_on(int device) const { return (device_valid >> device & 1) != 0; }
  void only_valid_on(int device) {
    device_valid = 1u << device;
    host_valid = shared = false;
    halves.planes = 0;
  }
  bool halved() const { return halves.planes > 0; }
  Halves halves_for(int device, int planes, std::size_t bytes);
  void upload_half(Queue& queue, std::size_t end, std::size_t bytes, bool overwritten = false);
  template <class Copy>
  void download_half(std::size_t begin, std::size_t bytes, Copy&& copy);
  void download_half_now(std::size_t begin, std::size_t bytes);
  void join_on_host(std::size_t bytes);
  void join(Queue& queue, std::size_t bytes);
  void take_border(std::size_t bytes);
  void end_share();
};

Buffer::Private::~Private() {
  for (void* each : mem)
    if (each != nullptr) memory::release(each);
  if (lock != nullptr) memory::release(lock);
  std::free(pages);
}

void* Buffer::Private::host(std::size_t bytes) {
  if (pages == nullptr) {
    const std::size_t size = host_offset + bytes;
    pages = context ? memory::allocate_pages(size) : memory::allocate_host(size);
    if (pages == nullptr) throw std::bad_alloc();
    if (context) ++counters().buffers_created;
  }
  void* const side = static_cast<std::byte*>(pages) + host_offset;
  if (!context) host_only.store(side, std::memory_order_release);
  return side;
}

// The host side, which is about to be copied to or from the device. Page-locking is a matter of
// speed: without it, also on a device that is lost, the CPU goes on with the frame.
void* Buffer::Private::host_to_copy(std::size_t bytes, int device) {
  const bool fresh = pages == nullptr;
  void* const side = host(bytes);
  if (!context || std::exchange(lock_tried, true)) return side;
  if (fresh && memory::gains_by_locking(*context)) memory::touch(pages, host_offset + bytes);
  lock = memory::lock_pages(*context, device, pages, host_offset + bytes);
  if (lock != nullptr) ++counters().buffers_created;
  return side;
}

void* Buffer::Private::device(int device, std::size_t bytes) {
  if (!context)
    throw Error("this buffer has host memory only: it was made without an OpenCL context");
  void*& side = mem[device];
  if (side == nullptr) {
    side = memory::create(*context, device, bytes);
    ++counters().buffers_created;
  }
  return side;
}

// Brings the host up to date from a device that has the content, and waits for it.
void Buffer::Private::fetch(std::size_t bytes) {
  if (host_valid || device_valid == 0) return;
  const int device = std::countr_zero(device_valid);
  memory::download_now(*context, device, mem[device], host_to_copy(bytes, device), bytes);
  host_valid = true;
}

void Buffer::Private::upload_if_newer(Queue& queue, std::size_t bytes) {
  const int device = queue.device();
  if (valid_on(device)) return;
  fetch(bytes);
  if (!host_valid) return;
  memory::upload(queue, mem[device], host_to_copy(bytes, device), {bytes, 1, bytes});
  device_valid |= 1u << device;
}

// The bytes that each side has, in halves of so many planes. If neither side has any, the device
// has nothing and the host would have to fetch it all.
Buffer::Halves Buffer::Private::halves_for(int device, int planes, std::size_t bytes) {
  if (halved() && (halves_on != device || halves.planes != planes)) join_on_host(bytes);
  if (halved()) return halves;
  if (!valid_on(device)) fetch(bytes);
  const std::size_t plane = bytes / static_cast<std::size_t>(planes);
  return {planes, valid_on(device) ? plane : 0, host_valid ? 0 : plane};
}

// The device has the bytes before `end` from now on.
void Buffer::Private::upload_half(Queue& queue, std::size_t end, std::size_t bytes,
                                  bool overwritten) {
  if (end <= halves.device_end || halves.host_begin > halves.device_end) return;
  const std::size_t plane = bytes / static_cast<std::size_t>(halves.planes);
  const std::size_t size = end - halves.device_end;
  void* const side = overwritten ? host(bytes) : host_to_copy(bytes, halves_on);
  auto* const from = static_cast<std::byte*>(side);
  for (int p = 0; p < halves.planes; ++p) {
    const std::size_t at = static_cast<std::size_t>(p) * plane + halves.device_end;
    std::byte* const copy = overwritten ? up.take(*context, halves_on, size) : from + at;
    if (copy == nullptr) {
      memory::upload_now(queue, mem[halves_on], from + at, size, at);
      continue;
    }
    if (overwritten) std::memcpy(copy, from + at, size);
    memory::upload(queue, mem[halves_on], copy, {size, 1, size, at});
  }
  halves.device_end = end;
}

// The host has what comes from `begin` on from now on, or once `copy` of (offset, size) is done.
template <class Copy>
void Buffer::Private::download_half(std::size_t begin, std::size_t bytes, Copy&& copy) {
  if (begin >= halves.host_begin || halves.host_begin > halves.device_end) return;
  const std::size_t plane = bytes / static_cast<std::size_t>(halves.planes);
  for (int p = 0; p < halves.planes; ++p)
    copy(static_cast<std::size_t>(p) * plane + begin, halves.host_begin - begin);
  halves.host_begin = begin;
}

void Buffer::Private::download_half_now(std::size_t begin, std::size_t bytes) {
  auto* const to = static_cast<std::byte*>(host_to_copy(bytes, halves_on));
  download_half(begin, bytes, [&](std::size_t at, std::size_t size) {
    memory::download_now(*context, halves_on, mem[halves_on], to + at, size, at);
  });
}

void Buffer::Private::join_on_host(std::size_t bytes) {
  download_half_now(0, bytes);
  const bool whole = halves.device_end == bytes / static_cast<std::size_t>(halves.planes);
  host_valid = halves.host_begin == 0;
  device_valid = whole ? 1u << halves_on : 0;
  halves.planes = 0;
}

// On the queue's device where that has a half, else on the host.
void Buffer::Private::join(Queue& queue, std::size_t bytes) {
  if (queue.device() != halves_on) return join_on_host(bytes);
  upload_half(queue, bytes / static_cast<std::size_t>(halves.planes), bytes);
  only_valid_on(halves_on);
  host_valid = halves.host_begin == 0;
}

Buffer::Buffer(std::shared_ptr<Context> context, std::size_t bytes, std::size_t host_offset)
    : bytes_(bytes), self_(std::make_unique<Private>()) {
  self_->context = std::move(context);
  self_->host_offset = host_offset;
}

Buffer::~Buffer() = default;

const Context* Buffer::context() const { return self_->context.get(); }

void Buffer::join(std::shared_ptr<Context> context) {
  self_->context = std::move(context);
  self_->host_only = nullptr;
  discard();
}

void* Buffer::host(Access access) {
  if (void* const only = self_->host_only.load(std::memory_order_acquire)) return only;
  const std::lock_guard lock(self_->mutex);
  if (self_->shared) return self_->host(bytes_);
  if (reads(access)) {
    if (self_->halved()) self_->join_on_host(bytes_);
    self_->fetch(bytes_);
  }
  void* const host = self_->host(bytes_);
  if (writes(access)) {
    self_->host_valid = true;
    self_->device_valid = 0;
    self_->halves.planes = 0;
  }
  return host;
}

void* Buffer::device(Queue& queue, Access access) {
  const std::lock_guard lock(self_->mutex);
  void* mem = self_->device(queue.device(), bytes_);
  if (self_->shared) return mem;
  if (reads(access)) {
    if (self_->halved()) self_->join(queue, bytes_);
    self_->upload_if_newer(queue, bytes_);
  }
  if (writes(access)) self_->only_valid_on(queue.device());
  return mem;
}

void Buffer::enqueue_download(Queue& queue) {
  const std::lock_guard lock(self_->mutex);
  const int device = queue.device();
  if (self_->halved() && self_->halves_on == device) {
    auto* const to = static_cast<std::byte*>(self_->host_to_copy(bytes_, device));
    return self_->download_half(0, bytes_, [&](std::size_t at, std::size_t size) {
      memory::download(queue, self_->mem[device], to + at, size, at);
    });
  }
  if (self_->halved()) self_->join_on_host(bytes_);
  if (self_->host_valid || self_->device_valid == 0) return;
  if (!self_->valid_on(device)) return self_->fetch(bytes_);
  memory::download(queue, self_->mem[device], self_->host_to_copy(bytes_, device), bytes_);
  self_->host_valid = true;
}

void Buffer::enqueue_download_part(Queue& queue, const Part& part, bool last) {
  const std::lock_guard lock(self_->mutex);
  const int device = queue.device();
  if (self_->host_valid || self_->shared || !self_->valid_on(device)) return;
  auto* const to = static_cast<std::byte*>(self_->host_to_copy(bytes_, device));
  const std::size_t plane = bytes_ / static_cast<std::size_t>(part.planes);
  const std::size_t size = part.end - part.begin;
  for (int p = 0; p < part.planes; ++p) {
    const std::size_t at = static_cast<std::size_t>(p) * plane + part.begin;
    memory::download(queue, self_->mem[device], to + at, size, at);
  }
  self_->host_valid = last;
}

void Buffer::enqueue_upload_rows(Queue& queue, const void* source, std::size_t row_bytes, int rows,
                                 std::size_t source_stride_bytes, int first_row) {
  const auto layout = memory::rows_within(bytes_, row_bytes, rows, source_stride_bytes, first_row);
  const std::lock_guard lock(self_->mutex);
  memory::upload(queue, self_->device(queue.device(), bytes_), source, layout);
  if (!self_->shared) self_->only_valid_on(queue.device());
}

void Buffer::lock_pages(const Queue& queue) {
  if (&queue.context() != self_->context.get()) return;
  const std::lock_guard lock(self_->mutex);
  self_->host_to_copy(bytes_, queue.device());
}

bool Buffer::download_rows(void* destination, std::size_t row_bytes, int rows,
                           std::size_t destination_stride_bytes) {
  const auto layout = memory::rows_within(bytes_, row_bytes, rows, destination_stride_bytes);
  const std::lock_guard lock(self_->mutex);
  if (self_->host_valid || self_->device_valid == 0) return false;
  const int device = std::countr_zero(self_->device_valid);
  memory::download_now(*self_->context, device, self_->mem[device], destination, layout);
  return true;
}

bool Buffer::share(Queue& queue, Access access, const Halves& halves, bool overwritten) {
  const std::lock_guard lock(self_->mutex);
  bool downloads = false;
  const int device = queue.device();
  self_->device(device, bytes_);
  self_->host(bytes_);
  if (reads(access)) {
    self_->halves = self_->halves_for(device, halves.planes, bytes_);
    self_->halves_on = device;
    self_->upload_half(queue, halves.device_end, bytes_, overwritten);
    downloads = halves.host_begin < self_->halves.host_begin;
    self_->download_half_now(halves.host_begin, bytes_);
  }
  if (writes(access)) {
    self_->halves = halves;
    self_->halves_on = device;
  }
  self_->host_valid = false;
  self_->device_valid = 0;
  self_->shared = true;
  return downloads;
}

void Buffer::enqueue_border(Queue& queue, std::size_t begin) {
  const std::lock_guard lock(self_->mutex);
  const Halves& halves = self_->halves;
  if (!self_->shared || !self_->halved() || self_->border_from != nullptr) return;
  if (begin >= halves.host_begin || halves.host_begin > halves.device_end) return;
  const std::size_t size = halves.host_begin - begin;
  const auto planes = static_cast<std::size_t>(halves.planes);
  std::byte* const to = self_->down.take(*self_->context, self_->halves_on, planes * size);
  if (to == nullptr) return;
  for (std::size_t p = 0; p < planes; ++p) {
    memory::download(queue, self_->mem[self_->halves_on], to + p * size, size,
                     p * (bytes_ / planes) + begin);
  }
  self_->border_from = to;
  self_->border_begin = begin;
}

void Buffer::Private::take_border(std::size_t bytes) {
  const std::byte* const from = std::exchange(border_from, nullptr);
  if (from == nullptr || !halved() || border_begin >= halves.host_begin) return;
  const std::size_t size = halves.host_begin - border_begin;
  const auto planes = static_cast<std::size_t>(halves.planes);
  auto* const to = static_cast<std::byte*>(host(bytes));
  for (std::size_t p = 0; p < planes; ++p)
    std::memcpy(to + p * (bytes / planes) + border_begin, from + p * size, size);
  halves.host_begin = border_begin;
}

void Buffer::Private::end_share() {
  border_from = nullptr;
  up.reuse();
  down.reuse();
  shared = false;
}

void Buffer::share_apart(Queue& queue) {
  const std::lock_guard lock(self_->mutex);
  self_->device(queue.device(), bytes_);
  self_->host(bytes_);
  self_->halves.planes = 0;
  self_->host_valid = self_->shared = true;
  self_->device_valid = 0;
}

void Buffer::unshare() {
  const std::lock_guard lock(self_->mutex);
  if (self_->shared) self_->take_border(bytes_);
  self_->end_share();
}

void Buffer::abandon_share() {
  if (!self_->context) return;
  const std::lock_guard lock(self_->mutex);
  self_->end_share();
}

void Buffer::discard() {
  if (!self_->context) return;
  const std::lock_guard lock(self_->mutex);
  self_->halves.planes = 0;
  self_->host_valid = false;
  self_->device_valid = 0;
  self_->end_share();
}

bool Buffer::is_on(int device) const {
  const std::lock_guard lock(self_->mutex);
  return self_->mem[device] != nullptr;
}

}  // namespace tandem::opencl
