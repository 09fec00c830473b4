// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/encoding.h"

namespace tandem {

/// A video file that is written from raw frames, and read again in the end to see that it holds
/// each of them.
class VideoFile {
 public:
  /// `size`: that of the written frames; none: as the first one comes. Later frames of another size
  /// are scaled to it, with bars that keep their proportions.
  VideoFile(std::string path, const Encoding& encoding, std::optional<Size> size);
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  /// A launch description that takes raw video of any size and format.
  std::string description() const;

  /// Call once with the bin that was made of a description that holds description(), before it
  /// plays. This object outlives the bin's streaming.
  void watch(GstBin* bin);

  const std::string& path() const { return path_; }
  uint64_t frames_sent() const { return frames_sent_; }

  /// Call after EOS. Throws Failure when the file holds fewer frames than were sent to it. A file
  /// that cannot be read again, such as a pipe, is not checked.
  void check() const;

 private:
  CapsRef caps_of_size(const GstVideoInfo& video) const;
  void complete_caps(GstPadProbeInfo* info, GstCaps* caps);
  void complete_times(GstPad* pad, GstPadProbeInfo* info);
  void take_frame(GstPad* pad, GstPadProbeInfo* info);
  void take_packet(GstPad* pad, GstPadProbeInfo* info);

  const std::string path_;
  const Encoding& encoding_;
  const std::optional<Size> size_;

  ObjectRef<GstElement> kept_;  // the filter in front of the encoder

  // Used by the streaming thread.
  CapsRef first_caps_;
  int rate_n_ = 0, rate_d_ = 1;                    // frames a second
  bool rate_assumed_ = false, rate_told_ = false;  // the input states none
  GstClockTime latest_ns_ = GST_CLOCK_TIME_NONE;   // running time of the latest frame
  GstClockTime timed_ns_ = GST_CLOCK_TIME_NONE;    // likewise, of the latest that came with a time
  uint64_t frames_since_ = 0;                      // without a time of their own

  std::atomic<uint64_t> frames_sent_{0};
  std::mutex mutex_;                     // the encoder may have a thread of its own
  std::deque<GstClockTime> in_encoder_;  // running times, only where packets are stamped again
};

}  // namespace tandem
