// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/opencl/opencl.h"

/// Where the time of an OpenCL device goes, by its own clock: profiling events of each command, and
/// what the device can do at most, measured in the same run.
namespace tandem::check {

/// What the method needs, not what the implementation does.
struct DeviceWork {
  std::string kernel;        ///< name of a __kernel; empty: all that is enqueued
  double multiply_adds = 0;  ///< of all its launches together
  double bytes = 0;          ///< each input read once, each output written once
};

/// What bounds kernels on this device.
struct DevicePeaks {
  double fma_gflops = 0;  ///< independent fused multiply-adds, two operations each
  double copy_gbps = 0;   ///< a copy of memory that no cache holds, read and written
};

/// The best of a few runs each; about 50 ms on a GPU. Measured once for each context.
DevicePeaks measure_device_peaks(opencl::Queue& queue);

/// The commands of one name: kernels by theirs, copies as "upload" and "download".
struct CommandTime {
  std::string name;
  int launches = 0;
  double us = 0;  ///< all launches together
};
struct DeviceProfile {
  std::vector<CommandTime> commands;  ///< in the order of their first launch
  int launches = 0;
  double busy_us = 0;  ///< sum of the commands
  double span_us = 0;  ///< from the start of the first to the end of the last
};

/// Medians over `calls` calls of `enqueue`, each waited for. `enqueue` uses `queue` alone. Empty in
/// a build without OpenCL.
DeviceProfile profile_commands(opencl::Queue& queue, int calls,
                               const std::function<void()>& enqueue);

/// Prints to stderr what each command took, which bound it has and how much of that it reaches.
void print_profile(const DeviceProfile& profile, const DevicePeaks& peaks,
                   const std::vector<DeviceWork>& work);

}  // namespace tandem::check
