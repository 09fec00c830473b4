// SPDX-License-Identifier: LGPL-2.1-or-later
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kernels/opencl/native.h"

namespace tandem::opencl {
namespace {

constexpr std::size_t kTimingBytes = 4;

// Commands that may still succeed; negative: no fault is wanted.
std::atomic<int> commands_left{-1};
// The device whose commands count; negative: all.
std::atomic<int> failing_device{-1};

void read_environment() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* text = std::getenv("TANDEM_OPENCL_FAIL_AFTER");
    if (text == nullptr) return;
    const char* const end = text + std::strlen(text);
    int n = -1, device = -1;
    const auto [rest, error] = std::from_chars(text, end, n);
    if (error != std::errc()) return;
    if (rest != end && *rest == '@') std::from_chars(rest + 1, end, device);
    fail_after(n, device);
  });
}

void make_queue(Queue& queue, cl::CommandQueue& made) {
  if (made() != nullptr) return;
  const NativeDevice& device = queue.native().device;
  made = checked("create a command queue",
                 [&] { return cl::CommandQueue(device.context, device.device); });
  ++counters().objects_created;
}

}  // namespace

void fail_after(int n, int device) {
  failing_device = device;
  commands_left = n;
}

bool fault_is_due(const NativeDevice& device) {
  const int failing = failing_device.load();
  if (failing >= 0 && device.number != failing) return false;
  int left = commands_left.load();
  while (left > 0 && !commands_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0;
}

Queue::Queue(std::shared_ptr<Context> context, int device)
    : context_(std::move(context)),
      device_(device),
      native_(new Native(context_->native().at(device))) {
  read_environment();
  native_->queue = checked("create a command queue", [&] {
    return cl::CommandQueue(native_->device.context, native_->device.device);
  });
  ++counters().objects_created;
}

Queue::~Queue() = default;

void enqueue_deferred(Queue& queue) {
  queue.native().wait_for_uploads();
  // Taken first: enqueuing it comes here again.
  auto next = std::move(queue.native().deferred.next);
  if (!next) return;
  next->enqueue(queue);
  queue.native().deferred.spare = std::move(next);
}

DeferredCommands& deferred_commands(Queue& queue) { return queue.native().deferred; }

void* zeroed(Queue& queue) {
  cl::Buffer& memory = queue.native().zeroed;
  if (memory() == nullptr) {
    memory = checked("allocate memory for counters", [&] {
      std::vector<cl_uint> none(kZeroedWords);
      return cl::Buffer(queue.native().device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                        none.size() * sizeof(cl_uint), none.data());
    });
    ++counters().buffers_created;
  }
  return memory();
}

// Commands that use the memory which is replaced keep it until they are done.
void* scratch(Queue& queue, std::size_t bytes) {
  Queue::Native& native = queue.native();
  if (native.scratch_bytes < bytes) {
    native.scratch = checked("allocate scratch memory", [&] {
      return cl::Buffer(native.device.context, CL_MEM_READ_WRITE, bytes);
    });
    native.scratch_bytes = bytes;
    ++counters().buffers_created;
  }
  return native.scratch();
}

void Queue::flush() {
  enqueue_deferred(*this);
  checked("submit commands to the device", [&] { return native_->queue.flush(); });
}

// A callback would come late: NVIDIA's driver calls every 16 ms. A queue that keeps times may be
// slower, therefore another one has a command of four bytes that waits for all others. A marker
// would do, but NVIDIA's driver has it end when it is enqueued.
void Queue::flush_timed() {
  enqueue_deferred(*this);
  native_->done_ns = 0;
  checked("submit commands to the device", [&] {
    if (!native_->timing()) {
      native_->timing = cl::CommandQueue(native_->device.context, native_->device.device,
                                         CL_QUEUE_PROFILING_ENABLE);
      native_->timing_bytes =
          cl::Buffer(native_->device.context, CL_MEM_READ_WRITE, 2 * kTimingBytes);
    }
    std::vector<cl::Event>& all_done = native_->all_done;
    all_done.resize(1);
    native_->queue.enqueueMarkerWithWaitList(nullptr, &all_done[0]);
    native_->queue.flush();
    native_->started = std::chrono::steady_clock::now();
    native_->timing.enqueueCopyBuffer(native_->timing_bytes, native_->timing_bytes, 0, kTimingBytes,
                                      kTimingBytes, &all_done, &native_->timed);
    return native_->timing.flush();
  });
}

uint64_t Queue::done_ns() const { return native_->done_ns; }

// A thread that had to wait for the device has the time of its end. One that came later queries the
// last command.
void Queue::Native::finish_timed() {
  const cl::Event last = std::exchange(timed, {});
  using Nanoseconds = std::chrono::nanoseconds;
  const auto ns = [](std::chrono::steady_clock::time_point at) {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<Nanoseconds>(at.time_since_epoch()).count());
  };
  const auto status = all_done[0].getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  queue.finish();
  if (status != CL_COMPLETE) {
    done_ns = ns(std::chrono::steady_clock::now());
    return;
  }
  last.wait();
  const auto queued = last.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>();
  const auto end = last.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  done_ns = ns(started) + (end > queued ? end - queued : 0);
}

void Queue::finish() {
  enqueue_deferred(*this);
  const bool fault = fault_is_due(native_->device);
  checked("wait for the device", [&] {
    // Also before an injected fault: the memory is free after it.
    try {
      native_->timed() ? native_->finish_timed() : (void)native_->queue.finish();
    } catch (const cl::Error&) {
      native_->finish_copies();
      throw;
    }
    const cl_int status = native_->finish_copies();
    if (status != CL_SUCCESS) throw cl::Error(status, "clFinish");
    if (fault) throw cl::Error(CL_OUT_OF_RESOURCES, "fault injected by a test");
    return CL_SUCCESS;
  });
}

void Queue::pace(const std::atomic<bool>* stop) {
  native_->stop = stop;
  native_->pace = {};
  native_->piece_began = std::chrono::steady_clock::now();
}

void Queue::Native::keep_pace() {
  if (pace.enqueued()) {
    checked("wait for the device", [&] { return queue.finish(); });
    const auto now = std::chrono::steady_clock::now();
    using std::chrono::nanoseconds;
    pace.waited(
        static_cast<uint64_t>(std::chrono::duration_cast<nanoseconds>(now - piece_began).count()));
    piece_began = now;
  }
  if (!*stop) return;
  clFinish(queue());
  throw Error("the computation on the device was cancelled");
}

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
