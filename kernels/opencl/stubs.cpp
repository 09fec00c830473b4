// SPDX-License-Identifier: LGPL-2.1-or-later
// What a build without OpenCL links: no device is ever found, so no other function here is reached
// by a program that asks for one first.
#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_flow/klt_flow.h"
#include "kernels/klt_pyramid/klt_pyramid.h"
#include "kernels/opencl/handles.h"
#include "kernels/opencl/memory.h"
#include "kernels/opencl/opencl.h"
#include "kernels/opencl/source_kernel.h"
#include "kernels/resize/resize.h"
#include "kernels/scene_features/scene_features.h"
#include "kernels/srad/srad.h"
#include "kernels/stage_file/run/stage_file_device.h"
#include "kernels/vivid_classifier/vivid_classifier.h"
#include "kernels/vivid_filter/vivid_filter.h"
#include "kernels/vivid_histogram/vivid_histogram.h"

namespace tandem {

namespace {

[[noreturn]] void unavailable() {
  throw opencl::Error(
      "this build has no OpenCL: install the OpenCL headers and loader and configure with "
      "-Dopencl=enabled to use a device");
}

}  // namespace

namespace opencl {

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
Queue::CopiesBeside::CopiesBeside(Queue& queue) : queue_(queue) { unavailable(); }
void Queue::wait_for_downloads() { unavailable(); }
// With OpenCL it has work to do.
Queue::CopiesBeside::~CopiesBeside() { static_cast<void>(queue_); }

namespace memory {

void* create(Context&, int, std::size_t) { unavailable(); }
void release(void*) noexcept {}
bool gains_by_locking(const Context&) { return false; }
void* lock_pages(Context&, int, void*, std::size_t) noexcept { return nullptr; }
Pinned create_pinned(Context&, int, std::size_t) noexcept { return {}; }
void release_pinned(const Pinned&) noexcept {}
void upload(Queue&, void*, const void*, const HostRows&) { unavailable(); }
void upload_now(Queue&, void*, const void*, std::size_t, std::size_t) { unavailable(); }
void download(Queue&, void*, void*, const HostRows&) { unavailable(); }
void download_now(Context&, int, void*, void*, std::size_t, std::size_t) { unavailable(); }
void download_now(Context&, int, void*, void*, const HostRows&) { unavailable(); }

}  // namespace memory

struct SourceKernel::Private {};
SourceKernel::SourceKernel(Context&, const std::string&, const std::string&) { unavailable(); }
SourceKernel::~SourceKernel() = default;
void SourceKernel::enqueue(Queue&, std::size_t, std::span<const Argument>) { unavailable(); }
void* context_handle(Context&, int) { unavailable(); }
void* device_handle(Context&, int) { unavailable(); }
void* program_handle(Context&, int, const std::string&, const std::string&) { unavailable(); }
void* command_queue(Queue&) { unavailable(); }
void keep_pace(Queue&) { unavailable(); }

}  // namespace opencl

struct ResizeOpenCL::Private {};
ResizeOpenCL::ResizeOpenCL(opencl::Context&) { unavailable(); }
ResizeOpenCL::~ResizeOpenCL() = default;
void ResizeOpenCL::enqueue(opencl::Queue&, const opencl::DevicePlane&, const opencl::DevicePlane&,
                           Rows) {
  unavailable();
}

struct VividFilterOpenCL::Private {};
VividFilterOpenCL::VividFilterOpenCL(opencl::Context&, const FilterBank&) { unavailable(); }
VividFilterOpenCL::~VividFilterOpenCL() = default;
void VividFilterOpenCL::enqueue(opencl::Queue&, const opencl::DevicePlane&,
                                const opencl::DevicePlane&, const opencl::DevicePlane&, Rows) {
  unavailable();
}

struct VividHistogramOpenCL::Private {};
VividHistogramOpenCL::VividHistogramOpenCL(opencl::Context&, int) { unavailable(); }
VividHistogramOpenCL::~VividHistogramOpenCL() = default;
void VividHistogramOpenCL::enqueue(opencl::Queue&, const opencl::DevicePlane&,
                                   const opencl::DevicePlane&, const opencl::DeviceSpan&, Rows) {
  unavailable();
}

struct VividClassifierOpenCL::Private {};
VividClassifierOpenCL::VividClassifierOpenCL(opencl::Context&, const LinearSvm&) { unavailable(); }
VividClassifierOpenCL::~VividClassifierOpenCL() = default;
std::size_t VividClassifierOpenCL::partial_size(CellGrid) { return 0; }
void VividClassifierOpenCL::enqueue(opencl::Queue&, const opencl::DeviceSpan&, CellGrid,
                                    const opencl::DeviceSpan&, const opencl::DevicePlane&, Rows,
                                    int) {
  unavailable();
}

struct SradOpenCL::Private {};
SradOpenCL::SradOpenCL(opencl::Context&) { unavailable(); }
SradOpenCL::~SradOpenCL() = default;
void SradOpenCL::extract(opencl::Queue&, const Plane&, const Plane&, Rows) const { unavailable(); }
void SradOpenCL::prepare(opencl::Queue&, const Plane&, const Plane&, Rows) const { unavailable(); }
void SradOpenCL::reduce(opencl::Queue&, const Plane&, const Plane&, const Span&,
                        const Span&) const {
  unavailable();
}
void SradOpenCL::reduce_first(opencl::Queue&, const Plane&, const Plane&, const Span&, int) const {
  unavailable();
}
int SradOpenCL::sums_of(int) const { return 0; }
void SradOpenCL::diffuse(opencl::Queue&, const Plane&, const Span&, const Plane&, const Plane&,
                         Rows) const {
  unavailable();
}
void SradOpenCL::update(opencl::Queue&, const Plane&, const Plane&, const Plane&, float,
                        const Plane&, Rows) const {
  unavailable();
}
void SradOpenCL::compress(opencl::Queue&, const Plane&, const Plane&, Rows) const { unavailable(); }

struct KltPyramidOpenCL::Private {};
KltPyramidOpenCL::KltPyramidOpenCL(opencl::Context&) { unavailable(); }
KltPyramidOpenCL::~KltPyramidOpenCL() = default;
void KltPyramidOpenCL::enqueue(opencl::Queue&, const opencl::DevicePlane&,
                               const opencl::DeviceSpan&) {
  unavailable();
}

struct KltFeaturesOpenCL::Private {};
KltFeaturesOpenCL::KltFeaturesOpenCL(opencl::Context&) { unavailable(); }
KltFeaturesOpenCL::~KltFeaturesOpenCL() = default;
std::size_t KltFeaturesOpenCL::selection_scratch() { return 0; }
void KltFeaturesOpenCL::enqueue_strength(opencl::Queue&, const opencl::DevicePlane&,
                                         const opencl::DevicePlane&, int,
                                         const opencl::DevicePlane&, const opencl::DeviceSpan&) {
  unavailable();
}
void KltFeaturesOpenCL::enqueue_select(opencl::Queue&, const opencl::DevicePlane&, KltCandidates,
                                       int, const opencl::DeviceSpan&, const opencl::DeviceSpan&) {
  unavailable();
}

struct KltFlowOpenCL::Private {};
KltFlowOpenCL::KltFlowOpenCL(opencl::Context&) { unavailable(); }
KltFlowOpenCL::~KltFlowOpenCL() = default;
void KltFlowOpenCL::enqueue(opencl::Queue&, const KltLayout&, const opencl::DeviceSpan&,
                            const opencl::DeviceSpan&, const opencl::DeviceSpan&, int,
                            const KltFlowSettings&, const opencl::DeviceSpan&) {
  unavailable();
}

struct SceneFeaturesOpenCL::Private {};
SceneFeaturesOpenCL::SceneFeaturesOpenCL(opencl::Context&) { unavailable(); }
SceneFeaturesOpenCL::~SceneFeaturesOpenCL() = default;
void SceneFeaturesOpenCL::enqueue(opencl::Queue&, const opencl::DevicePlane&,
                                  const opencl::DeviceSpan&, const opencl::DeviceSpan&) {
  unavailable();
}

struct StageFileOpenCL::Private {};
StageFileOpenCL::StageFileOpenCL(opencl::Context&, const StageFile&, const StagePlan&) {
  unavailable();
}
StageFileOpenCL::~StageFileOpenCL() = default;
void StageFileOpenCL::enqueue(opencl::Queue&, const StageCall&) const { unavailable(); }
void StageFileOpenCL::enqueue_rows(opencl::Queue&, const StageCall&, Rows) const { unavailable(); }

}  // namespace tandem
