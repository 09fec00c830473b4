// SPDX-License-Identifier: LGPL-2.1-or-later
// The part of an item's way that device and cores compute together.
#include <algorithm>

#include "scheduler/flow/executor.h"

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

// Both sides begin at the same time: this thread enqueues the device's rows while others compute
// the cores' ones. Then both are joined. Whatever happens, the device does nothing more when this
// returns.
Status Executor::split_segment(Dispatch::Entry& entry, int first, std::span<const int> segment,
                               bool to_host) {
  Item& item = *entry.item;
  SplitTimes times{.begin_ns = now_ns()};
  const auto each = [&](auto&& call) {
    Status status;
    for (std::size_t p = 0; p < segment.size() && status.ok(); ++p)
      status = call(enter(item, entry.way, first + static_cast<int>(p)), p);
    return status;
  };
  Status status = each([&](Stage& stage, std::size_t) {
    stage.lead(item, 1);
    return stage.prepare(item);
  });
  if (!status.ok()) return status;
  const SplitPlan plan = plan_split(stages_, item, segment, item.times.configuration.cpu_share);
  status = each([&](Stage& stage, std::size_t p) { return stage.share(item, plan[p]); });

  // Rows of a stage that changes the item cannot be computed again: the cores compute theirs when
  // those of the device are there.
  const std::size_t last = segment.size() - 1;
  const std::size_t beside = stages_[segment[last]]->changes_item() ? last : segment.size();
  times.start_ns = now_ns();
  if (status.ok())
    status = compute_beside(entry, segment.first(beside), plan, times,
                            [&] { return enqueue_segment(item, segment, plan, to_host); });
  const Status waited = device_->wait(item.lane);
  times.device_done_ns = times.waited_ns = now_ns();
  if (status.ok()) status = waited;
  if (status.ok() && !stop_ && beside == last)
    status = compute_last_rows(entry, segment.subspan(last), std::span(plan).subspan(last));
  times.changed_ns = now_ns();
  if (stop_) return aborted();
  if (status.ok()) {
    count_sides(item, segment, times);
    const auto finish = [&] {
      status = each([&](Stage& stage, std::size_t p) { return stage.finish_split(item, plan[p]); });
    };
    bands_of(entry).run([&finish] { finish(); });  // so small that std::function has room for it
    split_.add(times, now_ns());
  }
  return status;
}

// Enqueues on this thread, and meanwhile computes the cores' rows of these stages.
template <class Enqueue>
Status Executor::compute_beside(Dispatch::Entry& entry, std::span<const int> stages,
                                const SplitPlan& plan, SplitTimes& times, Enqueue&& enqueue) {
  Status of_device, of_cores;
  const auto here = [&] {
    of_device = enqueue();
    times.enqueued_ns = now_ns();
  };
  const auto there = [&] {
    of_cores = compute_last_rows(entry, stages, plan);
    times.cores_done_ns = now_ns();
  };
  bands_of(entry).beside([&here] { here(); }, [&there] { there(); });
  return of_device.ok() ? of_cores : of_device;
}

Status Executor::enqueue_segment(Item& item, std::span<const int> segment, const SplitPlan& plan,
                                 bool to_host) {
  Status status;
  for (std::size_t p = 0; p < segment.size() && status.ok(); ++p) {
    const bool outputs_to_host = to_host && p + 1 == segment.size();
    status = enqueue_split(*stages_[segment[p]], item, segment[p], plan[p], outputs_to_host);
  }
  return status.ok() ? device_->start_timed(item.lane) : status;
}

// After both sides are done.
void Executor::count_sides(Item& item, std::span<const int> segment, SplitTimes& times) {
  const uint64_t noted = device_->done_ns(item.lane);
  if (noted != 0) times.device_done_ns = std::clamp(noted, times.start_ns, times.waited_ns);
  const uint64_t device_time_ns = times.device_ns();
  item.times.split_cores_ns += times.cores_ns();
  item.times.split_device_ns += device_time_ns;
  // Each stage took as long as any other, and both sides as long as the slower one.
  const uint64_t share_ns = (times.changed_ns - times.start_ns) / segment.size();
  for (const int stage : segment) {
    const uint64_t device_share_ns = device_time_ns / segment.size();
    device_ns(item.lane)[stage] = device_share_ns;
    item.times.stage_ns[stage] += share_ns;
    counters_[stage].device_ns.fetch_add(device_share_ns, std::memory_order_relaxed);
  }
}

// The cores' rows of stages one after the other; `rows` says of each where they begin.
Status Executor::compute_last_rows(const Dispatch::Entry& entry, std::span<const int> stages,
                                   std::span<const SplitRows> rows) {
  Item& item = *entry.item;
  item.stop = &stop_;
  std::array<BandPool::Part, kMaxStages> parts;
  for (std::size_t p = 0; p < stages.size(); ++p) {
    parts[p] = {stages_[stages[p]], stages[p], rows[p].cores_begin};
    if (Status status = parts[p].stage->begin(item); !status.ok()) return status;
  }
  const uint64_t start_ns = now_ns();
  bands_of(entry).compute(std::span(parts).first(stages.size()), item, stop_);
  // Bands of several stages are computed at the same time.
  const uint64_t share_ns = (now_ns() - start_ns) / std::max<std::size_t>(1, stages.size());
  for (const int stage : stages)
    counters_[stage].cpu_ns.fetch_add(share_ns, std::memory_order_relaxed);
  return {};
}

}  // namespace tandem
