// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/gst/support/stream.h"

namespace tandem::test {

inline constexpr int kFrames = 20;
inline constexpr char kType[] = "TandemPageLocked";
inline constexpr char kBound[] = "TANDEM_PAGE_LOCKED_MIB";

inline bool is_ours(GstBuffer* buffer) {
  return gst_memory_is_type(gst_buffer_peek_memory(buffer, 0), kType);
}

/// TANDEM_OPENCL_AS_GPU lets a device made of the cores pass for one that copies from such memory.
class PageLocked : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TANDEM_OPENCL_AS_GPU", "1", 1);
    if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  }
  void TearDown() override {
    unsetenv("TANDEM_OPENCL_AS_GPU");
    unsetenv(kBound);
  }
};

/// What the bin's sink pad answers to an upstream that asks with these caps.
struct Offer {
  ObjectRef<GstBufferPool> pool;
  ObjectRef<GstAllocator> allocator;
  guint bytes = 0;
};

inline Offer ask(const Stream& stream, const std::string& caps_line, bool need_pool = true) {
  const CapsRef caps(gst_caps_from_string(caps_line.c_str()));
  const QueryRef query(gst_query_new_allocation(caps.get(), need_pool));
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(stream.element("source"), "src"));
  Offer offer;
  if (!gst_pad_peer_query(pad.get(), query.get())) return offer;
  if (gst_query_get_n_allocation_pools(query.get()) > 0) {
    GstBufferPool* pool = nullptr;
    gst_query_parse_nth_allocation_pool(query.get(), 0, &pool, &offer.bytes, nullptr, nullptr);
    offer.pool.reset(pool);
  }
  if (gst_query_get_n_allocation_params(query.get()) > 0) {
    GstAllocator* allocator = nullptr;
    gst_query_parse_nth_allocation_param(query.get(), 0, &allocator, nullptr);
    offer.allocator.reset(allocator);
  }
  return offer;
}

/// As upstream uses a pool.
inline BufferRef take(GstBufferPool* pool) {
  gst_buffer_pool_set_active(pool, TRUE);
  GstBuffer* buffer = nullptr;
  EXPECT_EQ(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
  return BufferRef(buffer);
}

inline void fill(GstBuffer* buffer, int index, Size size) {
  const std::vector<uint8_t> content = pixels(index, size);
  EXPECT_EQ(gst_buffer_fill(buffer, 0, content.data(), content.size()), content.size());
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(index) * 40 * GST_MSECOND;
}

inline bool offers_anything(const Offer& offer) {
  return offer.allocator && g_str_equal(offer.allocator->mem_type, kType);
}

}  // namespace tandem::test
