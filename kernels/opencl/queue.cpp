// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "kernels/opencl/native.h"

namespace tandem::opencl {

namespace {

// Commands that may still succeed; negative: no fault is wanted.
std::atomic<int> commands_left{-1};

void read_environment() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* text = std::getenv("TANDEM_OPENCL_FAIL_AFTER");
    int n = -1;
    if (text != nullptr && std::from_chars(text, text + std::strlen(text), n).ec == std::errc()) {
      commands_left = n;
    }
  });
}

}  // namespace

void fail_after(int n) { commands_left = n; }

bool fault_is_due() {
  int left = commands_left.load();
  while (left > 0 && !commands_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0;
}

Queue::Queue(std::shared_ptr<Context> context)
    : context_(std::move(context)), native_(std::make_unique<Native>()) {
  read_environment();
  native_->queue = checked("make a command queue", [&] {
    return cl::CommandQueue(context_->native().context, context_->native().device);
  });
  ++counters().objects_created;
}

Queue::~Queue() = default;

void Queue::flush() {
  checked("hand commands to the device", [&] { return native_->queue.flush(); });
}

void Queue::finish() {
  const bool fault = fault_is_due();
  checked("wait for the device", [&] {
    native_->queue.finish();  // also before an injected fault: the memory is free after it
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
  throw Error("the work on the device was stopped");
}

Kernel::Kernel(Context& context, const cl::Program& program, const char* name) : name_(name) {
  checked(std::string("make the kernel ") + name, [&] {
    const cl::Device& device = context.native().device;
    kernel_ = cl::Kernel(program, name);
    max_group_ = kernel_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
    group_multiple_ =
        kernel_.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device);
    return CL_SUCCESS;
  });
  ++counters().objects_created;
}

std::size_t Kernel::group_size(std::size_t wanted) const {
  const std::size_t most = std::max<std::size_t>(std::min(wanted, max_group_), 1);
  return most >= group_multiple_ ? most / group_multiple_ * group_multiple_ : most;
}

}  // namespace tandem::opencl
