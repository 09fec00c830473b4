// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL layer in a build without OpenCL: list_devices() returns nothing and Context::open()
// throws, so a program that opens a device first never reaches the rest.
#include "kernels/opencl/handles.h"
#include "kernels/opencl/kernel.h"
#include "kernels/opencl/memory.h"
#include "kernels/opencl/opencl.h"

namespace tandem::opencl {
namespace {

[[noreturn]] void unavailable() {
  throw Error(
      "this build has no OpenCL: install the OpenCL headers and loader and configure with "
      "-Dopencl=enabled to use a device");
}

}  // namespace

struct Context::Native {
  DeviceDescription description;
  std::vector<std::string> left_out;
};
struct Queue::Native {};

std::vector<DeviceDescription> list_devices() { return {}; }
void fail_after(int, int) {}
void treat_as_gpu(Context&) {}

std::shared_ptr<Context> Context::open(std::string_view) { unavailable(); }
std::shared_ptr<Context> Context::wrap(void*, void*) { unavailable(); }
Context::Context(std::unique_ptr<Native> native) : native_(std::move(native)) {}
Context::~Context() = default;
const DeviceDescription& Context::device() const { return native_->description; }
int Context::devices() const { return 1; }
const std::vector<std::string>& Context::left_out() const { return native_->left_out; }
void* Context::cl_context() const { return nullptr; }
void* Context::cl_device_id() const { return nullptr; }

// NOLINTNEXTLINE(performance-unnecessary-value-param): as it is declared
Queue::Queue(std::shared_ptr<Context>, int device) : device_(device) { unavailable(); }
Queue::~Queue() = default;
void Queue::flush() { unavailable(); }
void Queue::finish() { unavailable(); }
void Queue::flush_timed() { unavailable(); }
uint64_t Queue::done_ns() const { return 0; }
void Queue::pace(const std::atomic<bool>*) { unavailable(); }
Queue::ConcurrentCopies::ConcurrentCopies(Queue& queue) : queue_(queue) { unavailable(); }
void Queue::wait_for_downloads() { unavailable(); }
// With OpenCL it has work to do.
Queue::ConcurrentCopies::~ConcurrentCopies() { static_cast<void>(queue_); }

namespace memory {

void* create(Context&, int, std::size_t) { unavailable(); }
void release(void*) noexcept {}
bool gains_by_locking(const Context&) { return false; }
void* lock_pages(Context&, int, void*, std::size_t) noexcept { return nullptr; }
Pinned create_pinned(Context&, int, std::size_t) noexcept { return {}; }
void release_pinned(const Pinned&) noexcept {}
void upload(Queue&, void*, const void*, const HostRows&) { unavailable(); }
void upload_now(Queue&, void*, const void*, std::size_t, std::size_t) { unavailable(); }
void download(Queue&, void*, void*, std::size_t, std::size_t) { unavailable(); }
void download_now(Queue&, void*, void*, std::size_t, std::size_t) { unavailable(); }
void clear(Queue&, void*, std::size_t) { unavailable(); }
void download_now(Context&, int, void*, void*, std::size_t, std::size_t) { unavailable(); }
void download_now(Context&, int, void*, void*, const HostRows&) { unavailable(); }

}  // namespace memory

Program build_program(Context&, const std::string&, const std::string&) { unavailable(); }
ConstantData constant_data(Context&, const void*, std::size_t) { unavailable(); }
void* zeroed(Queue&) { unavailable(); }
void* scratch(Queue&, std::size_t) { unavailable(); }
DeferredCommands& deferred_commands(Queue&) { unavailable(); }
void enqueue_deferred(Queue&) { unavailable(); }
void KernelArguments::set(std::size_t, const void*) { unavailable(); }
Kernel::Kernel(Context&, const Program&, const std::string&) { unavailable(); }
std::size_t Kernel::group_size(std::size_t) const { return 1; }
void Kernel::enqueue_with(Queue&, const WorkSize&, const WorkSize&,
                          const std::function<void(KernelArguments&)>&) const {
  unavailable();
}
void* context_handle(Context&, int) { unavailable(); }
void* device_handle(Context&, int) { unavailable(); }
void* program_handle(Context&, int, const std::string&, const std::string&) { unavailable(); }
void* command_queue(Queue&) { unavailable(); }
void keep_pace(Queue&) { unavailable(); }

}  // namespace tandem::opencl
