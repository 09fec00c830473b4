// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <mutex>
#include <string>

#include "pipelines/jobs/worker/part_filter.h"

namespace tandem {

/// Restricts a source (make_source) to the frames of one part of its video. It seeks to the key
/// frame before the part and drops what comes before the part's first frame. It does not tell the
/// demuxer where the part ends: demuxers end at a key frame, behind which there may be frames that
/// are shown before it. The first frame behind the part ends the stream instead.
class PartSource {
 public:
  /// Call before the pipeline plays. This object outlives its streaming.
  PartSource(GstElement* source, const Part& part);
  PartSource(const PartSource&) = delete;
  PartSource& operator=(const PartSource&) = delete;

  /// Give it the element messages of the pipeline, on the thread that plays it: it seeks there.
  /// Throws nothing; failures are errors of the source.
  void handle(const GstStructure* message);

  /// After the end of the stream: the reason why the frames were not those of the part; empty: they
  /// were.
  std::string problem() const;

  /// The stream ends before the next frame.
  void stop();

 private:
  GstPadProbeReturn take_frame(GstPad* pad, GstBuffer* frame);
  GstPadProbeReturn take_event(GstEvent* event);
  void ask_for_seek();

  GstElement* const source_;
  const Part part_;
  mutable std::mutex mutex_;  // guards what follows; held over no call into GStreamer that waits
  PartFilter filter_;
  bool seeks_;  // until the flush of the next seek has passed, all is dropped
  bool asked_ = false, ended_ = false, stopped_ = false;
  uint64_t back_ns_ = 0;  // how far ahead of the part the next seek goes
};

}  // namespace tandem
