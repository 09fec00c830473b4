// SPDX-License-Identifier: LGPL-2.1-or-later
// What goes in and out of tandembin's pads: frames, flow returns, events, queries.
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "tests/gst/support/stats.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{};

// A bin of three stages between two pads of the test.
class Pads : public testing::Test {
 protected:
  Pads() {
    bin_ = gst_element_factory_make("tandembin", nullptr);
    g_object_set(bin_, "cores", 2, "threads", 3, "stages", kStages, nullptr);
    harness_ = gst_harness_new_with_element(bin_, "sink", "src");
    gst_harness_set_src_caps_str(harness_, caps_text(kSize).c_str());
  }
  ~Pads() override {
    gst_harness_teardown(harness_);
    gst_object_unref(bin_);  // the harness has a reference of its own
  }

  GstFlowReturn push(int index) { return gst_harness_push(harness_, make_frame(index, kSize)); }
  void drain() {
    GstQuery* query = gst_query_new_drain();
    gst_pad_peer_query(harness_->srcpad, query);
    gst_query_unref(query);
  }
  uint64_t in_flight() const { return stat_of(bin_, "in-flight"); }
  int pull() {
    GstBuffer* buffer = gst_harness_pull(harness_);
    if (!buffer) return -1;
    const int index = read_result(buffer).index;
    gst_buffer_unref(buffer);
    return index;
  }

  GstElement* bin_;
  GstHarness* harness_;
};

GstPadProbeReturn answer_flow(GstPad*, GstPadProbeInfo* info, gpointer flow) {
  gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = nullptr;
  GST_PAD_PROBE_INFO_FLOW_RETURN(info) = static_cast<GstFlowReturn>(GPOINTER_TO_INT(flow));
  return GST_PAD_PROBE_HANDLED;
}

class FlowReturns : public Pads, public testing::WithParamInterface<GstFlowReturn> {};

TEST_P(FlowReturns, ReachUpstream) {
  for (int i = 0; i < 5; ++i) ASSERT_EQ(push(i), GST_FLOW_OK);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(pull(), i);
  const gulong probe = gst_pad_add_probe(harness_->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, answer_flow,
                                         GINT_TO_POINTER(GetParam()), nullptr);
  GstFlowReturn flow = GST_FLOW_OK;
  constexpr int kMostInFlight = 200;
  for (int i = 0; i < kMostInFlight && flow == GST_FLOW_OK; ++i) flow = push(i);
  EXPECT_EQ(flow, GetParam());
  drain();  // a frame in flight would come out once the probe is gone
  gst_pad_remove_probe(harness_->sinkpad, probe);

  // A flush makes all well again.
  gst_harness_push_event(harness_, gst_event_new_flush_start());
  gst_harness_push_event(harness_, gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(harness_, gst_event_new_segment(&segment));
  EXPECT_EQ(push(7), GST_FLOW_OK);
  EXPECT_EQ(pull(), 7);
}

INSTANTIATE_TEST_SUITE_P(Pads, FlowReturns,
                         testing::Values(GST_FLOW_ERROR, GST_FLOW_EOS, GST_FLOW_FLUSHING,
                                         GST_FLOW_NOT_LINKED, GST_FLOW_CUSTOM_SUCCESS_2),
                         [](const auto& one) {
                           std::string name = gst_flow_get_name(one.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST_F(Pads, AfterNotLinkedFramesFlowAgainWhenLinked) {
  const gulong probe = gst_pad_add_probe(harness_->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, answer_flow,
                                         GINT_TO_POINTER(GST_FLOW_NOT_LINKED), nullptr);
  while (push(0) == GST_FLOW_OK) {
  }
  // All that is in flight is answered before the query gets through.
  drain();
  gst_pad_remove_probe(harness_->sinkpad, probe);
  push(1);  // is told of those, if there were any
  EXPECT_EQ(push(2), GST_FLOW_OK);
  int got = pull();
  if (got == 1) got = pull();
  EXPECT_EQ(got, 2);
}

TEST_F(Pads, FlushesWithFramesInFlight) {
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < round % 7; ++i) push(1000 * round + i);
    if (round % 5 != 4) gst_harness_push_event(harness_, gst_event_new_flush_start());
    gst_harness_push_event(harness_, gst_event_new_flush_stop(TRUE));  // now and then alone
    while (GstBuffer* stale = gst_harness_try_pull(harness_)) gst_buffer_unref(stale);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    ASSERT_TRUE(gst_harness_push_event(harness_, gst_event_new_segment(&segment)));
    ASSERT_EQ(push(round), GST_FLOW_OK);
    ASSERT_EQ(pull(), round);
  }
}

struct Log {
  std::vector<std::string> entries;
  static GstPadProbeReturn add(GstPad*, GstPadProbeInfo* info, gpointer log) {
    auto& entries = static_cast<Log*>(log)->entries;
    if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
      entries.push_back(
          std::to_string(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)) / (40 * GST_MSECOND)));
    } else {
      entries.emplace_back(GST_EVENT_TYPE_NAME(GST_PAD_PROBE_INFO_EVENT(info)));
    }
    return GST_PAD_PROBE_OK;
  }
};

TEST_F(Pads, EventsKeepTheirPlaceBetweenFrames) {
  Log log;
  gst_pad_add_probe(
      harness_->sinkpad,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      Log::add, &log, nullptr);
  push(0);
  push(1);
  gst_harness_push_event(harness_,
                         gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "a title", nullptr)));
  push(2);
  gst_harness_push_event(harness_, gst_event_new_gap(120 * GST_MSECOND, 40 * GST_MSECOND));
  push(4);
  push(5);
  gst_harness_push_event(
      harness_, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("mark")));
  push(6);
  gst_harness_push_event(harness_, gst_event_new_eos());
  EXPECT_EQ(log.entries, (std::vector<std::string>{"0", "1", "tag", "2", "gap", "4", "5",
                                                   "custom-downstream", "6", "eos"}));
}

// Holds the thread that pushes frames, so that frames stay in flight.
class Gate {
 public:
  explicit Gate(GstPad* pad)
      : pad_(pad), probe_(gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, wait, this, nullptr)) {}
  ~Gate() {
    open();
    gst_pad_remove_probe(pad_, probe_);
  }
  void open() {
    {
      std::lock_guard lock(mutex_);
      open_ = true;
    }
    opened_.notify_all();
  }

 private:
  static GstPadProbeReturn wait(GstPad*, GstPadProbeInfo*, gpointer gate) {
    auto* self = static_cast<Gate*>(gate);
    std::unique_lock lock(self->mutex_);
    self->opened_.wait(lock, [&] { return self->open_; });
    return GST_PAD_PROBE_OK;
  }
  GstPad* const pad_;
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
  const gulong probe_;
};

GstEvent* make_segment(GstClockTime base) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.base = base;
  return gst_event_new_segment(&segment);
}

GstEvent* make_custom(GstEventType type, const char* name) {
  return gst_event_new_custom(type, gst_structure_new_empty(name));
}

TEST_F(Pads, EventsWaitForTheirPlaceWithoutHoldingFramesUp) {
  Log log;
  const auto what =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  push(0);
  pull();
  gst_harness_push_event(harness_, make_segment(0));
  gst_pad_add_probe(harness_->sinkpad, what, Log::add, &log, nullptr);
  Gate gate(harness_->sinkpad);
  auto pushed = std::async(std::launch::async, [this] {
    push(1);
    gst_harness_push_event(harness_, gst_event_new_tag(gst_tag_list_new_empty()));
    push(2);
    gst_harness_push_event(harness_, gst_event_new_gap(0, 1));
    gst_harness_push_event(harness_, make_custom(GST_EVENT_CUSTOM_DOWNSTREAM, "mark"));
    push(3);
    gst_harness_push_event(harness_, gst_event_new_stream_group_done(7));
    gst_harness_push_event(harness_, make_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, "stays"));
    push(4);
    gst_harness_push_event(harness_, make_custom(GST_EVENT_CUSTOM_BOTH, "both"));
    GstBuffer* data = gst_buffer_new();
    gst_harness_push_event(harness_, gst_event_new_protection("system", data, "origin"));
    gst_buffer_unref(data);
    gst_harness_push_event(harness_, make_segment(0));  // as before
    GstCaps* caps = gst_caps_from_string(caps_text(kSize).c_str());
    gst_harness_push_event(harness_, gst_event_new_caps(caps));  // likewise
    gst_caps_unref(caps);
    push(5);
  });
  EXPECT_EQ(pushed.wait_for(std::chrono::seconds(30)), std::future_status::ready)
      << "no frame left yet, and an event waits for it";
  gate.open();
  pushed.get();
  gst_harness_push_event(harness_, make_segment(5));  // another one: drains
  push(6);
  gst_harness_push_event(harness_, gst_event_new_eos());
  std::vector<std::string> seen = log.entries;
  std::erase(seen, "caps");  // GStreamer pushes equal caps once
  // The first segment waits for frame 0, which may leave the bin after it was pulled.
  if (!seen.empty() && seen.front() == "segment") seen.erase(seen.begin());
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "tag", "2", "gap", "custom-downstream", "3",
                                            "stream-group-done", "custom-downstream-sticky", "4",
                                            "custom-both", "protection", "segment", "5", "segment",
                                            "6", "eos"}));
}

TEST_F(Pads, AnEventWithNothingInFlightPassesAtOnce) {
  Log log;
  push(0);
  pull();
  while (in_flight() > 0) std::this_thread::yield();
  gst_pad_add_probe(harness_->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, Log::add, &log,
                    nullptr);
  gst_harness_push_event(harness_, gst_event_new_gap(0, 1));
  gst_harness_push_event(harness_, make_custom(GST_EVENT_CUSTOM_DOWNSTREAM, "mark"));
  EXPECT_EQ(log.entries, (std::vector<std::string>{"gap", "custom-downstream"}));
}

TEST_F(Pads, AQueryWaitsForTheEventsBeforeIt) {
  Log log;
  push(0);
  pull();
  gst_pad_add_probe(harness_->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, Log::add, &log,
                    nullptr);
  for (int i = 1; i < 4; ++i) {
    push(i);
    gst_harness_push_event(harness_, gst_event_new_gap(0, 1));
  }
  drain();
  EXPECT_EQ(log.entries, (std::vector<std::string>{"gap", "gap", "gap"}));
}

TEST_F(Pads, AFlushDropsEventsButKeepsWhatSticks) {
  Log log;
  push(0);
  pull();
  gst_pad_add_probe(harness_->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, Log::add, &log,
                    nullptr);
  {
    Gate gate(harness_->sinkpad);
    for (int i = 1; i < 4; ++i) push(i);
    gst_harness_push_event(harness_,
                           gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "kept", nullptr)));
    gst_harness_push_event(harness_, make_custom(GST_EVENT_CUSTOM_DOWNSTREAM, "dropped"));
    std::atomic<bool> flushed{false};  // no frame may have come to the gate
    std::thread opener([&] {
      // The bin hears of the flush before the pad behind it does.
      while (!GST_PAD_IS_FLUSHING(harness_->sinkpad) && !flushed)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      gate.open();
    });
    gst_harness_push_event(harness_, gst_event_new_flush_start());
    gst_harness_push_event(harness_, gst_event_new_flush_stop(TRUE));
    flushed = true;
    opener.join();
  }
  while (GstBuffer* stale = gst_harness_try_pull(harness_)) gst_buffer_unref(stale);
  gst_harness_push_event(harness_, make_segment(0));
  push(9);
  EXPECT_EQ(pull(), 9);
  EXPECT_EQ(log.entries, (std::vector<std::string>{"segment", "tag"}));
}

TEST_F(Pads, AListOfBuffersComesOutInOrder) {
  GstBufferList* list = gst_buffer_list_new();
  for (int i = 0; i < 4; ++i) gst_buffer_list_add(list, make_frame(i, kSize));
  EXPECT_EQ(gst_pad_push_list(harness_->srcpad, list), GST_FLOW_OK);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(pull(), i);
}

TEST_F(Pads, PixelsAreNotCopied) {
  GstBuffer* buffer = make_frame(0, kSize);
  GstMemory* memory = gst_memory_ref(gst_buffer_peek_memory(buffer, 0));
  gst_harness_push(harness_, buffer);
  GstBuffer* got = gst_harness_pull(harness_);
  EXPECT_EQ(gst_buffer_peek_memory(got, 0), memory);
  EXPECT_EQ(got, buffer) << "a buffer that nobody else holds needs no copy";
  gst_memory_unref(memory);
  gst_buffer_unref(got);
}

// Rows of 192 bytes in place of 160, told by GstVideoMeta.
GstBuffer* padded_frame(int index) {
  const std::vector<uint8_t> packed = pixels(index, kSize);
  constexpr int kStride = 192;
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, kStride * kSize.height, nullptr);
  gst_buffer_memset(buffer, 0, 0xEE, kStride * kSize.height);
  for (int y = 0; y < kSize.height; ++y)
    gst_buffer_fill(buffer, y * kStride, &packed[y * kSize.width], kSize.width);
  gsize offsets[4] = {};
  gint strides[4] = {kStride};
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8,
                                 kSize.width, kSize.height, 1, offsets, strides);
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(index) * 40 * GST_MSECOND;
  return buffer;
}

TEST_F(Pads, RowsMayLieFartherApart) {
  const std::vector<Result> expected = expected_results(6);
  for (int i = 0; i < 6; ++i) {
    gst_harness_push(harness_, i % 2 == 0 ? padded_frame(i) : make_frame(i, kSize));
    GstBuffer* buffer = gst_harness_pull(harness_);
    Result got = read_result(buffer);
    got.pixels = expected[i].pixels;
    expect_same(expected[i], got, false);
    gst_buffer_unref(buffer);
  }
}

GstPadProbeReturn answer_allocation(GstPad*, GstPadProbeInfo* info, gpointer answers) {
  GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  if (answers) gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return answers ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_DROP;
}

TEST_F(Pads, TheAllocationQueryIsDownstreamsToAnswer) {
  push(0);
  pull();
  for (const bool supported : {true, false}) {
    SCOPED_TRACE(supported);
    const auto type =
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH);
    const gulong probe = gst_pad_add_probe(harness_->sinkpad, type, answer_allocation,
                                           GINT_TO_POINTER(supported), nullptr);
    GstCaps* caps = gst_caps_from_string(caps_text(kSize).c_str());
    GstQuery* query = gst_query_new_allocation(caps, TRUE);
    gst_pad_peer_query(harness_->srcpad, query);
    EXPECT_EQ(gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr), supported);
    gst_query_unref(query);
    gst_caps_unref(caps);
    gst_pad_remove_probe(harness_->sinkpad, probe);
  }
}

TEST_F(Pads, TheTemplatesNameTheFormats) {
  for (const char* name : {"sink", "src"}) {
    GstCaps* caps = gst_pad_template_get_caps(gst_element_get_pad_template(bin_, name));
    const GValue* formats = gst_structure_get_value(gst_caps_get_structure(caps, 0), "format");
    ASSERT_NE(formats, nullptr);
    EXPECT_EQ(gst_value_list_get_size(formats), 11U);
    gst_caps_unref(caps);
  }
}

}  // namespace
}  // namespace tandem::test
