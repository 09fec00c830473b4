// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/opencl/memory.h"
#include "kernels/opencl/native.h"
#include "tests/kernels/support/opencl_device.h"

namespace tandem::opencl {
namespace {

constexpr char kFill[] =
    "__kernel void fill(__global int* out, int value) { out[get_global_id(0)] = value; }";

TEST(Native, ABuildFailureShowsTheCompilersMessages) {
  const auto context = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  try {
    build_program(*context, "__kernel void f() { no_such_name = 1; }");
    FAIL() << "it built";
  } catch (const Error& error) {
    EXPECT_NE(std::strstr(error.what(), "no_such_name"), nullptr) << error.what();
    EXPECT_NE(std::strstr(error.what(), context->device().name.c_str()), nullptr) << error.what();
  }
}

TEST(Native, AMissingKernelIsNamed) {
  const auto context = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  const Program program = build_program(*context, kFill);
  try {
    const Kernel other(*context, program, "other");
    FAIL() << "it exists";
  } catch (const Error& error) {
    EXPECT_NE(std::strstr(error.what(), "other"), nullptr) << error.what();
  }
}

TEST(Native, APlaneAndASpanAreArgumentsOfAKernel) {
  const auto context = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  constexpr char kCopy[] = R"(
__kernel void copy(__global const int* in, ulong first, long stride, int row, __global int* out,
                   ulong offset) {
  out[offset] = in[first + row * stride];
})";
  Queue queue(context);
  Kernel copy(*context, build_program(*context, kCopy), "copy");
  Buffer in(context, 64 * sizeof(int)), out(context, 8 * sizeof(int));
  std::iota(static_cast<int*>(in.host(Buffer::Access::write)),
            static_cast<int*>(in.host(Buffer::Access::write)) + 64, 0);
  std::memset(out.host(Buffer::Access::write), 0, out.size());
  const DevicePlane plane{in.device(queue, Buffer::Access::read), 40, 4, 4, -10};
  const DeviceSpan span{out.device(queue, Buffer::Access::read_write), 5};
  copy.enqueue(queue, 1, 1, plane, 3, span);
  queue.finish();
  const int* const got = static_cast<const int*>(out.host(Buffer::Access::read));
  EXPECT_EQ(std::vector<int>(got, got + 8), (std::vector<int>{0, 0, 0, 0, 0, 10, 0, 0}));
}

TEST(Native, AFaultFailsTheKernelAndFreesTheMemoryOfEarlierCommands) {
  const auto context = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  Queue queue(context);
  Kernel fill(*context, build_program(*context, kFill), "fill");
  constexpr std::size_t kCount = 1 << 16;
  Buffer buffer(context, kCount * sizeof(int));
  std::vector<int> copy(kCount);
  fill.enqueue(queue, kCount, 1, buffer.device(queue, Buffer::Access::write), 7);
  memory::download(queue, buffer.device(queue, Buffer::Access::read), copy.data(),
                   kCount * sizeof(int));
  fail_after(0);
  EXPECT_THROW(fill.enqueue(queue, kCount, 1, buffer.device(queue, Buffer::Access::write), 8),
               Error);
  fail_after(-1);
  EXPECT_EQ(copy.front(), 7);  // without a wait: the failure waited
  EXPECT_EQ(copy.back(), 7);
}

TEST(Native, AQueueThatKeepsPaceLeavesOffWhenStopped) {
  const auto context = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  Queue queue(context);
  Kernel fill(*context, build_program(*context, kFill), "fill");
  Buffer buffer(context, sizeof(int));
  std::atomic<bool> stop{false};
  queue.pace(&stop);
  const auto enqueue = [&](int value) {
    fill.enqueue(queue, 1, 1, buffer.device(queue, Buffer::Access::write), value);
  };
  EXPECT_NO_THROW(enqueue(1));
  stop = true;
  EXPECT_THROW(enqueue(2), Error);
  queue.pace(nullptr);
  EXPECT_NO_THROW(enqueue(3));
  queue.finish();
  EXPECT_EQ(*static_cast<int*>(buffer.host(Buffer::Access::read)), 3);
}

// Commands of 1 ms: 1, 4, 16 and then as many as 40 ms hold. Commands of 1 s: one by one.
TEST(Pace, LearnsHowManyCommandsAPieceHas) {
  Pace pace;
  const auto next_piece = [&](uint64_t command_ns) {
    int commands = 1;
    while (!pace.enqueued()) ++commands;
    pace.waited(command_ns * static_cast<uint64_t>(commands));
    return commands;
  };
  for (const int commands : {1, 4, 16, 40, 40}) EXPECT_EQ(next_piece(1'000'000), commands);
  EXPECT_EQ(next_piece(1'000'000'000), 40);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(next_piece(1'000'000'000), 1);
}

TEST(Native, GroupsFitTheDeviceAndRunInStep) {
  const auto context = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  const Kernel fill(*context, build_program(*context, kFill), "fill");
  EXPECT_EQ(fill.group_size(1), 1u);
  const std::size_t most = fill.group_size(std::size_t{1} << 30);
  EXPECT_GE(most, 1u);
  EXPECT_LE(most, fill.max_group());
}

}  // namespace
}  // namespace tandem::opencl
