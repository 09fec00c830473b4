// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/gst/support/grey_frames.h"
#include "tests/gst/support/offered_pool.h"
#include "tests/gst/support/stats.h"

namespace tandem::test {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline constexpr char kBareVivid[] = "vividfilter scales=1 ! vividhistogram ! vividclassifier";

/// A bin with stages, ViVid's mostly, between two bare pads: nothing else is measured.
class BareBin {
 public:
  BareBin(Size size, const char* settings, const std::string& stages = kBareVivid) {
    const std::string line =
        std::string("tandembin name=t knowledge=off ") + settings + " stages=\"" + stages + "\"";
    GError* error = nullptr;
    bin_ = gst_parse_launch(line.c_str(), &error);
    if (!bin_) {
      std::fprintf(stderr, "%s\n", error->message);
      std::exit(1);
    }
    gst_object_ref_sink(bin_);
    source_ = gst_pad_new("source", GST_PAD_SRC);
    sink_ = gst_pad_new("sink", GST_PAD_SINK);
    gst_pad_set_element_private(sink_, this);
    gst_pad_set_chain_function(sink_, [](GstPad* pad, GstObject*, GstBuffer* buffer) {
      static_cast<BareBin*>(gst_pad_get_element_private(pad))->receive(buffer);
      return GST_FLOW_OK;
    });
    link(source_, "sink");
    link(sink_, "src");
    gst_pad_set_active(source_, TRUE);
    gst_pad_set_active(sink_, TRUE);
    gst_element_set_state(bin_, GST_STATE_PLAYING);
    gst_pad_push_event(source_, gst_event_new_stream_start("bench"));
    caps_ = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width",
                                G_TYPE_INT, size.width, "height", G_TYPE_INT, size.height,
                                "framerate", GST_TYPE_FRACTION, 25, 1, nullptr);
    gst_pad_push_event(source_, gst_event_new_caps(caps_));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_push_event(source_, gst_event_new_segment(&segment));
  }
  ~BareBin() {
    gst_element_set_state(bin_, GST_STATE_NULL);
    if (pool_) {
      gst_buffer_pool_set_active(pool_, FALSE);
      gst_object_unref(pool_);
    }
    gst_caps_unref(caps_);
    gst_object_unref(bin_);
    gst_object_unref(source_);
    gst_object_unref(sink_);
  }

  /// A number of the bin's `stats`.
  uint64_t stat(const char* name) const { return stat_of(bin_, name); }

  /// Copies of frames in the memory that the bin offers upstream (page-locked beside a discrete
  /// device), for the caller to give back before the bin goes; none if it offers no pool.
  std::vector<GstBuffer*> in_its_memory(const std::vector<GstBuffer*>& frames) {
    if (!pool_) pool_ = offered_pool(source_, caps_);
    return copies_in(pool_, frames);
  }

  /// Seconds from the first frame in to the last one out.
  double run(const std::vector<GstBuffer*>& frames, int count) {
    const int before = received_;
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) {
      if (gst_pad_push(source_, gst_buffer_ref(frames[i % frames.size()])) != GST_FLOW_OK) {
        std::fprintf(stderr, "the bin refused a frame\n");
        std::exit(1);
      }
    }
    GstQuery* drain = gst_query_new_drain();
    gst_pad_peer_query(source_, drain);
    gst_query_unref(drain);
    const double seconds = seconds_since(start);
    if (received_ - before != count) {
      std::fprintf(stderr, "%d frames in, %d out\n", count, received_ - before);
      std::exit(1);
    }
    return seconds;
  }

  /// Seconds from pad to pad of a frame that has the bin to itself. It is given back in `frame`,
  /// without a copy where nobody else refers to it.
  double run_alone(GstBuffer*& frame) {
    std::unique_lock lock(mutex_);
    const auto start = Clock::now();
    alone_ = &frame;
    lock.unlock();
    if (gst_pad_push(source_, std::exchange(frame, nullptr)) != GST_FLOW_OK) {
      std::fprintf(stderr, "the bin refused a frame\n");
      std::exit(1);
    }
    lock.lock();
    came_.wait(lock, [&] { return !alone_; });
    return std::chrono::duration<double>(came_at_ - start).count();
  }

  GstElement* bin() const { return bin_; }

 private:
  void receive(GstBuffer* buffer) {
    const auto now = Clock::now();
    ++received_;
    std::lock_guard lock(mutex_);
    if (!alone_) return gst_buffer_unref(buffer);
    came_at_ = now;
    *std::exchange(alone_, nullptr) = buffer;
    came_.notify_one();
  }

  void link(GstPad* mine, const char* name) {
    GstPad* theirs = gst_element_get_static_pad(bin_, name);
    if (GST_PAD_IS_SRC(mine)) {
      gst_pad_link(mine, theirs);
    } else {
      gst_pad_link(theirs, mine);
    }
    gst_object_unref(theirs);
  }

  GstElement* bin_ = nullptr;
  GstBufferPool* pool_ = nullptr;
  GstCaps* caps_ = nullptr;
  GstPad *source_ = nullptr, *sink_ = nullptr;
  std::atomic<int> received_{0};
  std::mutex mutex_;  // guards what follows
  std::condition_variable came_;
  GstBuffer** alone_ = nullptr;  // where a frame that is alone goes
  Clock::time_point came_at_;
};

}  // namespace tandem::test
