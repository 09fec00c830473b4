// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>
#include <string_view>

#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {

/// A configuration in words, from the form that tandembin writes: `on the CPU (2 threads)` for
/// `ccc/cg2`, `stages 1-2 on the device, stage 3 on the CPU (5 threads)` for `ggc/cg5`. Any other
/// text is returned as it is.
std::string configuration_text(std::string_view configuration);

/// The present work of tandembin, for the progress line.
class StatusText {
 public:
  /// `verbose`: the configuration also in short, "on the CPU (2 threads) [ccc/cg2]".
  explicit StatusText(bool verbose = false) : verbose_(verbose) {}

  /// `on the CPU (2 threads)`, or `learning for 3 s, experiment 7: on the CPU (2 threads)`.
  /// `seconds`: of the stream till now; ascending.
  std::string text(const BinStats& stats, double seconds);

 private:
  const bool verbose_;
  int training_ = 0;  // which one is under way; 0: none
  double since_s_ = 0;
};

/// The same for a part of a stream that is over: "ran on the CPU (2 threads)", or that learning had
/// not ended.
std::string status_summary(const BinStats& stats, bool verbose = false);

/// A tandem-decision in words, with its reason, the configuration and the gain: `learned in 0.31 s
/// on 64 frames: now on the device (3 threads), 412.0 instead of 20.1 frames/s expected`.
/// `max_overhead`: the bin's share of time for trainings. Empty for any other structure.
std::string decision_text(const GstStructure* structure, double max_overhead);

/// The same in short: `caps: ccc/cg2 -> ggg/cg3 (ccc/cg2 had 20.1 frames/s), expected loss 0.4%`.
std::string short_text(const GstStructure* structure);

/// The trials that led to a tandem-decision, each with its reason: a line each, without the last
/// newline. Empty without a training, and for any other structure.
std::string trials_text(const GstStructure* structure);

/// The time of the training that led to a tandem-decision, as a table: a line a device, without the
/// last newline. Empty without a training, and for any other structure.
std::string training_text(const GstStructure* structure);

}  // namespace tandem
