// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "pipelines/jobs/job.h"

namespace tandem {

/// Selects the frames of a part from decoded frames in the order of presentation, which begin
/// before the part. It never guesses: a part with other frames than expected has a problem.
class PartFilter {
 public:
  explicit PartFilter(const Part& part) : part_(part) {}

  enum class Verdict {
    kDrop,    ///< the frame is of an earlier part
    kPass,    ///< it is of this one
    kTooLate  ///< it is of this one, and an earlier one is missing: seek again, further ahead
  };
  /// None: the part is over, and the frame is behind it.
  std::optional<Verdict> see(std::optional<uint64_t> pts_ns) {
    const bool bounded = part_.start_ns || part_.end_ns;
    // A frame without a time has no place among the parts.
    if (bounded && !pts_ns) return Verdict::kDrop;
    if (part_.start_ns && *pts_ns < *part_.start_ns) return Verdict::kDrop;
    if (part_.end_ns && *pts_ns >= *part_.end_ns) return std::nullopt;
    if (part_.start_ns && passed_ == 0 && *pts_ns != *part_.start_ns) return Verdict::kTooLate;
    ++passed_;
    return Verdict::kPass;
  }

  uint64_t passed() const { return passed_; }
  /// After the last frame: the reason why the passed frames are not the part; empty: they are.
  std::string problem() const {
    if (part_.frames ? passed_ == *part_.frames : passed_ > 0) return {};
    if (!part_.frames) return "no frame of video came out of this part of the video";
    return std::to_string(passed_) + " frames came out of this part of the video instead of " +
           std::to_string(*part_.frames);
  }
  /// The decoder begins again, further ahead.
  void restart() { passed_ = 0; }

 private:
  const Part part_;
  uint64_t passed_ = 0;
};

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
