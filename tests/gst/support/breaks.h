// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/check/gstharness.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/gst/support/frames.h"

namespace tandem::test {

/// Events between two frames, and whether the frames behind them begin anew for a stage that keeps
/// something from frame to frame.
struct Break {
  const char* name;
  bool anew;
  void (*push)(GstHarness* harness, Size size);
};

inline void push_segment(GstHarness* harness, double rate, GstClockTime start, GstClockTime base) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = segment.time = segment.position = start;
  segment.base = base;
  gst_harness_push_event(harness, gst_event_new_segment(&segment));
}

inline const std::vector<Break>& breaks() {
  static const std::vector<Break> all{
      {"a flush", true,
       [](GstHarness* harness, Size) {
         gst_harness_push_event(harness, gst_event_new_flush_start());
         gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE));
         push_segment(harness, 1, 0, 0);
       }},
      {"the same segment again", false,
       [](GstHarness* harness, Size) { push_segment(harness, 1, 0, 0); }},
      {"a segment that goes on", false,
       [](GstHarness* harness, Size) { push_segment(harness, 1, GST_SECOND, GST_SECOND); }},
      {"a segment of a seek without a flush", true,
       [](GstHarness* harness, Size) { push_segment(harness, 1, 0, GST_SECOND); }},
      {"a segment of another rate", true,
       [](GstHarness* harness, Size) { push_segment(harness, 2, 0, GST_SECOND); }},
      {"a gap and tags", false,
       [](GstHarness* harness, Size) {
         gst_harness_push_event(harness, gst_event_new_gap(GST_SECOND, GST_SECOND));
         gst_harness_push_event(
             harness, gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "a title", nullptr)));
       }},
      {"other caps", true,
       [](GstHarness* harness, Size size) {
         const std::string caps = caps_text(size) + ",pixel-aspect-ratio=2/1";
         gst_harness_set_src_caps_str(harness, caps.c_str());
       }},
      {"caps of another rate", false,
       [](GstHarness* harness, Size size) {
         std::string caps = caps_text(size) + ",pixel-aspect-ratio=2/1";
         caps.replace(caps.find("25/1"), 4, "50/1");
         gst_harness_set_src_caps_str(harness, caps.c_str());
       }},
      {"another stream", true,
       [](GstHarness* harness, Size) {
         gst_harness_push_event(harness, gst_event_new_stream_start("another"));
         push_segment(harness, 2, 0, GST_SECOND);
       }},
  };
  return all;
}

struct FreeHarness {
  void operator()(GstHarness* harness) const { gst_harness_teardown(harness); }
};
using Harness = std::unique_ptr<GstHarness, FreeHarness>;

/// The frames of `line` that leave behind each break, `frames` each, in the order of breaks() and
/// after as many at first. `frame` makes one by its index.
template <typename Frame>
std::vector<std::vector<GstBuffer*>> pass_breaks(const std::string& line, Size size, int frames,
                                                 Frame&& frame) {
  const Harness harness(gst_harness_new_parse(line.c_str()));
  gst_harness_set_src_caps_str(harness.get(), caps_text(size).c_str());
  std::vector<std::vector<GstBuffer*>> all;
  const auto pass = [&] {
    all.emplace_back();
    for (int i = 0; i < frames; ++i)
      gst_harness_push(harness.get(), frame(static_cast<int>(all.size() - 1) * frames + i));
    for (int i = 0; i < frames; ++i) all.back().push_back(gst_harness_pull(harness.get()));
  };
  pass();
  for (const Break& between : breaks()) {
    between.push(harness.get(), size);
    pass();
  }
  return all;
}

}  // namespace tandem::test
