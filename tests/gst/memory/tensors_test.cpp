// SPDX-License-Identifier: LGPL-2.1-or-later
// The memory of tensors and their place on a buffer, without the plugin around them.
#include <gst/tandem/private/tensorpool.h>
#include <gst/tandem/private/tensorspec.h>
#include <gst/tandem/tensormeta.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kernels/opencl/memory.h"

namespace tandem {
namespace {

constexpr std::size_t kBytes = 256;

class Tensors : public testing::Test {
 protected:
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }

  static std::shared_ptr<opencl::Context> open_device() {
    return opencl::list_devices().empty() ? nullptr : opencl::Context::open("any");
  }

  static void fill(GstMemory* memory, uint8_t value) {
    GstMapInfo map;
    ASSERT_TRUE(gst_memory_map(memory, &map, GST_MAP_WRITE));
    std::memset(map.data, value, map.size);
    gst_memory_unmap(memory, &map);
  }
  static int value_of(GstMemory* memory) {
    GstMapInfo map;
    if (!gst_memory_map(memory, &map, GST_MAP_READ)) return -1;
    const int value = map.data[map.size - 1];
    gst_memory_unmap(memory, &map);
    return value;
  }
};

TEST_F(Tensors, APoolGivesTheSameMemoryAgain) {
  const auto pool = std::make_shared<TensorPool>(nullptr, kBytes);
  const uint64_t before = TensorPool::allocations();
  GstMemory* first = nullptr;
  for (int i = 0; i < 10; ++i) {
    MemoryRef memory = pool->acquire();
    if (!first) first = memory.get();
    EXPECT_EQ(memory.get(), first);
    EXPECT_EQ(gst_memory_get_sizes(memory.get(), nullptr, nullptr), kBytes);
    fill(memory.get(), static_cast<uint8_t>(i));
  }
  EXPECT_EQ(TensorPool::allocations(), before + 1);
}

TEST_F(Tensors, MemoryThatSomebodyShrankComesBackWhole) {
  const auto pool = std::make_shared<TensorPool>(nullptr, kBytes);
  { gst_memory_resize(pool->acquire().get(), 16, 32); }
  gsize offset = 1;
  EXPECT_EQ(gst_memory_get_sizes(pool->acquire().get(), &offset, nullptr), kBytes);
  EXPECT_EQ(offset, 0U);
}

TEST_F(Tensors, MemoryOutlivesItsPool) {
  auto pool = std::make_shared<TensorPool>(nullptr, kBytes);
  MemoryRef kept = pool->acquire();
  { MemoryRef returned = pool->acquire(); }
  const std::weak_ptr<TensorPool> watch = pool;
  fill(kept.get(), 42);
  pool.reset();
  EXPECT_EQ(value_of(kept.get()), 42);
  kept.reset();
  EXPECT_TRUE(watch.expired());
}

TEST_F(Tensors, ManyThreadsTakeAndGiveBack) {
  auto pool = std::make_shared<TensorPool>(nullptr, kBytes);
  const uint64_t before = TensorPool::allocations();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([own = pool, t]() mutable {
      for (int i = 0; i < 500; ++i) {
        MemoryRef memory = own->acquire();
        fill(memory.get(), static_cast<uint8_t>(t));
        EXPECT_EQ(value_of(memory.get()), t);
        if (i == 499) own.reset();  // the last one to leave frees the pool
      }
    });
  }
  pool.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(TensorPool::allocations() - before, 4U);
}

TEST_F(Tensors, MemoryThatOneThreadGaveBackServesAnother) {
  const auto pool = std::make_shared<TensorPool>(nullptr, kBytes);
  const uint64_t before = TensorPool::allocations();
  for (int t = 0; t < 20; ++t)
    std::thread([&] { const MemoryRef first = pool->acquire(), second = pool->acquire(); }).join();
  EXPECT_EQ(TensorPool::allocations(), before + 2);
}

TEST_F(Tensors, OtherMemoryHasNoBuffer) {
  GstMemory* other = gst_allocator_alloc(nullptr, 16, nullptr);
  EXPECT_EQ(tandem_memory_buffer(other), nullptr);
  gst_memory_unref(other);
}

TEST_F(Tensors, MappingForWriteMakesTheDeviceStale) {
  const auto context = open_device();
  if (!context) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  opencl::Queue queue(context);
  const auto pool = std::make_shared<TensorPool>(context, kBytes);
  MemoryRef memory = pool->acquire();
  opencl::Buffer& buffer = *tandem_memory_buffer(memory.get());

  const std::vector<uint8_t> on_device(kBytes, 7);
  buffer.enqueue_upload_rows(queue, on_device.data(), kBytes, 1, kBytes);
  queue.finish();
  EXPECT_EQ(value_of(memory.get()), 7) << "mapping downloads";
  fill(memory.get(), 9);
  std::vector<uint8_t> back(kBytes);
  opencl::memory::download(queue, buffer.device(queue, opencl::Buffer::Access::read), back.data(),
                           kBytes);
  queue.finish();
  EXPECT_EQ(back, std::vector<uint8_t>(kBytes, 9)) << "what was written went to the device";
}

TEST_F(Tensors, MemoryOfADeviceOutlivesWhoOpenedIt) {
  auto context = open_device();
  if (!context) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  MemoryRef memory;
  {
    opencl::Queue queue(context);
    const auto pool = std::make_shared<TensorPool>(context, kBytes);
    memory = pool->acquire();
    const std::vector<uint8_t> on_device(kBytes, 5);
    tandem_memory_buffer(memory.get())
        ->enqueue_upload_rows(queue, on_device.data(), kBytes, 1, kBytes);
    queue.finish();
  }
  context.reset();
  EXPECT_EQ(value_of(memory.get()), 5);
}

TEST_F(Tensors, ADeviceTakesOverWhatTheCoresHad) {
  const auto context = open_device();
  if (!context) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  constexpr std::size_t kLarge = 3 << 20;
  auto cores = std::make_shared<TensorPool>(nullptr, kLarge);
  std::vector<MemoryRef> used;
  for (int i = 0; i < 4; ++i) used.push_back(cores->acquire());
  const std::set<GstMemory*> all{used[0].get(), used[1].get(), used[2].get(), used[3].get()};
  fill(used[0].get(), 3);
  fill(used[3].get(), 4);
  used.resize(2);  // two lie in the pool
  const auto device = std::make_shared<TensorPool>(context, kLarge);
  device->take_over(*cores);
  EXPECT_EQ(value_of(used[0].get()), 3) << "it is still a frame's";
  cores.reset();
  used.clear();

  const uint64_t before = TensorPool::allocations();
  opencl::Queue queue(context);
  for (int i = 0; i < 4; ++i) {
    MemoryRef& memory = used.emplace_back(device->acquire());
    EXPECT_TRUE(all.contains(memory.get()));
    const std::vector<uint8_t> pixels(kLarge, static_cast<uint8_t>(10 + i));
    opencl::Buffer& buffer = *tandem_memory_buffer(memory.get());
    EXPECT_EQ(buffer.context(), context.get());
    buffer.enqueue_upload_rows(queue, pixels.data(), kLarge, 1, kLarge);
    buffer.enqueue_download(queue);
    queue.finish();
    EXPECT_EQ(value_of(memory.get()), 10 + i);
  }
  EXPECT_EQ(TensorPool::allocations(), before);
  device->acquire();
  EXPECT_EQ(TensorPool::allocations(), before + 1);
}

TEST_F(Tensors, OtherSizesAreNotTakenOver) {
  const auto context = open_device();
  if (!context) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  for (const std::size_t bytes : {kBytes, std::size_t{2} << 20}) {
    const auto cores = std::make_shared<TensorPool>(nullptr, bytes);
    const auto device = std::make_shared<TensorPool>(context, bytes == kBytes ? bytes : bytes + 1);
    GstMemory* const made = cores->acquire().get();
    device->take_over(*cores);
    EXPECT_NE(device->acquire().get(), made);
    EXPECT_EQ(cores->acquire().get(), made);
  }
}

class Meta : public Tensors {
 protected:
  void SetUp() override {
    const gsize shape[] = {4, 64};
    gst_buffer_add_tandem_tensor_meta(buffer_, "test-tensor", GST_TANDEM_ELEMENT_TYPE_UINT8, 2,
                                      shape, pool_->acquire().release());
  }
  void TearDown() override { gst_buffer_unref(buffer_); }

  std::shared_ptr<TensorPool> pool_ = std::make_shared<TensorPool>(nullptr, kBytes);
  GstBuffer* buffer_ = gst_buffer_new_allocate(nullptr, 64, nullptr);
};

TEST_F(Meta, ACopyOfTheBufferSharesTheTensor) {
  GstBuffer* copy = gst_buffer_copy(buffer_);
  const auto* original = gst_buffer_get_tandem_tensor_meta(buffer_, "test-tensor");
  const auto* copied = gst_buffer_get_tandem_tensor_meta(copy, "test-tensor");
  ASSERT_TRUE(original && copied);
  EXPECT_EQ(copied->memory, original->memory);
  EXPECT_EQ(copied->dimensions, 2U);
  EXPECT_EQ(copied->shape[1], 64U);
  GstMemory* memory = original->memory;
  fill(memory, 3);
  gst_buffer_unref(buffer_);
  buffer_ = copy;
  EXPECT_EQ(value_of(gst_buffer_get_tandem_tensor_meta(copy, "test-tensor")->memory), 3);
}

TEST_F(Meta, APartOfTheBufferIsAnotherFrame) {
  GstBuffer* part = gst_buffer_copy_region(buffer_, GST_BUFFER_COPY_ALL, 8, 16);
  EXPECT_EQ(gst_buffer_get_tandem_tensor_meta(part, "test-tensor"), nullptr);
  gst_buffer_unref(part);
}

TEST_F(Meta, AScaledFrameIsAnotherFrame) {
  GstBuffer* scaled = gst_buffer_new();
  GstVideoInfo from, to;
  gst_video_info_set_format(&from, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  gst_video_info_set_format(&to, GST_VIDEO_FORMAT_GRAY8, 4, 4);
  GstVideoMetaTransform transform{&from, &to};
  GstMeta* meta = &gst_buffer_get_tandem_tensor_meta(buffer_, "test-tensor")->meta;
  meta->info->transform_func(scaled, meta, buffer_, gst_video_meta_transform_scale_get_quark(),
                             &transform);
  EXPECT_EQ(gst_buffer_get_tandem_tensor_meta(scaled, "test-tensor"), nullptr);
  gst_buffer_unref(scaled);
}

TEST_F(Meta, ItsBytesAreThoseOfItsElements) {
  struct Type {
    GstTandemElementType type;
    gsize bytes;
  };
  for (const Type& of : {Type{GST_TANDEM_ELEMENT_TYPE_UINT8, 1},
                         {GST_TANDEM_ELEMENT_TYPE_INT32, 4},
                         {GST_TANDEM_ELEMENT_TYPE_FLOAT32, 4},
                         {GST_TANDEM_ELEMENT_TYPE_FLOAT16, 2}}) {
    SCOPED_TRACE(of.type);
    // What a pool gives may be longer than the tensor.
    const gsize shape[] = {3, 5};
    const auto* tensor = gst_buffer_add_tandem_tensor_meta(buffer_, "test-tensor", of.type, 2,
                                                           shape, pool_->acquire().release());
    GBytes* bytes = gst_tandem_tensor_meta_get_bytes(tensor);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(g_bytes_get_size(bytes), 15 * of.bytes);
    g_bytes_unref(bytes);
    EXPECT_EQ((TensorSpec{"test-tensor", of.type, 2, {3, 5}}).bytes(), 15 * of.bytes);
  }
}

TEST_F(Meta, ItsNameNeedNotOutliveTheCall) {
  const gsize shape[] = {kBytes};
  std::string name = "of-a-file";
  const auto* added = gst_buffer_add_tandem_tensor_meta(
      buffer_, name.c_str(), GST_TANDEM_ELEMENT_TYPE_UINT8, 1, shape, pool_->acquire().release());
  std::fill(name.begin(), name.end(), '?');
  EXPECT_EQ(gst_buffer_get_tandem_tensor_meta(buffer_, std::string("of-a-file").c_str()), added);
  EXPECT_EQ(TensorName::of_interned(added->name), TensorName("of-a-file"));
  EXPECT_NE(TensorName::of_interned(added->name), TensorName("test-tensor"));
}

TEST_F(Meta, LookingForATensorKeepsNoName) {
  EXPECT_EQ(gst_buffer_get_tandem_tensor_meta(buffer_, "nobody-made-this"), nullptr);
  EXPECT_EQ(g_quark_try_string("nobody-made-this"), 0U);
}

TEST_F(Meta, TheOneAddedLastCounts) {
  const gsize shape[] = {kBytes};
  const auto* added = gst_buffer_add_tandem_tensor_meta(
      buffer_, "test-tensor", GST_TANDEM_ELEMENT_TYPE_UINT8, 1, shape, pool_->acquire().release());
  EXPECT_EQ(gst_buffer_get_tandem_tensor_meta(buffer_, "test-tensor"), added);
  EXPECT_EQ(gst_buffer_get_tandem_tensor_meta(buffer_, "another"), nullptr);
}

}  // namespace
}  // namespace tandem
