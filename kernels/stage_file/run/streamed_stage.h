// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "kernels/opencl/opencl.h"
#include "kernels/stage_file/run/stage_call.h"
#include "kernels/stage_file/run/stream_plan.h"

namespace tandem {

/// An OpenCL device and its lanes. A CPU device is cut into groups of cores, one a lane, where its
/// runtime can; otherwise, and on other devices, lanes are queues of the whole device.
class StreamDevice {
 public:
  /// `selector`: see opencl::Context::open(). Throws opencl::Error.
  explicit StreamDevice(const std::string& selector);
  ~StreamDevice();

  const opencl::DeviceDescription& description() const;
  /// Whether each of so many lanes has cores of its own.
  bool has_own_cores(int partitions) const;
  /// More lanes than cores make no sense on a CPU device.
  int most_partitions() const;

  struct Native;
  Native& native() { return *native_; }

 private:
  std::unique_ptr<Native> native_;
};

/// What the commands of a run take one by one, from the device's own clock.
struct StreamProfile {
  double upload_ns = 0, kernel_ns = 0, download_ns = 0;
  double upload_bytes = 0, download_bytes = 0;
  int launches = 0, copies = 0;
};

/// A stage for frames of one size on a device, with what it reads and writes in host memory.
class StreamedStage {
 public:
  /// Throws StageFileError and opencl::Error. The device must outlive it.
  StreamedStage(StreamDevice& device, const StageFile& file, StageFollows follows, int width,
                int height);
  ~StreamedStage();

  const StagePlan& plan() const;
  /// In host memory: inputs are what runs read, outputs what they wrote; others have none.
  void* host(std::size_t tensor);
  std::size_t bytes(std::size_t tensor) const;

  StreamCommands commands(StreamSetting setting) const;
  /// One run; returns its nanoseconds, from the first command's enqueuing to the last one's end.
  double run(const StreamCommands& commands, int partitions);
  /// One run on one lane. The commands are those of one partition.
  StreamProfile profile(const StreamCommands& commands);

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem
