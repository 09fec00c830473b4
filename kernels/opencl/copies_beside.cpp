// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies on queues of their own, which wait for kernels and are waited for.
#include "kernels/opencl/native.h"

namespace tandem::opencl {
namespace {

void make_queue(Queue& queue, cl::CommandQueue& made) {
  if (made() != nullptr) return;
  const NativeDevice& device = queue.native().device;
  made = checked("make a command queue",
                 [&] { return cl::CommandQueue(device.context, device.device); });
  ++counters().objects_created;
}

}  // namespace

Queue::CopiesBeside::CopiesBeside(Queue& queue) : queue_(queue) {
  Native::Beside& beside = queue.native().beside;
  make_queue(queue, beside.uploads);
  make_queue(queue, beside.downloads);
  beside.computed.clear();
  beside.on = true;
}

Queue::CopiesBeside::~CopiesBeside() { queue_.native().beside.on = false; }

cl::Event* Queue::Native::note_kernel() {
  if (!beside.on) return nullptr;
  beside.computed.resize(1);
  return beside.computed.data();
}

void Queue::Native::wait_for_uploads() {
  if (beside.uploaded.empty()) return;
  checked("wait for a copy", [&] { return queue.enqueueBarrierWithWaitList(&beside.uploaded); });
  beside.uploaded.clear();
}

void Queue::wait_for_downloads() {
  std::vector<cl::Event>& downloaded = native_->beside.downloaded;
  if (downloaded.empty()) return;
  enqueue_deferred(*this);
  checked("wait for a copy",
          [&] { return native_->queue.enqueueBarrierWithWaitList(&downloaded); });
  downloaded.clear();
}

cl_int Queue::Native::finish_copies() {
  beside.uploaded.clear();
  beside.downloaded.clear();
  cl_int status = CL_SUCCESS;
  for (const cl::CommandQueue* each : {&beside.uploads, &beside.downloads}) {
    if ((*each)() == nullptr) continue;
    const cl_int finished = clFinish((*each)());
    if (status == CL_SUCCESS) status = finished;
  }
  return status;
}

CopyPlace place_for_upload(Queue& queue) {
  Queue::Native& native = queue.native();
  if (!native.beside.on) {
    enqueue_deferred(queue);
    return {native.queue};
  }
  native.beside.uploaded.resize(1);
  return {native.beside.uploads, native.beside.uploaded.data()};
}

// The event of a kernel rather than a marker: NVIDIA's driver has markers end early.
CopyPlace place_for_download(Queue& queue) {
  enqueue_deferred(queue);
  Queue::Native& native = queue.native();
  Queue::Native::Beside& beside = native.beside;
  if (!beside.on) return {native.queue};
  checked("wait for a kernel", [&] {
    if (beside.computed.empty()) {
      beside.computed.resize(1);
      native.queue.enqueueMarkerWithWaitList(nullptr, beside.computed.data());
    }
    return native.queue.flush();
  });
  beside.downloaded.resize(1);
  return {beside.downloads, beside.downloaded.data(), &beside.computed};
}

}  // namespace tandem::opencl
