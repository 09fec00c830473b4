// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/execution/split_execution.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tandem {
namespace {

// Stages of one frame between which neither side has to wait.
class Segment {
 public:
  Segment(const StagePath& path, int first, int end, const std::vector<Stage*>& stages)
      : first_(first) {
    uint32_t seen = 0;
    for (int p = first; p < end && size_ < kMaxStages; ++p) {
      const int stage = path.stage(p);
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

Status SplitExecution::compute(FrameEntry& entry, const FrameAction& action) {
  Item& item = *entry.item;
  item.lane = entry.lane;
  item.kind = action.device_kind;
  Status status;
  for (int p = action.first; p < action.last && status.ok();) {
    if (context_.stop) return aborted();
    const Segment segment(entry.path, p, action.last, context_.stages);
    p = segment.end();
    const bool to_host = p == action.last && p < entry.path.length();
    status = compute_segment(entry, segment.first(), segment.stages(), to_host);
  }
  if (!status.ok()) return status;
  for (int p = action.first; p < action.last; ++p) item.device_stages |= 1u << entry.path.stage(p);
  return {};
}

// Both sides begin at the same time: this thread enqueues the device's rows while others compute
// those of the cores. Then both are joined.
Status SplitExecution::compute_segment(FrameEntry& entry, int first, std::span<const int> segment,
                                       bool to_host) {
  Item& item = *entry.item;
  SplitTimes times{.begin_ns = context_.now_ns()};
  const auto each = [&](auto&& call) {
    Status status;
    for (std::size_t p = 0; p < segment.size() && status.ok(); ++p)
      status = call(context_.enter(item, entry.path, first + static_cast<int>(p)), p);
    return status;
  };
  Status status = each([&](Stage& stage, std::size_t) {
    stage.lead(item, 1);
    return stage.prepare(item);
  });
  if (!status.ok()) return status;
  const SplitPlan plan =
      plan_split(context_.stages, item, segment, item.times.configuration.cpu_share);
  status = each([&](Stage& stage, std::size_t p) { return stage.share(item, plan[p]); });

  // Rows of a stage that changes the item cannot be computed again: the cores compute theirs when
  // those of the device are there.
  const std::size_t last = segment.size() - 1;
  const std::size_t beside = context_.stages[segment[last]]->changes_item() ? last : segment.size();
  times.start_ns = context_.now_ns();
  if (status.ok())
    status = compute_beside(entry, segment.first(beside), plan, times,
                            [&] { return enqueue_segment(item, segment, plan, to_host); });
  const Status waited = context_.device->wait(item.lane);
  times.device_done_ns = times.waited_ns = context_.now_ns();
  if (status.ok()) status = waited;
  if (status.ok() && !context_.stop && beside == last)
    status = compute_last_rows(entry, segment.subspan(last), std::span(plan).subspan(last));
  times.changed_ns = context_.now_ns();
  if (context_.stop) return aborted();
  if (status.ok()) {
    count_sides(item, segment, times);
    const auto finish = [&] {
      status = each([&](Stage& stage, std::size_t p) { return stage.finish_split(item, plan[p]); });
    };
    pools_.of(entry).run([&finish] { finish(); });  // so small that std::function has room for it
    context_.counters.count_split(times, context_.now_ns());
  }
  return status;
}

// Enqueues on this thread, and meanwhile computes the cores' rows of these stages.
template <class Enqueue>
Status SplitExecution::compute_beside(const FrameEntry& entry, std::span<const int> stages,
                                      const SplitPlan& plan, SplitTimes& times, Enqueue&& enqueue) {
  Status of_device, of_cores;
  const auto here = [&] {
    of_device = enqueue();
    times.enqueued_ns = context_.now_ns();
  };
  const auto there = [&] {
    of_cores = compute_last_rows(entry, stages, plan);
    times.cores_done_ns = context_.now_ns();
  };
  pools_.of(entry).beside([&here] { here(); }, [&there] { there(); });
  return of_device.ok() ? of_cores : of_device;
}

Status SplitExecution::enqueue_segment(Item& item, std::span<const int> segment,
                                       const SplitPlan& plan, bool to_host) {
  Status status;
  for (std::size_t p = 0; p < segment.size() && status.ok(); ++p) {
    const bool outputs_to_host = to_host && p + 1 == segment.size();
    Stage& stage = *context_.stages[segment[p]];
    status = times_.paced(item, segment[p],
                          [&] { return stage.enqueue_split(item, plan[p], outputs_to_host); });
  }
  return status.ok() ? context_.device->start_timed(item.lane) : status;
}

// After both sides are done.
void SplitExecution::count_sides(Item& item, std::span<const int> segment, SplitTimes& times) {
  const uint64_t noted = context_.device->done_ns(item.lane);
  if (noted != 0) times.device_done_ns = std::clamp(noted, times.start_ns, times.waited_ns);
  const uint64_t device_time_ns = times.device_ns();
  item.times.split_cores_ns += times.cores_ns();
  item.times.split_device_ns += device_time_ns;
  // Each stage took as long as any other, and both sides as long as the slower one.
  const uint64_t share_ns = (times.changed_ns - times.start_ns) / segment.size();
  for (const int stage : segment) {
    const uint64_t device_share_ns = device_time_ns / segment.size();
    times_.learn(item.lane, stage, device_share_ns, 1);
    item.times.stage_ns[stage] += share_ns;
    context_.counters.add_device_ns(stage, device_share_ns);
  }
}

// The cores' rows of stages one after the other; they begin at `rows` of each.
Status SplitExecution::compute_last_rows(const FrameEntry& entry, std::span<const int> stages,
                                         std::span<const SplitRows> rows) {
  Item& item = *entry.item;
  item.stop = &context_.stop;
  std::array<BandPool::Part, kMaxStages> parts;
  for (std::size_t p = 0; p < stages.size(); ++p) {
    parts[p] = {context_.stages[stages[p]], stages[p], rows[p].cores_begin};
    if (Status status = parts[p].stage->begin(item); !status.ok()) return status;
  }
  const uint64_t start_ns = context_.now_ns();
  pools_.of(entry).compute(std::span(parts).first(stages.size()), item, context_.stop);
  // Bands of several stages are computed at the same time.
  const uint64_t share_ns =
      (context_.now_ns() - start_ns) / std::max<std::size_t>(1, stages.size());
  for (const int stage : stages) context_.counters.add_cpu_ns(stage, share_ns);
  return {};
}

}  // namespace tandem
