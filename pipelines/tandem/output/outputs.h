// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_pipeline.h"
#include "pipelines/tandem/output/video_file.h"

namespace tandem {

/// The video that is written and the window, each apart from the analysis and from the other.
class Outputs {
 public:
  /// `file`: may be null; it outlives this. `others`: the analysis has other results too.
  /// Throws Failure.
  Outputs(VideoFile* file, bool show, bool others);
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// As those of OutputPipeline, for both.
  void take_from(GstPad* pad);
  void abandon();
  uint64_t written() const;

  /// Reports outputs that have failed and a window that was closed. False: nothing is left that
  /// needs the analysis.
  bool report_failures();

  /// A window is what the analysis was for, and it was closed.
  bool is_closed() const { return window_closed_ && !is_needed(); }

  /// The first of them.
  const std::optional<Failure>& failure() const { return failure_; }

  /// When the stream is over: the file is on the disk then.
  void stop();

 private:
  bool is_lost(const OutputPipeline& output) const;
  bool is_needed() const { return others_ || all_.empty() || failed_ < all_.size(); }
  const bool others_;
  VideoFile* const file_;
  OutputPipeline* window_ = nullptr;  // the last
  bool window_closed_ = false;
  std::vector<std::unique_ptr<OutputPipeline>> all_;
  std::size_t failed_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace tandem
