// SPDX-License-Identifier: LGPL-2.1-or-later
// The pool of page-locked memory that tandembin offers upstream.
#include "tests/gst/support/page_locked.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <tuple>

namespace tandem::test {
namespace {

Offer offered_while_paused(Stream& stream, Size size) {
  stream.set_state_without_waiting(GST_STATE_PAUSED);
  return ask(stream, caps_text(size));
}

TEST_F(PageLocked, AnswersAnAllocationQuery) {
  Stream stream(bin("mapping=ggg threads=1"));
  stream.set_state_without_waiting(GST_STATE_PAUSED);
  const Offer offer = ask(stream, caps_text({160, 208}, "I420"));
  ASSERT_TRUE(offers_anything(offer));
  EXPECT_EQ(offer.bytes, 160U * 208U * 3U / 2U);
  ASSERT_TRUE(offer.pool);
  const BufferRef buffer = take(offer.pool.get());
  EXPECT_TRUE(is_ours(buffer.get()));
  GstMapInfo map;
  ASSERT_TRUE(gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE));
  EXPECT_EQ(map.size, offer.bytes);
  EXPECT_EQ(reinterpret_cast<guintptr>(map.data) % 64, 0U);
  std::memset(map.data, 1, map.size);
  gst_buffer_unmap(buffer.get(), &map);
  EXPECT_FALSE(ask(stream, caps_text({}), false).pool) << "no pool was asked for";
}

TEST_F(PageLocked, IsOfferedWhereItHelpsAlone) {
  const auto offered = [](const std::string& properties) {
    Stream stream(bin(properties));
    stream.set_state_without_waiting(GST_STATE_PAUSED);
    return offers_anything(ask(stream, caps_text({})));
  };
  EXPECT_TRUE(offered("mapping=cgc"));
  EXPECT_FALSE(offered("mapping=auto")) << "nothing is chosen, the cores compute";
  EXPECT_FALSE(offered("mapping=ccc")) << "no stage may compute on the device";
  setenv(kBound, "0", 1);
  EXPECT_FALSE(offered("mapping=ggg"));
  unsetenv(kBound);
  unsetenv("TANDEM_OPENCL_AS_GPU");
  EXPECT_FALSE(offered("mapping=ggg")) << "a device made of the cores has no use for it";
}

// The stream begins before the device is open, or just after it.
TEST_F(PageLocked, UpstreamIsAskedAnewWhenTheDeviceIsOpen) {
  Stream stream(bin("mapping=auto adapt=both"));
  std::promise<void> asked;
  const auto hear = [](GstPad*, GstPadProbeInfo* info, gpointer promise) {
    if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_RECONFIGURE)
      return GST_PAD_PROBE_OK;
    static_cast<std::promise<void>*>(promise)->set_value();
    return GST_PAD_PROBE_REMOVE;
  };
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(stream.element("source"), "src"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, hear, &asked, nullptr);
  stream.play();
  if (!offers_anything(ask(stream, caps_text({})))) {
    ASSERT_EQ(asked.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  }
  EXPECT_TRUE(offers_anything(ask(stream, caps_text({}))));
  stream.push(0, 1);
  stream.end();
  EXPECT_EQ(stream.pull_all().size(), 1U);
}

// Frames that take a second each would stand still when upstream is asked anew.
TEST_F(PageLocked, TheAnswerDoesNotWaitForTheFramesInFlight) {
  Stream stream(bin("mapping=ggg threads=1"));
  stream.play();
  // The last stage's: behind the bin's own a push would hold a lock that the query takes.
  const ObjectRef<GstPad> ghost(gst_element_get_static_pad(stream.tandembin(), "src"));
  const ObjectRef<GstPad> src(gst_ghost_pad_get_target(GST_GHOST_PAD(ghost.get())));
  const auto type =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER);
  const auto block = [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_OK; };
  const gulong blocked = gst_pad_add_probe(src.get(), type, block, nullptr, nullptr);
  stream.push(0, 1);
  while (stream.stat("in-flight") == 0) std::this_thread::yield();
  auto asked = std::async(std::launch::async, [&] { return ask(stream, caps_text({})); });
  EXPECT_EQ(asked.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(stream.stat("in-flight"), 1U);
  gst_pad_remove_probe(src.get(), blocked);
  EXPECT_TRUE(offers_anything(asked.get()));
  stream.end();
  EXPECT_EQ(stream.pull_all().size(), 1U);
}

TEST_F(PageLocked, FramesFromThePoolAreComputed) {
  const Size size{};
  const std::vector<Result> expected = expected_results(kFrames);
  Stream stream(bin("mapping=ggg threads=1 keep-tensors=true"));
  stream.play();
  const Offer offer = ask(stream, caps_text(size));
  ASSERT_TRUE(offers_anything(offer));
  for (int i = 0; i < kFrames; ++i) {
    BufferRef buffer = take(offer.pool.get());
    fill(buffer.get(), i, size);
    stream.push_buffer(buffer.release());
  }
  stream.end();
  const std::vector<Result> got = stream.pull_all();
  ASSERT_EQ(indices(got), count_to(kFrames));
  for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], true);
  EXPECT_EQ(stream.stat("frames-page-locked"), uint64_t{kFrames});
  gst_buffer_pool_set_active(offer.pool.get(), FALSE);
}

TEST_F(PageLocked, OrdinaryMemoryFollowsWhenThereIsNoneLeft) {
  setenv(kBound, "1", 1);
  const Size size{512, 512};  // a quarter of it
  Stream first(bin("mapping=ggg threads=1")), second(bin("mapping=ggg threads=1"));
  const auto count = [&](std::vector<BufferRef>& kept, GstBufferPool* pool) {
    int ours = 0;
    for (int i = 0; i < 6; ++i) {
      kept.push_back(take(pool));
      ours += is_ours(kept.back().get());
    }
    return ours;
  };
  std::vector<BufferRef> of_first, of_second;
  for (Stream* stream : {&first, &second}) stream->set_state_without_waiting(GST_STATE_PAUSED);
  const Offer to_first = ask(first, caps_text(size)), to_second = ask(second, caps_text(size));
  ASSERT_TRUE(offers_anything(to_first) && offers_anything(to_second));
  EXPECT_EQ(count(of_first, to_first.pool.get()), 4);
  EXPECT_EQ(count(of_second, to_second.pool.get()), 0) << "the bound is of all bins together";
}

// A GstVideoBufferPool would hand out all six in the order in which they came back.
TEST_F(PageLocked, PageLockedBuffersComeFirst) {
  setenv(kBound, "1", 1);
  Stream stream(bin("mapping=ggg threads=1"));
  const Offer offer = offered_while_paused(stream, {512, 512});
  ASSERT_TRUE(offers_anything(offer));
  std::vector<BufferRef> many;
  for (int i = 0; i < 6; ++i) many.push_back(take(offer.pool.get()));
  EXPECT_FALSE(is_ours(many.back().get())) << "the bound has room for four";
  std::ranges::reverse(many);
  for (BufferRef& buffer : many) buffer.reset();
  for (int round = 0; round < 3; ++round) {
    std::vector<BufferRef> few;
    for (int i = 0; i < 4; ++i) {
      few.push_back(take(offer.pool.get()));
      EXPECT_TRUE(is_ours(few.back().get())) << "round " << round << ", buffer " << i;
    }
    EXPECT_FALSE(is_ours(take(offer.pool.get()).get()));
  }
  // While one is out it keeps the others, and hands out none.
  const BufferRef out = take(offer.pool.get());
  EXPECT_TRUE(gst_buffer_pool_set_active(offer.pool.get(), FALSE));
  GstBuffer* none = nullptr;
  EXPECT_EQ(gst_buffer_pool_acquire_buffer(offer.pool.get(), &none, nullptr), GST_FLOW_FLUSHING);
}

TEST_F(PageLocked, APoolWithABoundIsWaitedFor) {
  Stream stream(bin("mapping=ggg threads=1"));
  const Offer offer = offered_while_paused(stream, {});
  ASSERT_TRUE(offers_anything(offer));
  GstStructure* config = gst_buffer_pool_get_config(offer.pool.get());
  const CapsRef caps(gst_caps_from_string(caps_text({}).c_str()));
  gst_buffer_pool_config_set_params(config, caps.get(), offer.bytes, 0, 1);
  ASSERT_TRUE(gst_buffer_pool_set_config(offer.pool.get(), config));
  for (int i = 0; i < 3; ++i) {
    BufferRef only = take(offer.pool.get());
    auto next = std::async(std::launch::async, [&] { return take(offer.pool.get()); });
    EXPECT_EQ(next.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
    only.reset();
    EXPECT_TRUE(is_ours(next.get().get()));
  }
  EXPECT_TRUE(gst_buffer_pool_set_active(offer.pool.get(), FALSE));
}

TEST_F(PageLocked, FreedMemoryServesItsSizeAndMakesRoomForOthers) {
  setenv(kBound, "1", 1);
  Stream stream(bin("mapping=ggg threads=1"));
  const Offer offer = offered_while_paused(stream, {512, 512});
  ASSERT_TRUE(offers_anything(offer));
  constexpr gsize kQuarter = 512 * 512;
  const auto locked = [&](gsize bytes, int times) {
    int ours = 0;
    std::vector<MemoryRef> kept;
    for (int i = 0; i < times; ++i) {
      kept.emplace_back(gst_allocator_alloc(offer.allocator.get(), bytes, nullptr));
      ours += gst_memory_is_type(kept.back().get(), kType);
    }
    return ours;
  };
  EXPECT_EQ(locked(kQuarter, 6), 4);
  const uint64_t made = stream.stat("opencl-buffers-made");
  EXPECT_EQ(locked(kQuarter, 6), 4);
  EXPECT_EQ(stream.stat("opencl-buffers-made"), made) << "what was freed is taken again";
  EXPECT_EQ(locked(4 * kQuarter, 1), 1) << "what was freed has another size and holds the bound";
}

TEST_F(PageLocked, ABoundThatIsNoNumberIsNotTakenForNone) {
  for (const char* wrong : {"", "much", "-1", "5 MiB", "99999999999999999999"}) {
    setenv(kBound, wrong, 1);
    Stream stream(bin("mapping=ggg threads=1"));
    stream.set_state_without_waiting(GST_STATE_PAUSED);
    const Offer offer = ask(stream, caps_text({}));
    EXPECT_TRUE(offers_anything(offer)) << "'" << wrong << "'";
  }
}

TEST_F(PageLocked, WhatIsFreedCanBeLockedAgain) {
  setenv(kBound, "1", 1);
  for (int round = 0; round < 3; ++round) {
    Stream stream(bin("mapping=ggg threads=1"));
    stream.set_state_without_waiting(GST_STATE_PAUSED);
    const Offer offer = ask(stream, caps_text({1024, 1024}));
    ASSERT_TRUE(offer.pool);
    EXPECT_TRUE(is_ours(take(offer.pool.get()).get())) << round;
    gst_buffer_pool_set_active(offer.pool.get(), FALSE);
  }
}

TEST_F(PageLocked, BuffersOutliveTheBin) {
  BufferRef kept, part;
  {
    Stream stream(bin("mapping=ggg threads=1"));
    stream.play();
    const Offer offer = ask(stream, caps_text({}));
    ASSERT_TRUE(offers_anything(offer));
    BufferRef buffer = take(offer.pool.get());
    fill(buffer.get(), 3, {});
    stream.push_buffer(buffer.release());
    stream.end();
    kept.reset(stream.pull_buffer());
    part.reset(gst_buffer_copy_region(kept.get(), GST_BUFFER_COPY_MEMORY, 160, 320));
    gst_buffer_pool_set_active(offer.pool.get(), FALSE);
  }
  ASSERT_TRUE(is_ours(kept.get()));
  const Result result = read_result(kept.get());
  EXPECT_EQ(result.pixels, pixels(3, {}));
  kept.reset();
  ASSERT_TRUE(is_ours(part.get()));
  const std::vector<uint8_t> all = pixels(3, {});
  std::vector<uint8_t> rows(320);
  EXPECT_EQ(gst_buffer_extract(part.get(), 0, rows.data(), rows.size()), rows.size());
  EXPECT_EQ(rows, std::vector<uint8_t>(all.begin() + 160, all.begin() + 480));
}

// A decoder refers to the frames before: what a stage writes goes into a copy.
TEST_F(PageLocked, ACopyOfAFrameThatSomebodyElseReadsIsInItAsWell) {
  const Size size{};
  Stream stream(bin_of("sradextract ! sradcompress", "mapping=gg threads=1"));
  stream.play();
  const Offer offer = ask(stream, caps_text(size));
  ASSERT_TRUE(offers_anything(offer));
  const BufferRef kept = take(offer.pool.get());
  fill(kept.get(), 3, size);
  uint64_t made = 0;
  for (int i = 0; i < kFrames; ++i) {
    stream.push_buffer(gst_buffer_copy(kept.get()));
    const BufferRef result(stream.pull_buffer());
    ASSERT_TRUE(result);
    EXPECT_TRUE(is_ours(result.get())) << i;
    EXPECT_NE(gst_buffer_peek_memory(result.get(), 0), gst_buffer_peek_memory(kept.get(), 0)) << i;
    if (i == 1) made = stream.stat("opencl-buffers-made");
  }
  EXPECT_EQ(stream.stat("opencl-buffers-made"), made) << "pages are locked again and again";
  EXPECT_EQ(read_result(kept.get()).pixels, pixels(3, size)) << "it was written to";
  gst_buffer_pool_set_active(offer.pool.get(), FALSE);
}

TEST_F(PageLocked, PartsAreCopied) {
  Stream stream(bin("mapping=ggg threads=1"));
  const Offer offer = offered_while_paused(stream, {});
  ASSERT_TRUE(offers_anything(offer));
  GstAllocationParams params{};
  params.prefix = 16;
  const MemoryRef all(gst_allocator_alloc(offer.allocator.get(), 320, &params));
  const std::vector<uint8_t> bytes = pixels(5, {320, 1});
  GstMapInfo map;
  ASSERT_TRUE(gst_memory_map(all.get(), &map, GST_MAP_WRITE));
  std::memcpy(map.data, bytes.data(), bytes.size());
  gst_memory_unmap(all.get(), &map);
  const MemoryRef part(gst_memory_share(all.get(), 100, 200));
  for (const auto& [memory, offset, size, from, to] : {std::tuple{all.get(), 0, -1, 0, 320},
                                                       {all.get(), 10, 50, 10, 60},
                                                       {part.get(), 0, -1, 100, 300},
                                                       {part.get(), 20, 30, 120, 150}}) {
    const MemoryRef copy(gst_memory_copy(memory, offset, size));
    EXPECT_TRUE(gst_memory_is_type(copy.get(), kType));
    ASSERT_TRUE(gst_memory_map(copy.get(), &map, GST_MAP_READWRITE));
    EXPECT_EQ(std::vector<uint8_t>(map.data, map.data + map.size),
              std::vector<uint8_t>(bytes.begin() + from, bytes.begin() + to));
    gst_memory_unmap(copy.get(), &map);
  }
}

}  // namespace
}  // namespace tandem::test
