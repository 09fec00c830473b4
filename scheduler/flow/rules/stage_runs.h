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
  bool wants_device(const FrameEntry& entry) const {
    if (is_over(entry) || entry.fell_back) return false;
    const Side here = side(entry, entry.position);
    return here != Side::c && here != Side::s;
  }
  /// Half-open end of the run at the frame's position, of a device or split.
  int end_of_run(const FrameEntry& entry) const {
    const StagePath& path = entry.path;
    const Side here = side(entry, entry.position);
    int end = entry.position + 1;
    while (end < path.length() && side(entry, end) == here && !stages_[path.stage(end)].serial)
      ++end;
    // Fused stages do not wait for what an item is changed into.
    int last = entry.position;
    do last += entry.fused_length(last, end, true);
    while (last < end && !stages_[path.stage(last - 1)].changes_item);
    return last;
  }
  /// Half-open end of the positions that the CPU computes before there is anything to decide.
  int end_of_cpu_part(const FrameEntry& entry) const {
    const StagePath& path = entry.path;
    const int stage = path.stage(entry.position);
    if (stages_[stage].serial) return entry.position + 1;
    if (const Side here = side(entry, entry.position); here != Side::c && here != Side::s)
      return end_of_run(entry);
    int last = entry.position + 1;
    while (last < path.length() && !stages_[path.stage(last)].serial &&
           side(entry, last) == Side::c) {
      ++last;
    }
    return last;
  }
  /// Whether the CPU can compute the positions from the frame's to `last`.
  bool has_cpu(const FrameEntry& entry, int last) const {
    for (int p = entry.position; p < last; ++p)
      if (!stages_[entry.path.stage(p)].has_cpu) return false;
    return true;
  }

 private:
  const std::vector<StageRules>& stages_;
  const DeviceClasses& device_classes_;
};

}  // namespace tandem
