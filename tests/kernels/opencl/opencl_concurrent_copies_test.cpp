// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies beside the kernels of a queue: bands of a large buffer, uploaded, computed and downloaded.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/opencl/native.h"
#include "tests/kernels/support/opencl_device.h"

namespace tandem::opencl {
namespace {

// Slow enough for a copy that does not wait to be seen.
constexpr char kSum[] = R"(
__kernel void sum(__global const uchar* in, __global uchar* out, int first) {
  int at = first + get_global_id(0);
  uint all = 0;
  for (int k = 0; k < 50; ++k) all += in[at] * k;
  out[at] = (uchar)all;
})";

class ConcurrentCopies : public testing::Test {
 protected:
  static constexpr int kRow = 1000, kRows = 320, kStride = 1024;

  void SetUp() override {
    context_ = test_context();
    TANDEM_SKIP_WITHOUT_DEVICE(context_);
    queue_ = std::make_unique<Queue>(context_);
    sum_ = std::make_unique<Kernel>(*context_, build_program(*context_, kSum), "sum");
  }
  void TearDown() override { fail_after(-1); }

  std::vector<unsigned char> frame(int seed) const {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(kStride) * kRows);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<unsigned char>(i * 7 + i / 251 + static_cast<std::size_t>(seed));
    return bytes;
  }

  // Computes `frame` in bands into out_, and waits.
  void run(const std::vector<unsigned char>& frame, int bands) {
    for (int b = 0; b < bands; ++b) {
      const Queue::ConcurrentCopies beside(*queue_);
      const int first = kRows * b / bands, last = kRows * (b + 1) / bands;
      in_->enqueue_upload_rows(*queue_, frame.data() + static_cast<std::size_t>(first) * kStride,
                               kRow, last - first, kStride, first);
      sum_->enqueue(*queue_, static_cast<std::size_t>((last - first) * kRow), 8,
                    static_cast<cl_mem>(in_->device(*queue_, Buffer::Access::read)),
                    static_cast<cl_mem>(out_->device(*queue_, Buffer::Access::write)),
                    first * kRow);
      out_->enqueue_download_part(*queue_, {1, bytes(first), bytes(last)}, last == kRows);
    }
    queue_->finish();
  }

  void expect_sums(const std::vector<unsigned char>& frame) {
    const auto* out = static_cast<const unsigned char*>(out_->host(Buffer::Access::read));
    for (int y = 0; y < kRows; ++y)
      for (int x = 0; x < kRow; ++x)
        ASSERT_EQ(out[y * kRow + x], static_cast<unsigned char>(
                                         frame[static_cast<std::size_t>(y) * kStride + x] * 1225u))
            << x << ", " << y;
  }

  static std::size_t bytes(int rows) { return static_cast<std::size_t>(rows) * kRow; }

  std::shared_ptr<Context> context_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Kernel> sum_;
  std::unique_ptr<Buffer> in_, out_;
};

TEST_F(ConcurrentCopies, AreThereWhereTheyAreNeeded) {
  in_ = std::make_unique<Buffer>(context_, bytes(kRows));
  out_ = std::make_unique<Buffer>(context_, bytes(kRows));
  for (int round = 0; round < 20; ++round) {
    const auto now = frame(round);
    run(now, 1 + round % 9);
    expect_sums(now);
  }
}

TEST_F(ConcurrentCopies, AnUploadBehindALongOneIsWaitedFor) {
  constexpr int kLong = 64 << 20;
  in_ = std::make_unique<Buffer>(context_, bytes(kRows));
  out_ = std::make_unique<Buffer>(context_, bytes(kRows));
  Buffer other(context_, kLong);
  const std::vector<unsigned char> long_one(kLong, 1);
  run(frame(0), 1);
  for (int round = 1; round < 5; ++round) {
    const auto now = frame(round);
    {
      const Queue::ConcurrentCopies beside(*queue_);
      other.enqueue_upload_rows(*queue_, long_one.data(), kLong, 1, kLong);
    }
    run(now, 2);
    expect_sums(now);
  }
}

TEST_F(ConcurrentCopies, TwoMoreQueuesAreMadeOnce) {
  in_ = std::make_unique<Buffer>(context_, bytes(kRows));
  out_ = std::make_unique<Buffer>(context_, bytes(kRows));
  const uint64_t before = counters().objects_created;
  run(frame(0), 4);
  EXPECT_EQ(counters().objects_created, before + 2);
  const uint64_t buffers = counters().buffers_created;
  run(frame(1), 7);
  EXPECT_EQ(counters().objects_created, before + 2);
  EXPECT_EQ(counters().buffers_created, buffers);
}

TEST_F(ConcurrentCopies, WhatIsWrittenAnewWaitsForDownloads) {
  in_ = std::make_unique<Buffer>(context_, bytes(kRows));
  out_ = std::make_unique<Buffer>(context_, bytes(kRows));
  const auto first = frame(1), second = frame(2);
  for (int round = 0; round < 20; ++round) {
    for (const auto* each : {&first, &second}) {
      queue_->wait_for_downloads();
      in_->enqueue_upload_rows(*queue_, each->data(), kRow, kRows, kStride);
      sum_->enqueue(*queue_, bytes(kRows), 8,
                    static_cast<cl_mem>(in_->device(*queue_, Buffer::Access::read)),
                    static_cast<cl_mem>(out_->device(*queue_, Buffer::Access::write)), 0);
      const Queue::ConcurrentCopies beside(*queue_);
      out_->enqueue_download_part(*queue_, {1, 0, bytes(kRows)}, true);
    }
    queue_->finish();
    expect_sums(second);
  }
}

// Whichever command fails: afterwards the memory is free, and the next frame is right.
TEST_F(ConcurrentCopies, AFailureLeavesNothingUnderWay) {
  in_ = std::make_unique<Buffer>(context_, bytes(kRows));
  out_ = std::make_unique<Buffer>(context_, bytes(kRows));
  for (int commands = 0; commands < 14; ++commands) {
    fail_after(commands);
    auto lost = std::make_unique<std::vector<unsigned char>>(frame(commands));
    bool failed = false;
    try {
      run(*lost, 4);
    } catch (const Error&) {
      failed = true;
    }
    EXPECT_EQ(failed, commands < 13) << commands << " of 12 commands and a wait";
    lost.reset();
    fail_after(-1);
    out_->discard();
    const auto now = frame(100 + commands);
    run(now, 3);
    expect_sums(now);
  }
}

}  // namespace
}  // namespace tandem::opencl
