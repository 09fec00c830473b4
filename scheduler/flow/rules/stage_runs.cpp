// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/stage_runs.h"

namespace tandem {

bool StageRuns::wants_device(const FrameEntry& entry) const {
  if (is_over(entry) || entry.fell_back) return false;
  const Side here = side(entry, entry.position);
  return here != Side::c && here != Side::s;
}

int StageRuns::end_of_run(const FrameEntry& entry) const {
  const StagePath& path = entry.path;
  const Side here = side(entry, entry.position);
  int end = entry.position + 1;
  while (end < path.length() && side(entry, end) == here && !stages_[path.stage(end)].serial) ++end;
  // Fused stages do not wait for what an item is changed into.
  int last = entry.position;
  do last += entry.fused_length(last, end, true);
  while (last < end && !stages_[path.stage(last - 1)].changes_item);
  return last;
}

int StageRuns::end_of_cpu_part(const FrameEntry& entry) const {
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

bool StageRuns::has_cpu(const FrameEntry& entry, int last) const {
  for (int p = entry.position; p < last; ++p)
    if (!stages_[entry.path.stage(p)].has_cpu) return false;
  return true;
}

}  // namespace tandem
