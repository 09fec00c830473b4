// SPDX-License-Identifier: LGPL-2.1-or-later
// The pool of page-locked memory that tandembin offers upstream. TANDEM_OPENCL_AS_GPU lets a device
// made of the cores pass for one that copies from such memory.
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <tuple>

#include "gst/util/ref.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 20;
constexpr char kType[] = "TandemPageLocked";
constexpr char kBound[] = "TANDEM_PAGE_LOCKED_MIB";

bool is_ours(GstBuffer* buffer) {
  return gst_memory_is_type(gst_buffer_peek_memory(buffer, 0), kType);
}

class PageLocked : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TANDEM_OPENCL_AS_GPU", "1", 1);
    if (!have_opencl_device()) GTEST_SKIP() << "no OpenCL device";
  }
  void TearDown() override {
    unsetenv("TANDEM_OPENCL_AS_GPU");
    unsetenv(kBound);
  }
};

// What the bin's sink pad answers to an upstream that asks with these caps.
struct Offer {
  ObjectRef<GstBufferPool> pool;
  ObjectRef<GstAllocator> allocator;
  guint bytes = 0;
};

Offer ask(const Stream& stream, const std::string& caps_line, bool need_pool = true) {
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

// As upstream uses a pool.
BufferRef take(GstBufferPool* pool) {
  gst_buffer_pool_set_active(pool, TRUE);
  GstBuffer* buffer = nullptr;
  EXPECT_EQ(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
  return BufferRef(buffer);
}

void fill(GstBuffer* buffer, int index, Size size) {
  const std::vector<uint8_t> content = pixels(index, size);
  EXPECT_EQ(gst_buffer_fill(buffer, 0, content.data(), content.size()), content.size());
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(index) * 40 * GST_MSECOND;
}

bool offers_anything(const Offer& offer) {
  return offer.allocator && g_str_equal(offer.allocator->mem_type, kType);
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

TEST_F(PageLocked, FreedMemoryServesItsSizeAndMakesRoomForOthers) {
  setenv(kBound, "1", 1);
  Stream stream(bin("mapping=ggg threads=1"));
  stream.set_state_without_waiting(GST_STATE_PAUSED);
  const Offer offer = ask(stream, caps_text({512, 512}));
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
  stream.set_state_without_waiting(GST_STATE_PAUSED);
  const Offer offer = ask(stream, caps_text({}));
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

// Frames that elements of GStreamer make.
class Upstream : public PageLocked {
 protected:
  static std::unique_ptr<Stream> play(const std::string& source, const std::string& behind = "") {
    auto stream = Stream::of(source + " ! " + bin("mapping=ggg threads=1", "scales=1") + behind +
                             " ! appsink name=sink sync=false max-buffers=4");
    stream->play();
    return stream;
  }
  static void expect_all_ours(const std::string& source, int frames,
                              const std::string& behind = "") {
    SCOPED_TRACE(source + behind);
    const auto stream = play(source, behind);
    EXPECT_EQ(static_cast<int>(stream->pull_all().size()), frames);
    EXPECT_EQ(stream->stat("frames-page-locked"), static_cast<uint64_t>(frames));
    EXPECT_TRUE(stream->messages.all(GST_MESSAGE_ERROR).empty());
  }
  static std::string pattern(int width, int height, const std::string& format) {
    return "videotestsrc pattern=smpte75 num-buffers=" + std::to_string(kFrames) +
           " ! video/x-raw,format=" + format + ",width=" + std::to_string(width) +
           ",height=" + std::to_string(height);
  }
};

TEST_F(Upstream, VideoconvertAndSourcesWriteIntoIt) {
  for (const char* behind : {"", " ! tandemoverlay ! videoconvert ! video/x-raw,format=RGB"}) {
    expect_all_ours(pattern(160, 208, "GRAY8"), kFrames, behind);
    expect_all_ours(pattern(160, 208, "RGB") + " ! videoconvert ! video/x-raw,format=I420", kFrames,
                    behind);
    expect_all_ours(pattern(160, 208, "RGB") + " ! videoconvert ! video/x-raw,format=GRAY8 ! queue",
                    kFrames, behind);
  }
}

// Sizes that a decoder pads, and a sink that takes padded frames and one that does not.
TEST_F(Upstream, DecodersWriteIntoIt) {
  for (const char* codec : {"jpegenc ! jpegdec", "avenc_mjpeg ! avdec_mjpeg",
                            "avenc_mpeg4 ! avdec_mpeg4", "x264enc key-int-max=5 ! avdec_h264"}) {
    for (const char* name : {"jpegdec", "avdec_mjpeg", "avdec_mpeg4", "avdec_h264", "x264enc"}) {
      if (std::strstr(codec, name) &&
          !gst_registry_check_feature_version(gst_registry_get(), name, GST_VERSION_MAJOR, 0, 0)) {
        GTEST_SKIP() << "GStreamer's element " << name << " is not installed";
      }
    }
    for (const auto& [width, height] : {std::pair{160, 208}, {250, 150}}) {
      const std::string source = pattern(width, height, "I420") + " ! " + codec;
      expect_all_ours(source, kFrames);
      expect_all_ours(source, kFrames, " ! tandemoverlay ! videoconvert ! video/x-raw,format=RGB");
    }
  }
}

// Bytes of whole macroblocks: a decoder leaves padding as it finds it.
TEST_F(Upstream, DecodedFramesAreTheSame) {
  const std::string line = pattern(256, 160, "I420") + " ! jpegenc ! jpegdec";
  const auto got = play(line)->pull_all();
  setenv(kBound, "0", 1);
  const auto ordinary = play(line);
  const auto expected = ordinary->pull_all();
  EXPECT_EQ(ordinary->stat("frames-page-locked"), 0U);
  ASSERT_EQ(got.size(), std::size_t{kFrames});
  for (int i = 0; i < kFrames; ++i) EXPECT_TRUE(got[i].pixels == expected[i].pixels) << i;
}

TEST_F(Upstream, ARealVideoThroughDecodebin) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (!data) GTEST_SKIP() << "TANDEM_TEST_DATA is not set";
  const auto stream = play("filesrc location=" + std::string(data) +
                               "/clips/tud-stadtmitte_600x416p25_179f.mp4 ! decodebin ! queue",
                           " ! tandemoverlay");
  EXPECT_EQ(stream->pull(60).size(), 60U);
  const uint64_t made = stream->stat("opencl-buffers-made");
  EXPECT_EQ(stream->pull(60).size(), 60U);
  // More frames may be under way at once than before, but not one more with every frame.
  EXPECT_LT(stream->stat("opencl-buffers-made"), made + 60) << "pages are locked again and again";
  EXPECT_GE(stream->stat("frames-page-locked"), 120U);
  EXPECT_TRUE(stream->messages.all(GST_MESSAGE_ERROR).empty());
}

// A change of the mapping makes upstream ask again.
TEST_F(Upstream, AChangedMappingChangesTheMemory) {
  auto stream =
      Stream::of("videotestsrc ! " + caps_text({}) + " ! " + bin("mapping=ccc threads=1") +
                 " ! appsink name=sink sync=false max-buffers=1");
  const auto wait_for = [&](bool ours) {
    for (int i = 0; i < 200; ++i) {
      const BufferRef buffer(stream->pull_buffer());
      if (!buffer || is_ours(buffer.get()) == ours) return static_cast<bool>(buffer);
    }
    return false;
  };
  stream->play();
  EXPECT_TRUE(wait_for(false));
  g_object_set(stream->tandembin(), "mapping", "gcc", nullptr);
  EXPECT_TRUE(wait_for(true)) << "no frame came in page-locked memory";
  g_object_set(stream->tandembin(), "mapping", "ccc", nullptr);
  EXPECT_TRUE(wait_for(false)) << "frames go on to come in page-locked memory";
  g_object_set(stream->tandembin(), "mapping", "ccg", nullptr);
  EXPECT_TRUE(wait_for(true)) << "no frame came in page-locked memory";
}

TEST_F(Upstream, AChangedSizeChangesThePool) {
  auto stream =
      Stream::of("videotestsrc ! capsfilter name=size caps=" + caps_text({}) + " ! " +
                 bin("mapping=ggg threads=1") + " ! appsink name=sink sync=false max-buffers=1");
  stream->play();
  for (const Size size : {Size{}, {320, 240}, {64, 128}, {}}) {
    const CapsRef caps(gst_caps_from_string(caps_text(size).c_str()));
    g_object_set(stream->element("size"), "caps", caps.get(), nullptr);
    const gsize bytes = static_cast<gsize>(size.width) * size.height;
    bool came = false;
    for (int i = 0; i < 200 && !came; ++i) {
      const BufferRef buffer(stream->pull_buffer());
      ASSERT_TRUE(buffer);
      EXPECT_TRUE(is_ours(buffer.get()));
      came = gst_buffer_get_size(buffer.get()) == bytes;
    }
    EXPECT_TRUE(came) << size.width;
  }
}

TEST_F(Upstream, AFlushChangesNothing) {
  Stream stream("videoconvert ! video/x-raw,format=I420 ! " + bin("mapping=ggg threads=1"));
  stream.play();
  for (int round = 0; round < 3; ++round) {
    stream.push(0, 5);
    EXPECT_EQ(stream.pull(5).size(), 5U);
    EXPECT_EQ(stream.stat("frames-page-locked"), 5U * (round + 1));
    GstElement* source = stream.element("source");
    gst_element_send_event(source, gst_event_new_flush_start());
    gst_element_send_event(source, gst_event_new_flush_stop(TRUE));
  }
}

}  // namespace
}  // namespace tandem::test
