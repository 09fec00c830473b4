// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"

/// What the checks of all kernels share about OpenCL: the devices to check on, and memory there in
/// which a write outside of a rectangle shows.
namespace tandem::check {

struct OpenCLDevice {
  std::string name;  ///< for names of tests
  std::shared_ptr<opencl::Context> context;
  bool fused = false;  ///< known to have fused multiply-adds
};

/// The device of opencl::test_context(), and when it is a CPU the same once more with the kernels
/// as a GPU has them. Empty when there is none; then says so on standard output once.
const std::vector<OpenCLDevice>& opencl_devices();

/// A plane of host memory as it lies, gaps between rows included, on the device, with guards
/// around.
template <typename T>
class DeviceCopy {
 public:
  using Value = std::remove_const_t<T>;

  DeviceCopy(std::shared_ptr<opencl::Context> context, opencl::Queue& queue, Plane<T> host)
      : queue_(queue),
        host_(host),
        buffer_(std::move(context), (elements() + 2 * kGuard) * sizeof(T)) {
    auto* bytes = static_cast<unsigned char*>(buffer_.host(opencl::Buffer::Access::write));
    std::memset(bytes, kGuardByte, buffer_.size());
    if (elements() > 0) std::memcpy(bytes + kGuard * sizeof(T), host.data, elements() * sizeof(T));
  }

  opencl::DevicePlane plane() {
    return {span().mem, kGuard, host_.width, host_.height, host_.stride};
  }
  opencl::DeviceSpan span() {
    return {buffer_.device(queue_, opencl::Buffer::Access::read_write), kGuard};
  }

  /// Waits for the queue and copies back to the host what plane() gave to a kernel.
  void fetch() {
    queue_.finish();
    const auto* bytes =
        static_cast<const unsigned char*>(buffer_.host(opencl::Buffer::Access::read));
    const std::size_t end = (kGuard + elements()) * sizeof(T);
    for (std::size_t i = 0; i < buffer_.size(); ++i) {
      if (i >= kGuard * sizeof(T) && i < end) continue;
      ASSERT_EQ(bytes[i], kGuardByte) << "byte " << i << " was written; the plane ends at " << end;
    }
    if constexpr (!std::is_const_v<T>) {
      if (elements() > 0)
        std::memcpy(host_.data, bytes + kGuard * sizeof(T), elements() * sizeof(T));
    }
  }

 private:
  static constexpr unsigned char kGuardByte = 0xa5;
  static constexpr std::size_t kGuard = 67;  // elements: odd, so that offsets align with nothing

  std::size_t elements() const {
    if (host_.width <= 0 || host_.height <= 0) return 0;
    return static_cast<std::size_t>((host_.height - 1) * host_.stride + host_.width);
  }

  opencl::Queue& queue_;
  const Plane<T> host_;
  opencl::Buffer buffer_;
};

template <typename T>
DeviceCopy(std::shared_ptr<opencl::Context>, opencl::Queue&, Plane<T>) -> DeviceCopy<T>;

}  // namespace tandem::check
