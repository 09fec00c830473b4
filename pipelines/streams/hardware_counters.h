// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/streams/samples.h"

namespace tandem::streams {

/// Counters of the processor, by perf_event_open(2), for this process and the threads that it makes
/// later: to be made before the OpenCL runtime starts its own.
class HardwareCounters {
 public:
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  /// Why there are none; empty: there are.
  const std::string& problem() const { return problem_; }
  void start();
  /// The counts since start(): cpu-instructions, and the rates branch-miss and l1-miss.
  /// Empty where there are none.
  FeatureValues stop();

 private:
  std::vector<int> files_;  // of kEvents; -1: the processor has none of this kind
  std::string problem_;
};

}  // namespace tandem::streams
