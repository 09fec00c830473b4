// SPDX-License-Identifier: LGPL-2.1-or-later
// The part of an item's way that device and cores compute together.
#include <algorithm>

#include "scheduler/flow/executor.h"
#include "scheduler/flow/split_plan.h"

namespace tandem {
namespace {

// Stages of one item that neither side has to wait in between for.
class Segment {
 public:
  Segment(const Way& way, int first, int end, const std::vector<Stage*>& stages) : first_(first) {
    uint32_t seen = 0;
    for (int p = first; p < end && size_ < kMaxStages; ++p) {
      const int stage = way.stage(p);
      if ((seen >> stage & 1) != 0) break;  // the next round: borders are exchanged
      seen |= 1u << stage;
      stages_[size_++] = stage;
      if (stages[stage]->joins() || stages[stage]->changes_item()) break;
    }
  }

  int first() const { return first_; }
  int end() const { return first_ + size_; }
  std::span<const int> stages() const { return {stages_.data(), static_cast<std::size_t>(size_)}; }

 private:
  const int first_;
  int size_ = 0;
  std::array<int, kMaxStages> stages_{};
};

}  // namespace

Status Executor::compute_split(Dispatch::Entry& entry, const Dispatch::Action& action) {
  Item& item = *entry.item;
  item.lane = entry.lane;
  item.kind = action.device_kind;
  Status status;
  for (int p = action.first; p < action.last && status.ok();) {
    if (stop_) return aborted();
    const Segment segment(entry.way, p, action.last, stages_);
    p = segment.end();
    const bool to_host = p == action.last && p < entry.way.length();
    status = split_segment(entry, segment.first(), segment.stages(), to_host);
  }
  if (!status.ok()) return status;
  for (int p = action.first; p < action.last; ++p) item.device_stages |= 1u << entry.way.stage(p);
  return {};
}

// The device begins, the cores compute their rows meanwhile, and then both are joined. Whatever
// happens, the device does nothing more when this returns.
Status Executor::split_segment(Dispatch::Entry& entry, int first, std::span<const int> segment,
                               bool to_host) {
  Item& item = *entry.item;
  const auto at = [&](std::size_t p) -> Stage& {
    return enter(item, entry.way, first + static_cast<int>(p));
  };
  for (std::size_t p = 0; p < segment.size(); ++p)
    if (Status status = at(p).prepare(item); !status.ok()) return status;
  const SplitPlan plan = plan_split(stages_, item, segment, item.times.configuration.cpu_share);

  const uint64_t start_ns = now_ns();
  Status status;
  for (std::size_t p = 0; p < segment.size() && status.ok(); ++p) {
    const bool outputs_to_host = to_host && p + 1 == segment.size();
    status = enqueue_split(at(p), item, segment[p], plan[p], outputs_to_host);
  }
  if (status.ok()) status = device_->start_timed(item.lane);
  bool waits = true;
  const auto wait = [&] {
    if (!std::exchange(waits, false)) return;
    const Status waited = device_->wait(item.lane);
    if (status.ok()) status = waited;
  };
  for (std::size_t p = 0; p < segment.size() && status.ok() && !stop_; ++p) {
    Stage& stage = at(p);
    // Its rows cannot be computed again: those of the device must be there.
    if (stage.changes_item()) wait();
    if (status.ok()) status = compute_last_rows(stage, entry, segment[p], plan[p].cores_begin);
  }
  const uint64_t cores_done_ns = now_ns();
  wait();
  if (stop_) return aborted();
  if (status.ok()) count_sides(item, segment, start_ns, cores_done_ns);
  for (std::size_t p = 0; p < segment.size() && status.ok(); ++p)
    status = at(p).finish_split(item, plan[p]);
  return status;
}

// Now, when both sides are done.
void Executor::count_sides(Item& item, std::span<const int> segment, uint64_t start_ns,
                           uint64_t cores_done_ns) {
  const uint64_t now = now_ns(), noted = device_->done_ns(item.lane);
  const uint64_t device_done_ns = noted == 0 ? now : std::clamp(noted, start_ns, now);
  item.times.split_cores_ns += cores_done_ns - start_ns;
  item.times.split_device_ns += device_done_ns - start_ns;
  // Each stage took as long as any other, and both sides as long as the slower one.
  const uint64_t share_ns = (now - start_ns) / segment.size();
  for (const int stage : segment) {
    const uint64_t device_share_ns = (device_done_ns - start_ns) / segment.size();
    device_ns(item.lane)[stage] = device_share_ns;
    item.times.stage_ns[stage] += share_ns;
    counters_[stage].device_ns.fetch_add(device_share_ns, std::memory_order_relaxed);
  }
}

Status Executor::compute_last_rows(Stage& stage, const Dispatch::Entry& entry, int index,
                                   int first_row) {
  Item& item = *entry.item;
  item.stop = &stop_;
  if (Status status = stage.begin(item); !status.ok()) return status;
  const uint64_t start_ns = now_ns();
  bands_of(entry).compute(stage, item, first_row, stop_);
  counters_[index].cpu_ns.fetch_add(now_ns() - start_ns, std::memory_order_relaxed);
  return {};
}

}  // namespace tandem
