// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "kernels/opencl/memory.h"
#include "tests/kernels/support/opencl_device.h"

namespace tandem::opencl {

using Access = Buffer::Access;
inline constexpr std::size_t kBytes = 1000;

/// A buffer of kBytes, and a queue of its device.
class DeviceBuffer : public testing::Test {
 protected:
  void SetUp() override {
    context_ = test_context();
    TANDEM_SKIP_WITHOUT_DEVICE(context_);
    queue_ = std::make_unique<Queue>(context_);
    buffer_ = std::make_unique<Buffer>(context_, kBytes);
  }
  void TearDown() override { fail_after(-1); }

  void fill_host(int value) { std::memset(buffer_->host(Access::write), value, kBytes); }

  // Writes the device side as a kernel would: the host side does not see it until it is mapped.
  void fill_device(int value) {
    const std::vector<unsigned char> source(kBytes, static_cast<unsigned char>(value));
    buffer_->enqueue_upload_rows(*queue_, source.data(), kBytes, 1, kBytes);
    queue_->finish();
  }

  int on_host(Access access = Access::read) {
    return static_cast<unsigned char*>(buffer_->host(access))[kBytes - 1];
  }

  int on_device() {
    std::vector<unsigned char> copy(kBytes);
    memory::download(*queue_, buffer_->device(*queue_, Access::read), copy.data(), kBytes);
    queue_->finish();
    return copy[kBytes - 1];
  }

  std::shared_ptr<Context> context_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace tandem::opencl
