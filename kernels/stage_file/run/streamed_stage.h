// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "kernels/opencl/opencl.h"
#include "kernels/stage_file/run/stage_call.h"
#include "kernels/stage_file/run/stream_plan.h"

namespace tandem {

/// An OpenCL device and its lanes. A CPU device is partitioned into groups of cores, one a lane, if
/// its runtime supports that. On other devices, lanes are queues of the whole device.
class StreamDevice {
 public:
  /// `selector`: see opencl::Context::open(). Throws opencl::Error.
  explicit StreamDevice(const std::string& selector);
  ~StreamDevice();

  const opencl::DeviceDescription& description() const;
  /// Whether each of `partitions` lanes has its own cores.
  bool has_own_cores(int partitions) const;
  /// Most lanes: on a CPU device, one a core.
  int most_partitions() const;

  struct Native;
  Native& native() { return *native_; }

 private:
  std::unique_ptr<Native> native_;
};

/// Times of a run's commands one by one, by the device's clock.
struct StreamProfile {
  double upload_ns = 0, kernel_ns = 0, download_ns = 0;
  double upload_bytes = 0, download_bytes = 0;
  int launches = 0, copies = 0;
};

/// A stage for frames of one size on a device, with inputs and outputs in host memory.
class StreamedStage {
 public:
  /// Throws StageFileError and opencl::Error. The device must outlive it.
  StreamedStage(StreamDevice& device, const StageFile& file, StageDependencies dependencies,
                int width, int height);
  ~StreamedStage();

  const StagePlan& plan() const;
  /// Host memory of an input or output; null for other tensors.
  void* host(std::size_t tensor);
  std::size_t bytes(std::size_t tensor) const;

  StreamCommands commands(StreamSetting setting) const;
  /// Runs once. Returns the nanoseconds from the enqueuing of the first command to the end of the
  /// last one.
  double run(const StreamCommands& commands, int partitions);
  /// Runs once on one lane. The commands are those of one partition.
  StreamProfile profile(const StreamCommands& commands);

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem
