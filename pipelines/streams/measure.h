// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>

#include "kernels/stage_file/run/streamed_stage.h"
#include "pipelines/streams/hardware_counters.h"
#include "pipelines/streams/workload.h"

namespace tandem::streams {

struct MeasureOptions {
  std::vector<int> partitions{1, 2, 4, 8, 16}, tasks{1, 2, 4, 8, 16, 32};
  double interval = 0.05;  ///< until the mean is known to this
  int least_runs = 5, most_runs = 200;
  /// Settings within `near` of the best one are timed until they are known to `near_interval`: the
  /// best of many that are known badly is one that was lucky.
  double near = 0.1, near_interval = 0.015;
  double most_s = 2;  ///< for a sample
};

/// The settings of the grid that make sense on a device: no more partitions than tasks or cores.
std::vector<StreamSetting> grid_of(const MeasureOptions& options, int most_partitions);

/// Static and dynamic features of a stage, from five runs with one stream.
FeatureValues features_of_runs(StreamedStage& stage, HardwareCounters& counters);

/// Fills what runs read.
void fill_inputs(StreamedStage& stage, const Workload& workload);

/// Times all settings in turn, so that a machine that becomes slower is so for all of them. Throws
/// std::runtime_error when a setting gives another result than one stream.
Sample measure(StreamDevice& device, const Workload& workload, const MeasureOptions& options,
               HardwareCounters& counters, const std::atomic<bool>& stop);

}  // namespace tandem::streams
