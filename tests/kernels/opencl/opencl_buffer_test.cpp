// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/kernels/support/device_buffer.h"

namespace tandem::opencl {
namespace {

constexpr std::size_t kPage = 4096;

TEST(HostBuffer, IsPlainAlignedMemory) {
  const uint64_t created = counters().buffers_created;
  Buffer buffer(nullptr, kBytes);
  auto* host = static_cast<unsigned char*>(buffer.host(Access::write));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host) % 64, 0u);
  std::memset(host, 7, kBytes);
  EXPECT_EQ(buffer.host(Access::read), host);
  EXPECT_EQ(host[kBytes - 1], 7);
  EXPECT_EQ(buffer.size(), kBytes);
  EXPECT_EQ(counters().buffers_created, created);
}

TEST(HostBuffer, LiesWhereItWasTold) {
  for (const std::size_t offset : {0u, 64u, 4032u}) {
    Buffer buffer(nullptr, 4 * kPage + 1, offset);
    auto* host = static_cast<unsigned char*>(buffer.host(Access::write));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host) % kPage, offset);
    std::memset(host, 7, buffer.size());
    EXPECT_EQ(buffer.host(Access::read), host) << "the same place each time";
  }
}

TEST(HostBuffer, MayBeEmpty) {
  Buffer buffer(nullptr, 0);
  EXPECT_NE(buffer.host(Access::read_write), nullptr);
}

TEST_F(DeviceBuffer, UploadsWhatTheHostWrote) {
  fill_host(3);
  EXPECT_EQ(on_device(), 3);
}

TEST_F(DeviceBuffer, DownloadsWhatTheDeviceWrote) {
  fill_device(5);
  EXPECT_EQ(on_host(), 5);
}

TEST_F(DeviceBuffer, HostWriteMakesTheDeviceStale) {
  fill_device(5);
  fill_host(6);
  EXPECT_EQ(on_device(), 6);
}

TEST_F(DeviceBuffer, HostReadWriteDownloadsAndMakesTheDeviceStale) {
  fill_device(5);
  EXPECT_EQ(on_host(Access::read_write), 5);
  static_cast<unsigned char*>(buffer_->host(Access::read_write))[kBytes - 1] = 9;
  EXPECT_EQ(on_device(), 9);
}

TEST_F(DeviceBuffer, DeviceWriteMakesTheHostStale) {
  fill_host(1);
  fill_device(2);
  EXPECT_EQ(on_host(), 2);
}

TEST_F(DeviceBuffer, DeviceReadWriteUploadsAndMakesTheHostStale) {
  fill_host(4);
  buffer_->device(*queue_, Access::read_write);
  queue_->finish();
  std::memset(buffer_->host(Access::read), 0, 1);  // comes from the device: the last byte is there
  EXPECT_EQ(on_host(), 4);
}

TEST_F(DeviceBuffer, DeviceWriteUploadsNothing) {
  fill_host(4);
  fail_after(0);  // any command would throw
  EXPECT_NO_THROW(buffer_->device(*queue_, Access::write));
}

TEST_F(DeviceBuffer, CopiesOnceOnly) {
  fill_host(8);
  buffer_->device(*queue_, Access::read);
  queue_->finish();
  fill_device(9);
  EXPECT_EQ(on_host(), 9);
  fail_after(0);
  EXPECT_EQ(on_host(), 9);
  EXPECT_NO_THROW(buffer_->device(*queue_, Access::read));
  EXPECT_NO_THROW(buffer_->enqueue_download(*queue_));
}

TEST_F(DeviceBuffer, DownloadsWithTheBatch) {
  fill_device(11);
  buffer_->enqueue_download(*queue_);
  queue_->finish();
  fail_after(0);
  EXPECT_EQ(on_host(), 11);
}

TEST_F(DeviceBuffer, DiscardForgetsBothSides) {
  fill_device(11);
  buffer_->discard();
  fail_after(0);
  EXPECT_NO_THROW(buffer_->host(Access::read_write));
  fail_after(-1);
  fill_host(1);
  buffer_->discard();
  fail_after(0);
  EXPECT_NO_THROW(buffer_->device(*queue_, Access::read_write));
}

TEST_F(DeviceBuffer, CopiesStridedRowsToTheDevice) {
  constexpr int kRows = 5, kRowBytes = 33, kStride = 40;
  std::vector<unsigned char> source(kRows * kStride);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i);
  buffer_->enqueue_upload_rows(*queue_, source.data(), kRowBytes, kRows, kStride);
  queue_->finish();
  const auto* packed = static_cast<unsigned char*>(buffer_->host(Access::read));
  for (int y = 0; y < kRows; ++y)
    EXPECT_EQ(std::memcmp(packed + y * kRowBytes, &source[y * kStride], kRowBytes), 0);
}

TEST_F(DeviceBuffer, BringsStridedRowsToOtherMemoryAtOnce) {
  constexpr int kRows = 3, kRowBytes = 16, kStride = 24;
  fill_device(11);
  for (const int stride : {kRowBytes, kStride}) {
    std::vector<unsigned char> copy(kRows * kStride, 255);
    EXPECT_TRUE(
        buffer_->download_rows(copy.data(), kRowBytes, kRows, static_cast<std::size_t>(stride)));
    for (int y = 0; y < kRows; ++y)
      for (int x = 0; x < stride; ++x)
        EXPECT_EQ(copy[static_cast<std::size_t>(y * stride + x)], x < kRowBytes ? 11 : 255);
  }
  fail_after(0);
  std::vector<unsigned char> copy(kRows * kRowBytes, 255);
  EXPECT_THROW(buffer_->download_rows(copy.data(), kRowBytes, kRows, kRowBytes), Error);
  EXPECT_EQ(copy.back(), 255);
  fail_after(-1);
  fill_host(12);
  EXPECT_FALSE(buffer_->download_rows(copy.data(), kRowBytes, kRows, kRowBytes)) << "it is there";
}

TEST_F(DeviceBuffer, RefusesRowsThatExceedIt) {
  std::vector<unsigned char> rows(2 * kBytes);
  EXPECT_THROW(buffer_->enqueue_upload_rows(*queue_, rows.data(), kBytes, 2, kBytes), Error);
  EXPECT_THROW(buffer_->download_rows(rows.data(), kBytes, 2, kBytes), Error);
}

TEST_F(DeviceBuffer, WithoutContextHasNoDeviceSide) {
  Buffer plain(nullptr, kBytes);
  EXPECT_THROW(plain.device(*queue_, Access::write), Error);
}

TEST_F(DeviceBuffer, CountsWhatItCreates) {
  const uint64_t created = counters().buffers_created;
  fill_host(1);
  on_device();
  EXPECT_EQ(counters().buffers_created, created + 2);
  fill_host(2);
  on_device();
  EXPECT_EQ(counters().buffers_created, created + 2);
}

// After a failure the frame is computed on the CPU: the buffers of it must still serve the host.
TEST_F(DeviceBuffer, AFailedUploadLeavesTheHostValid) {
  fill_host(3);
  fail_after(0);
  EXPECT_THROW(buffer_->device(*queue_, Access::read), Error);
  EXPECT_EQ(on_host(), 3);
  fail_after(-1);
  EXPECT_EQ(on_device(), 3);
}

TEST_F(DeviceBuffer, AFailedDownloadLeavesTheDeviceValid) {
  fill_device(4);
  fail_after(0);
  EXPECT_THROW(buffer_->host(Access::read), Error);
  EXPECT_THROW(buffer_->enqueue_download(*queue_), Error);
  fail_after(-1);
  EXPECT_EQ(on_host(), 4);
}

TEST_F(DeviceBuffer, ServesTheHostWhenTheDeviceIsLost) {
  fill_device(4);
  fail_after(0);
  buffer_->discard();
  fill_host(5);
  EXPECT_EQ(on_host(), 5);
  Buffer fresh(context_, kBytes);
  EXPECT_NE(fresh.host(Access::write), nullptr);
}

TEST_F(DeviceBuffer, FailsAfterTheGivenNumberOfCommands) {
  fail_after(2);
  const unsigned char byte = 1;
  EXPECT_NO_THROW(buffer_->enqueue_upload_rows(*queue_, &byte, 1, 1, 1));
  EXPECT_NO_THROW(queue_->finish());
  EXPECT_THROW(buffer_->enqueue_upload_rows(*queue_, &byte, 1, 1, 1), Error);
  EXPECT_THROW(queue_->finish(), Error);
}

TEST_F(DeviceBuffer, ThreadsUseTheirOwnBuffers) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      Queue queue(context_);
      for (int round = 0; round < 20; ++round) {
        Buffer buffer(context_, kBytes);
        std::memset(buffer.host(Access::write), t + round, kBytes);
        buffer.device(queue, Access::read_write);
        queue.finish();
        EXPECT_EQ(static_cast<unsigned char*>(buffer.host(Access::read))[kBytes - 1], t + round);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DeviceBuffer, ThreadsMapTheSameBuffer) {
  fill_device(21);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) threads.emplace_back([this] { EXPECT_EQ(on_host(), 21); });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DeviceBuffer, OutlivesItsOwnersContext) {
  fill_device(21);
  queue_.reset();
  context_.reset();
  EXPECT_EQ(on_host(), 21);
}

// Of a tensor of a large frame, which takes seconds where memory is touched for the first time.
TEST_F(DeviceBuffer, ALargeCopyIsLeftBetweenPiecesWhenItIsToStop) {
  constexpr std::size_t kLarge = (std::size_t{80} << 20) + 5;
  std::atomic<bool> stop{false};
  Buffer large(context_, kLarge);
  auto* host = static_cast<unsigned char*>(large.host(Access::write));
  for (std::size_t i = 0; i < kLarge; ++i) host[i] = static_cast<unsigned char>(i % 251);
  queue_->pace(&stop);
  large.device(*queue_, Access::read_write);
  queue_->finish();
  std::memset(host, 0, kLarge);
  stop = true;
  EXPECT_THROW(large.enqueue_download(*queue_), Error);
  EXPECT_EQ(host[kLarge - 1], 0) << "the last piece was not copied";
  stop = false;
  large.enqueue_download(*queue_);
  queue_->finish();
  queue_->pace(nullptr);
  EXPECT_EQ(large.host(Access::read), host);
  for (std::size_t i = 0; i < kLarge; ++i) ASSERT_EQ(host[i], i % 251) << i;
}

}  // namespace
}  // namespace tandem::opencl
