// SPDX-License-Identifier: LGPL-2.1-or-later
// Streams in a build without OpenCL. The constructor of StreamDevice throws, so nothing else runs.
#include "kernels/stage_file/run/streamed_stage.h"

namespace tandem {

struct StreamDevice::Native {
  opencl::DeviceDescription description;
};
struct StreamedStage::Private {
  StagePlan plan;
};

StreamDevice::StreamDevice(const std::string& selector) { opencl::Context::open(selector); }
StreamDevice::~StreamDevice() = default;
const opencl::DeviceDescription& StreamDevice::description() const { return native_->description; }
bool StreamDevice::has_own_cores(int) const { return false; }
int StreamDevice::most_partitions() const { return 1; }

StreamedStage::StreamedStage(StreamDevice&, const StageFile&, StageDependencies, int, int) {}
StreamedStage::~StreamedStage() = default;
const StagePlan& StreamedStage::plan() const { return self_->plan; }
void* StreamedStage::host(std::size_t) { return nullptr; }
std::size_t StreamedStage::bytes(std::size_t) const { return 0; }
StreamCommands StreamedStage::commands(StreamSetting) const { return {}; }
double StreamedStage::run(const StreamCommands&, int) { return 0; }
StreamProfile StreamedStage::profile(const StreamCommands&) { return {}; }

}  // namespace tandem
