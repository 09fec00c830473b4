// SPDX-License-Identifier: LGPL-2.1-or-later
// A context of two devices of one kind. The environment makes two of PoCL's one: run by meson test.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/opencl/memory.h"
#include "kernels/opencl/native.h"
#include "tests/kernels/support/opencl_device.h"

namespace tandem::opencl {
namespace {

using Access = Buffer::Access;
constexpr std::size_t kCount = 1000, kBytes = kCount * sizeof(int);
constexpr char kAdd[] =
    "__kernel void add(__global int* values, __constant int* constants) {"
    "  values[get_global_id(0)] += constants[0]; }";

class Devices : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<DeviceDescription> devices = list_devices();
    if (devices.size() < 2) GTEST_SKIP() << "one OpenCL device or none";
    name_ = devices[0].name;
    context_ = Context::open(name_ + ", " + name_);
    for (int d = 0; d < 2; ++d) queues_.push_back(std::make_unique<Queue>(context_, d));
  }
  void TearDown() override { fail_after(-1); }

  static void fill(Buffer& buffer, int value) {
    int* values = static_cast<int*>(buffer.host(Access::write));
    std::fill(values, values + kCount, value);
  }
  static int last(Buffer& buffer) {
    return static_cast<const int*>(buffer.host(Access::read))[kCount - 1];
  }

  std::string name_;
  std::shared_ptr<Context> context_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

TEST_F(Devices, AListTakesNoDeviceTwice) {
  EXPECT_EQ(context_->devices(), 2);
  EXPECT_TRUE(context_->left_out().empty());
  EXPECT_EQ(Context::open(name_)->devices(), 1);
  std::string three;
  for (std::size_t i = 0; i <= list_devices().size(); ++i) three += (i == 0 ? "" : ",") + name_;
  EXPECT_THROW(Context::open(three), Error);
  EXPECT_THROW(Context::open(name_ + ","), Error);
  try {
    Context::open(name_ + ", No Such Device");
    FAIL() << "there is no such device";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("\": none is left for \"No Such Device\". "),
              std::string::npos)
        << error.what();
  }
  const NativeDevice &a = context_->native().at(0), &b = context_->native().at(1);
  EXPECT_NE(a.device(), b.device());
  EXPECT_NE(a.context(), b.context()) << "one that fails would take the other along";
}

TEST_F(Devices, AKernelRunsOnEachWithItsConstants) {
  Kernel add(*context_, build_program(*context_, kAdd), "add");
  const int five = 5;
  const ConstantData constants = constant_data(*context_, &five, sizeof five);
  for (const auto& queue : queues_) {
    Buffer buffer(context_, kBytes);
    fill(buffer, 10 + queue->device());
    add.enqueue(*queue, kCount, 1, buffer.device(*queue, Access::read_write), constants);
    queue->finish();
    EXPECT_EQ(last(buffer), 15 + queue->device());
  }
}

TEST_F(Devices, WhatCrossesGoesThroughTheHost) {
  Kernel add(*context_, build_program(*context_, kAdd), "add");
  const int one = 1;
  const ConstantData constants = constant_data(*context_, &one, sizeof one);
  Buffer buffer(context_, kBytes);
  fill(buffer, 0);
  EXPECT_FALSE(buffer.is_on(0));
  for (int i = 0; i < 5; ++i) {
    Queue& queue = *queues_[i % 2];
    add.enqueue(queue, kCount, 1, buffer.device(queue, Access::read_write), constants);
    queue.finish();
    EXPECT_TRUE(buffer.is_on(i % 2));
  }
  EXPECT_EQ(last(buffer), 5);
  // Valid on both: a write on one makes the other stale.
  buffer.device(*queues_[1], Access::read);
  add.enqueue(*queues_[0], kCount, 1, buffer.device(*queues_[0], Access::read_write), constants);
  queues_[0]->finish();
  std::vector<int> copy(kCount);
  memory::download(*queues_[1], buffer.device(*queues_[1], Buffer::Access::read), copy.data(),
                   kBytes);
  queues_[1]->finish();
  EXPECT_EQ(copy.back(), 6);
}

TEST_F(Devices, AFailureNamesTheDeviceThatHasTheContent) {
  Buffer buffer(context_, kBytes);
  const std::vector<int> source(kCount, 3);
  buffer.enqueue_upload_rows(*queues_[1], source.data(), kBytes, 1, kBytes);
  queues_[1]->finish();
  fail_after(0, context_->native().at(1).number);
  try {
    buffer.device(*queues_[0], Access::read);
    FAIL() << "the content is on a device that has failed";
  } catch (const Error& error) {
    EXPECT_EQ(error.device(), 1);
  }
  EXPECT_THROW(queues_[1]->finish(), Error);
  EXPECT_NO_THROW(queues_[0]->finish()) << "the other device works";
  buffer.discard();
  fill(buffer, 4);
  EXPECT_NO_THROW(buffer.device(*queues_[0], Access::read));
  queues_[0]->finish();  // it reads the buffer until then
}

}  // namespace
}  // namespace tandem::opencl
