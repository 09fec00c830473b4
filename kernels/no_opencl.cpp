// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels' device classes in a build without OpenCL. opencl::Context::open() finds no device
// there, so no program that asks for one first reaches any function here.
#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_flow/klt_flow.h"
#include "kernels/klt_pyramid/klt_pyramid.h"
#include "kernels/opencl/unavailable.h"
#include "kernels/resize/resize.h"
#include "kernels/scene_features/scene_features.h"
#include "kernels/srad/srad.h"
#include "kernels/stage_file/run/stage_file_device.h"
#include "kernels/stage_file/run/streamed_stage.h"
#include "kernels/vivid_classifier/vivid_classifier.h"
#include "kernels/vivid_filter/vivid_filter.h"
#include "kernels/vivid_histogram/vivid_histogram.h"

namespace tandem {

using opencl::unavailable;

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

struct StreamDevice::Native {
  opencl::DeviceDescription description;
};
struct StreamedStage::Private {
  StagePlan plan;
};

StreamDevice::StreamDevice(const std::string&) { unavailable(); }
StreamDevice::~StreamDevice() = default;
const opencl::DeviceDescription& StreamDevice::description() const { return native_->description; }
bool StreamDevice::has_own_cores(int) const { return false; }
int StreamDevice::most_partitions() const { return 1; }

StreamedStage::StreamedStage(StreamDevice&, const StageFile&, StageFollows, int, int) {}
StreamedStage::~StreamedStage() = default;
const StagePlan& StreamedStage::plan() const { return self_->plan; }
void* StreamedStage::host(std::size_t) { return nullptr; }
std::size_t StreamedStage::bytes(std::size_t) const { return 0; }
StreamCommands StreamedStage::commands(StreamSetting) const { return {}; }
double StreamedStage::run(const StreamCommands&, int) { return 0; }
StreamProfile StreamedStage::profile(const StreamCommands&) { return {}; }

}  // namespace tandem
