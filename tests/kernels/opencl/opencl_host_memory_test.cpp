// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/opencl/host_memory.h"
#include "kernels/opencl/memory.h"
#include "tests/kernels/support/device_buffer.h"

namespace tandem::opencl {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLarge = (std::size_t{100} << 20) + 5;  // for several threads, no whole pages

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

// How many of the pages that hold so many bytes the system has given already.
std::size_t pages_there(void* memory, std::size_t bytes) {
  std::vector<unsigned char> there((bytes + kPage - 1) / kPage);
  EXPECT_EQ(mincore(memory, bytes, there.data()), 0);
  return static_cast<std::size_t>(
      std::ranges::count_if(there, [](unsigned char each) { return (each & 1) != 0; }));
}

TEST(HostMemory, IsOfWholePagesWhereItIsToBeLocked) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kPage + 1, kLarge}) {
    const Memory memory(memory::allocate_pages(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % kPage, 0u) << bytes;
    // A part of a page would be locked together with memory of others.
    EXPECT_GE(malloc_usable_size(memory.get()), (std::max(bytes, kPage) + kPage - 1) & ~(kPage - 1))
        << bytes;
  }
}

// Of the system itself: the C library may fill what it allocates.
TEST(HostMemory, TouchingHasTheSystemGiveEveryPage) {
  void* const memory =
      mmap(nullptr, kLarge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(pages_there(memory, kLarge), 0u);
  memory::touch(memory, kLarge);
  EXPECT_EQ(pages_there(memory, kLarge), (kLarge + kPage - 1) / kPage);
  munmap(memory, kLarge);
}

// A device that gains by page-locked memory, as a discrete one does.
class LockedBuffer : public DeviceBuffer {
 protected:
  void SetUp() override {
    DeviceBuffer::SetUp();
    if (context_) treat_as_gpu(*context_);
  }

  uint64_t made() const { return counters().buffers_created - made_before_; }

  const uint64_t made_before_ = counters().buffers_created;
};

TEST_F(LockedBuffer, TheCoresAloneNeedNoLock) {
  fill_host(3);
  EXPECT_EQ(on_host(), 3);
  EXPECT_EQ(made(), 1u) << "the host's memory";
}

TEST_F(LockedBuffer, IsLockedOnceWhereItLies) {
  fill_host(3);
  const void* const before = buffer_->host(Access::read);
  EXPECT_EQ(on_device(), 3);
  EXPECT_EQ(made(), 3u) << "the host's memory, the device's and a lock";
  fill_device(4);
  EXPECT_EQ(on_host(), 4);
  EXPECT_EQ(buffer_->host(Access::read), before);
  EXPECT_EQ(made(), 3u) << "again";
}

TEST_F(LockedBuffer, IsLockedForWhoCopiesFromItsHostSide) {
  fill_host(3);
  buffer_->lock_pages(*queue_);
  EXPECT_EQ(made(), 2u) << "the host's memory and a lock";
  buffer_->lock_pages(*queue_);
  EXPECT_EQ(made(), 2u) << "again";
  EXPECT_EQ(on_host(), 3);
  Buffer plain(nullptr, 64);
  plain.host(Buffer::Access::write);
  plain.lock_pages(*queue_);
  EXPECT_EQ(made(), 2u) << "memory of the host alone";
}

TEST_F(LockedBuffer, IsLockedByTheFirstDownload) {
  fill_device(5);
  EXPECT_EQ(made(), 1u) << "the device's memory";
  buffer_->enqueue_download(*queue_);
  queue_->finish();
  EXPECT_EQ(made(), 3u);
  EXPECT_EQ(on_host(), 5);
}

TEST_F(LockedBuffer, StaysWhereItWasTold) {
  constexpr std::size_t kOffset = 192;
  buffer_ = std::make_unique<Buffer>(context_, 4 * kPage, kOffset);
  auto* const host = static_cast<unsigned char*>(buffer_->host(Access::write));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host) % kPage, kOffset);
  std::memset(host, 7, buffer_->size());
  buffer_->device(*queue_, Access::read_write);  // newer than the host from now on
  queue_->finish();
  std::memset(host, 0, buffer_->size());
  EXPECT_EQ(buffer_->host(Access::read), host);
  EXPECT_EQ(std::count(host, host + buffer_->size(), 7), static_cast<long>(buffer_->size()));
}

TEST_F(LockedBuffer, TheContentOutlastsTheLock) {
  const Memory memory(memory::allocate_pages(kPage));
  std::memset(memory.get(), 9, kPage);
  void* const lock = memory::lock_pages(*context_, 0, memory.get(), kPage);
  ASSERT_NE(lock, nullptr);
  memory::release(lock);
  const auto* const bytes = static_cast<const unsigned char*>(memory.get());
  EXPECT_EQ(std::count(bytes, bytes + kPage, 9), static_cast<long>(kPage));
}

TEST_F(LockedBuffer, OwnMemoryIsLockedAsWell) {
  const memory::Pinned pinned = memory::create_pinned(*context_, 0, kLarge);
  ASSERT_NE(pinned.host, nullptr);
  EXPECT_NE(pinned.mem, nullptr);
  EXPECT_EQ(pages_there(pinned.host, kLarge), (kLarge + kPage - 1) / kPage);
  memory::release_pinned(pinned);
  EXPECT_EQ(memory::create_pinned(*context_, 0, 0).host, nullptr);
}

TEST_F(DeviceBuffer, NothingIsLockedWhereNothingIsGained) {
  if (memory::gains_by_locking(*context_)) GTEST_SKIP() << "this device gains by it";
  const Memory memory(memory::allocate_pages(kPage));
  EXPECT_EQ(memory::lock_pages(*context_, 0, memory.get(), kPage), nullptr);
  EXPECT_EQ(memory::create_pinned(*context_, 0, kPage).host, nullptr);
}

}  // namespace
}  // namespace tandem::opencl
