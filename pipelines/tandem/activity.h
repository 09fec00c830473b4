// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/tandem/elements.h"

namespace tandem {

/// What tandembin is doing, for the progress line.
class Activity {
 public:
  /// "ccc/cg2", or "training 3 s, experiment 7: ccc/cg2". `seconds`: of the stream till now;
  /// ascending.
  std::string text(const BinStats& stats, double seconds);

 private:
  int training_ = 0;  // which one is under way; 0: none
  double since_s_ = 0;
};

/// The same about a part of a stream that is over: "ran as ccc/cg2", or that it never left
/// training.
std::string activity_summary(const BinStats& stats);

}  // namespace tandem
