// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gst/meta/region.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/tandem/pipeline/tandembin.h"
#include "pipelines/tandem/run/result_summary.h"

namespace tandem {

/// Frames of one size in a row.
struct LoggedPart {
  Size size;
  uint64_t frames = 0;
  double seconds = 0;      ///< from the part's start to its last frame
  std::string found;       ///< the summary of its findings
  uint64_t pictures = 0;   ///< that were written
  bool found_any = false;  ///< in one of its frames
  BinStats stats;          ///< of this part alone
};

/// Watches what leaves a pad: collects findings by part, writes a JSON line a frame
/// (frame_json_line), saves pictures.
class FrameLog {
 public:
  struct Settings {
    TextOutput* metadata = nullptr;  ///< null: none
    std::string picture_folder;
    /// Frames of a part; its first picture comes half as late. The first frame in which something
    /// is found is written too.
    uint64_t picture_every = 0;
  };

  /// Opens the metadata's file; throws Failure. `bin` is the tandembin whose statistics are read
  /// and for which findings are made.
  FrameLog(const Settings& settings, GstElement* bin, MakeResultSummary* make_summary);

  /// Call once; this object outlives the pipeline's streaming.
  void watch(GstPad* pad);

  struct Count {
    uint64_t frames = 0;
    GstClockTime position = GST_CLOCK_TIME_NONE;  ///< of the latest frame, stream time
    double seconds = 0;                           ///< since the first frame
    std::string found;                            ///< the progress of the findings
  };
  Count count() const;

  /// Why the metadata ended before the stream; empty: it did not.
  std::string metadata_problem() const;

  /// All parts, when the stream is over.
  std::vector<LoggedPart> parts() const;

 private:
  using Clock = std::chrono::steady_clock;
  void take_data(GstPad* pad, GstPadProbeInfo* info);
  void begin_part(const GstCaps* caps);
  void end_part();
  void add_frame(GstPad* pad, GstBuffer* buffer);
  void save_picture(GstPad* pad, GstBuffer* buffer);

  const Settings settings_;
  GstElement* const bin_;
  MakeResultSummary* const make_summary_;
  TextOutput* metadata_;  ///< the streaming thread's; null once it cannot be written
  FrameSize size_;        ///< the streaming thread's

  mutable std::mutex mutex_;  ///< guards what follows; the streaming thread writes, main reads
  Count count_;
  std::string metadata_problem_;
  std::unique_ptr<ResultSummary> found_;          // in all frames
  std::unique_ptr<ResultSummary> found_in_part_;  // in those of the latest part
  std::vector<LoggedPart> parts_;
  BinStats at_part_start_;
  Clock::time_point first_frame_, part_start_;
};

}  // namespace tandem
