// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies on queues of their own, which wait for kernels and are waited for.
#include "kernels/opencl/native.h"

namespace tandem::opencl {
namespace {

void make_queue(Queue& queue, cl::CommandQueue& made) {
  if (made() != nullptr) return;
  const NativeDevice& device = queue.native().device;
  made = checked("create a command queue",
                 [&] { return cl::CommandQueue(device.context, device.device); });
  ++counters().objects_created;
}

}  // namespace

Queue::ConcurrentCopies::ConcurrentCopies(Queue& queue) : queue_(queue) {
  Native::Copies& copies = queue.native().copies;
  make_queue(queue, copies.uploads);
  make_queue(queue, copies.downloads);
  copies.computed.clear();
  copies.on = true;
}

Queue::ConcurrentCopies::~ConcurrentCopies() { queue_.native().copies.on = false; }

cl::Event* Queue::Native::note_kernel() {
  if (!copies.on) return nullptr;
  copies.computed.resize(1);
  return copies.computed.data();
}

void Queue::Native::wait_for_uploads() {
  if (copies.uploaded.empty()) return;
  checked("wait for a copy", [&] { return queue.enqueueBarrierWithWaitList(&copies.uploaded); });
  copies.uploaded.clear();
}

void Queue::wait_for_downloads() {
  std::vector<cl::Event>& downloaded = native_->copies.downloaded;
  if (downloaded.empty()) return;
  enqueue_deferred(*this);
  checked("wait for a copy",
          [&] { return native_->queue.enqueueBarrierWithWaitList(&downloaded); });
  downloaded.clear();
}

cl_int Queue::Native::finish_copies() {
  copies.uploaded.clear();
  copies.downloaded.clear();
  cl_int status = CL_SUCCESS;
  for (const cl::CommandQueue* each : {&copies.uploads, &copies.downloads}) {
    if ((*each)() == nullptr) continue;
    const cl_int finished = clFinish((*each)());
    if (status == CL_SUCCESS) status = finished;
  }
  return status;
}

CopyPlace place_for_upload(Queue& queue) {
  Queue::Native& native = queue.native();
  if (!native.copies.on) {
    enqueue_deferred(queue);
    return {native.queue};
  }
  native.copies.uploaded.resize(1);
  return {native.copies.uploads, native.copies.uploaded.data()};
}

// The event of a kernel rather than a marker: NVIDIA's driver has markers end early.
CopyPlace place_for_download(Queue& queue) {
  enqueue_deferred(queue);
  Queue::Native& native = queue.native();
  Queue::Native::Copies& copies = native.copies;
  if (!copies.on) return {native.queue};
  checked("wait for a kernel", [&] {
    if (copies.computed.empty()) {
      copies.computed.resize(1);
      native.queue.enqueueMarkerWithWaitList(nullptr, copies.computed.data());
    }
    return native.queue.flush();
  });
  copies.downloaded.resize(1);
  return {copies.downloads, copies.downloaded.data(), &copies.computed};
}

}  // namespace tandem::opencl
