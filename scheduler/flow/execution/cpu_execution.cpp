// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/execution/cpu_execution.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr int kUnknownBands = 16;  // of a stage that was not computed yet

}  // namespace

Status CpuExecution::compute(FrameEntry& entry, const FrameAction& action) {
  Status status;
  entry.item->lane = kNoDevice;
  entry.item->kind = action.device_kind;
  for (int p = action.first; p < action.last && status.ok();) {
    const int count = entry.fused_length(p, action.last, false);
    status = context_.stop ? aborted() : compute_fused(entry, p, count);
    p += count;
  }
  return status;
}

void CpuExecution::frames_change() {
  for (auto& ns : stage_ns_) ns = 0;
}

// `count` positions from this one on.
Status CpuExecution::compute_fused(FrameEntry& entry, int position, int count) {
  Item& item = *entry.item;
  const int index = entry.path.stage(position);
  Stage& stage = context_.enter(item, entry.path, position);
  stage.lead(item, count);
  if (!stage.has_cpu())
    return Status::failed(
        stage.name() + " has no CPU implementation, and no OpenCL device is left to compute it.");
  item.stop = &context_.stop;
  Status status = stage.prepare(item);
  if (status.ok()) status = stage.begin(item);
  if (!status.ok()) return status;
  const uint64_t start_ns = context_.now_ns();
  if (item.times.configuration.granularity == Granularity::coarse) {
    compute_on_this_thread(stage, item, index);
  } else {
    pools_.of(entry).compute(stage, item, 0, context_.stop);
  }
  if (context_.stop) return aborted();  // some rows may be missing
  status = stage.finish(item, false);
  if (context_.stop) return aborted();  // it may have left something out
  context_.counters.count_time(item, index, context_.now_ns() - start_ns, false, count);
  item.note_fused(index, count);
  return status;
}

// In bands of rows, so that a stop is noticed between two of them.
void CpuExecution::compute_on_this_thread(Stage& stage, Item& item, int index) {
  const int rows = stage.rows(item);
  const uint64_t usual_ns = stage_ns_[index].load(std::memory_order_relaxed);
  // Few rows are no pixels: such a stage has its own idea of what a row is.
  const bool whole = rows < kUnknownBands;
  const int known = usual_ns == 0 ? kUnknownBands : static_cast<int>(1 + usual_ns / kPieceNs);
  const int bands = whole ? 1 : known;
  const int band = std::max(1, (rows + bands - 1) / bands);
  const uint64_t start_ns = context_.now_ns();
  for (int first = 0; first < rows && !context_.stop; first += band)
    stage.compute(item, first, std::min(first + band, rows));
  if (!context_.stop)
    stage_ns_[index].store(context_.now_ns() - start_ns, std::memory_order_relaxed);
}

}  // namespace tandem
