// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/split_plan.h"

#include <algorithm>

namespace tandem {
namespace {

// To the nearest row. The cores have one at least, so that a device that computes all rows of a
// stage is never a part of a split.
int rows_of_device(int rows, int cpu_share) {
  const int device = (rows * (100 - cpu_share) + 50) / 100;
  return std::clamp(device, 0, std::max(0, rows - 1));
}

}  // namespace

SplitPlan plan_split(const std::vector<Stage*>& stages, const Item& item,
                     std::span<const int> segment, int cpu_share) {
  SplitPlan plan;
  for (std::size_t p = segment.size(); p-- > 0;) {
    const int rows = stages[segment[p]]->rows(item);
    const SplitRows nothing = SplitRows::none(rows);
    SplitRows needed = nothing;
    for (std::size_t q = p + 1; q < segment.size(); ++q)
      needed = needed.with(stages[segment[q]]->needs(item, segment[p], plan[q]));
    if (needed == nothing) {
      needed.device_end = needed.cores_begin = rows_of_device(rows, cpu_share);
    } else {
      needed.device_end = std::min(needed.device_end, rows);
      // Rows that nobody needs are the cores'.
      needed.cores_begin = std::min(needed.cores_begin, needed.device_end);
    }
    plan[p] = needed;
  }
  return plan;
}

}  // namespace tandem
