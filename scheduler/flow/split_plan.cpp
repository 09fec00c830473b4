// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/split_plan.h"

#include <algorithm>
#include <cstdint>

namespace tandem {
namespace {

// To the nearest row. The cores have one at least, so that a device that computes all rows of a
// stage is never a part of a split.
int rows_of_device(int rows, int cpu_share) {
  const int device = (rows * (100 - cpu_share) + 50) / 100;
  return std::clamp(device, 0, std::max(0, rows - 1));
}

// `first_rows` returns the device's part of the rows of a stage that no later one reads.
template <class FirstRows>
SplitPlan plan_by(const std::vector<Stage*>& stages, const Item& item, std::span<const int> segment,
                  FirstRows&& first_rows) {
  SplitPlan plan;
  for (std::size_t p = segment.size(); p-- > 0;) {
    const int rows = stages[segment[p]]->rows(item);
    const SplitRows nothing = SplitRows::none(rows);
    SplitRows needed = nothing;
    for (std::size_t q = p + 1; q < segment.size(); ++q)
      needed = needed.with(stages[segment[q]]->needs(item, segment[p], plan[q]));
    if (needed == nothing) {
      needed.device_end = needed.cores_begin = first_rows(rows);
    } else {
      needed.device_end = std::min(needed.device_end, rows);
      // Rows without a reader are the cores'.
      needed.cores_begin = std::min(needed.cores_begin, needed.device_end);
    }
    plan[p] = needed;
  }
  return plan;
}

}  // namespace

SplitPlan plan_split(const std::vector<Stage*>& stages, const Item& item,
                     std::span<const int> segment, int cpu_share) {
  return plan_by(stages, item, segment, [=](int rows) { return rows_of_device(rows, cpu_share); });
}

SplitPlan plan_bands(const std::vector<Stage*>& stages, const Item& item,
                     std::span<const int> segment, int band, int bands) {
  SplitPlan plan = plan_by(stages, item, segment, [=](int rows) {
    return static_cast<int>(static_cast<int64_t>(rows) * band / bands);
  });
  if (band == bands)  // also rows that nobody reads
    for (std::size_t p = 0; p < segment.size(); ++p)
      plan[p].device_end = stages[segment[p]]->rows(item);
  return plan;
}

}  // namespace tandem
