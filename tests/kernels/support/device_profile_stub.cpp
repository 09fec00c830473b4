// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/support/device_profile.h"

// A build without OpenCL finds no device, and so has nothing to profile.
namespace tandem::check {

DevicePeaks measure_device_peaks(opencl::Queue&) { return {}; }
DeviceProfile profile_commands(opencl::Queue&, int, const std::function<void()>&) { return {}; }
void print_profile(const DeviceProfile&, const DevicePeaks&, const std::vector<DeviceWork>&) {}

}  // namespace tandem::check
