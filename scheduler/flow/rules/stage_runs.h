// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/rules/device_classes.h"
#include "scheduler/flow/rules/frame_entry.h"

namespace tandem {

/// Which positions of a frame's path are computed together, and on which side. A run is a sequence
/// of positions on one side without a serial stage; a frame does not change sides inside a run.
class StageRuns {
 public:
  StageRuns(const std::vector<StageRules>& stages, const DeviceClasses& device_classes)
      : stages_(stages), device_classes_(device_classes) {}

  Side side(const FrameEntry& entry, int position) const {
    return device_classes_.side(entry.mapping, entry.path.stage(position));
  }
  /// At the frame's position; 0 for the CPU and for split stages.
  int letter(const FrameEntry& entry) const { return letter_of(side(entry, entry.position)); }
  /// All stages are done, or the frame has failed.
  static bool is_over(const FrameEntry& entry) {
    return entry.position == entry.path.length() || !entry.item->status.ok();
  }
  /// Whether the frame is at a run of a device that the CPU does not compute instead.
  bool wants_device(const FrameEntry& entry) const;
  /// Half-open end of the run at the frame's position, of a device or split.
  int end_of_run(const FrameEntry& entry) const;
  /// Half-open end of the positions that the CPU computes before there is anything to decide.
  int end_of_cpu_part(const FrameEntry& entry) const;
  /// Whether the CPU can compute the positions from the frame's to `last`.
  bool has_cpu(const FrameEntry& entry, int last) const;

 private:
  const std::vector<StageRules>& stages_;
  const DeviceClasses& device_classes_;
};

}  // namespace tandem
