// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/memory.h"
#include "tests/kernels/support/device_buffer.h"

namespace tandem::opencl {
namespace {

// Content that device and host compute at the same time, in two planes.
class HalvedBuffer : public DeviceBuffer {
 protected:
  static constexpr int kPlanes = 2;
  static constexpr std::size_t kPlane = kBytes / kPlanes;

  // Each side fills its half of each plane, and the bytes that both have, with `value`.
  void fill(std::size_t device_end, std::size_t host_begin, int value) {
    std::vector<unsigned char> source(kBytes, static_cast<unsigned char>(value));
    Buffer from(context_, kBytes);
    std::memcpy(from.host(Access::write), source.data(), kBytes);
    buffer_->share(*queue_, Access::write, {kPlanes, device_end, host_begin});
    auto* host = static_cast<unsigned char*>(buffer_->host(Access::write));
    for (int p = 0; p < kPlanes; ++p) {
      std::memset(host + p * kPlane, 0, host_begin);
      std::memset(host + p * kPlane + host_begin, value, kPlane - host_begin);
    }
    // As a kernel would write it.
    void* const mem = buffer_->device(*queue_, Access::write);
    for (int p = 0; p < kPlanes; ++p) write_device(mem, p * kPlane, source.data(), device_end);
    queue_->finish();
  }

  void write_device(void* mem, std::size_t at, const void* from, std::size_t bytes) {
    memory::upload(*queue_, mem, from, {bytes, 1, bytes, at});
  }

  void expect_all(int value) {
    const auto* host = static_cast<const unsigned char*>(buffer_->host(Access::read));
    for (std::size_t i = 0; i < kBytes; ++i) ASSERT_EQ(host[i], value) << i;
  }
};

TEST_F(HalvedBuffer, JoinsOnTheHost) {
  fill(300, 290, 7);
  buffer_->unshare();
  expect_all(7);
  fail_after(0);
  expect_all(7);
}

TEST_F(HalvedBuffer, JoinsOnTheDevice) {
  fill(300, 290, 8);
  buffer_->unshare();
  buffer_->device(*queue_, Access::read_write);  // the host's bytes are of no use any more
  queue_->finish();
  expect_all(8);
}

TEST_F(HalvedBuffer, DownloadsTheDevicesBytesAlone) {
  fill(300, 290, 9);
  auto* host = static_cast<unsigned char*>(buffer_->host(Access::read));
  host[295] = 1;  // both have it, and this is the host's
  buffer_->enqueue_download(*queue_);
  queue_->finish();
  EXPECT_EQ(host[0], 9);
  EXPECT_EQ(host[289], 9);
  EXPECT_EQ(host[295], 1);
  EXPECT_EQ(host[kPlane + 1], 9);
}

TEST_F(HalvedBuffer, ExchangesWhatASideLacks) {
  fill(300, 300, 5);
  buffer_->unshare();
  buffer_->share(*queue_, Access::read, {kPlanes, 310, 280});
  const auto* host = static_cast<const unsigned char*>(buffer_->host(Access::read));
  EXPECT_EQ(host[279], 0);
  EXPECT_EQ(host[280], 5);
  EXPECT_EQ(host[kPlane + 280], 5);
  queue_->finish();
  buffer_->unshare();
  expect_all(5);
}

TEST_F(HalvedBuffer, SaysWhenItHadToDownload) {
  fill(300, 300, 5);
  buffer_->unshare();
  EXPECT_FALSE(buffer_->share(*queue_, Access::read, {kPlanes, 310, 300}));
  EXPECT_TRUE(buffer_->share(*queue_, Access::read, {kPlanes, 310, 280}));
  EXPECT_FALSE(buffer_->share(*queue_, Access::read, {kPlanes, 310, 280}));
}

TEST_F(HalvedBuffer, ABorderComesWithTheBatchAndIsThereAfterwards) {
  for (const int value : {5, 6}) {
    fill(300, 300, value);
    buffer_->enqueue_border(*queue_, 280);
    queue_->finish();
    const auto* host = static_cast<const unsigned char*>(buffer_->host(Access::read));
    EXPECT_EQ(host[280], 0) << "the host may still read what it had";
    buffer_->unshare();
    fail_after(0);
    EXPECT_FALSE(buffer_->share(*queue_, Access::read, {kPlanes, 300, 280}));
    EXPECT_EQ(host[279], 0);
    EXPECT_EQ(host[280], value);
    EXPECT_EQ(host[kPlane + 299], value);
    buffer_->unshare();
    fail_after(-1);
    expect_all(value);
  }
}

TEST_F(HalvedBuffer, ABorderThatIsAbandonedIsNotTaken) {
  fill(300, 300, 5);
  buffer_->enqueue_border(*queue_, 280);
  queue_->finish();
  buffer_->abandon_share();
  expect_all(5);  // downloaded
}

TEST_F(HalvedBuffer, WhatTheHostOverwritesIsUploadedAsItWas) {
  for (const int value : {5, 6}) {
    fill(300, 300, value);
    buffer_->unshare();
    buffer_->share(*queue_, Access::read, {kPlanes, 320, 300}, true);
    auto* host = static_cast<unsigned char*>(buffer_->host(Access::read_write));
    std::memset(host + 300, 77, 20);
    queue_->finish();
    std::vector<unsigned char> on_device(20);
    void* const mem = buffer_->device(*queue_, Access::read);
    memory::download(*queue_, mem, on_device.data(), 20, 300);
    queue_->finish();
    EXPECT_EQ(on_device, std::vector<unsigned char>(20, static_cast<unsigned char>(value)));
    buffer_->unshare();
  }
}

TEST_F(HalvedBuffer, WhatEachSideHasForItselfStays) {
  fill_host(3);
  buffer_->share_apart(*queue_);
  void* const mem = buffer_->device(*queue_, Access::write);
  const std::vector<unsigned char> source(kBytes, 9);
  write_device(mem, 0, source.data(), kBytes);
  queue_->finish();
  buffer_->unshare();
  expect_all(3);
}

TEST_F(HalvedBuffer, BeginsWithWhatOneSideHas) {
  fill_host(3);
  buffer_->share(*queue_, Access::read, {1, 400, 350});
  queue_->finish();
  buffer_->unshare();
  expect_all(3);
  fill_device(4);
  buffer_->share(*queue_, Access::read, {1, 400, 350});
  EXPECT_EQ(static_cast<const unsigned char*>(buffer_->host(Access::read))[350], 4);
  buffer_->unshare();
  expect_all(4);
}

TEST_F(HalvedBuffer, WithHalvesThatAreEmpty) {
  fill(0, 0, 2);
  buffer_->unshare();
  expect_all(2);
  fill(kPlane, kPlane, 3);
  buffer_->unshare();
  expect_all(3);
}

TEST_F(HalvedBuffer, IsDiscardedAsAWhole) {
  fill(300, 290, 7);
  buffer_->discard();
  fail_after(0);
  EXPECT_NO_THROW(buffer_->host(Access::read_write));
}

}  // namespace
}  // namespace tandem::opencl
