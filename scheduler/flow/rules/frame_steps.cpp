// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/frame_steps.h"

#include <algorithm>

namespace tandem {

FrameAction FrameSteps::next(FrameEntry& entry) {
  using Kind = FrameAction::Kind;
  const int first = entry.position;
  const bool had_driver = parts_.lane_queue.remove(entry);
  if (parts_.frames.aborted() && first < entry.way.length() && entry.item->status.ok())
    entry.item->status = Status::failed("aborted");
  if (StageRuns::is_over(entry)) return leave(entry);
  const int stage = entry.way.stage(first);
  if (parts_.stages[stage].serial) {
    parts_.cores.give_back(entry);
    if (!parts_.gates.is_turn(stage, entry)) return {Kind::park};
  }
  if (parts_.runs.wants_device(entry))
    if (const auto action = at_device_run(entry, had_driver)) return *action;
  const Side side = parts_.runs.side(entry, first);
  if (side == Side::s) return split_or_wait(entry);
  const bool medium = entry.item->times.configuration.granularity == Granularity::medium;
  if (medium && !parts_.cores.take(entry)) {
    entry.fell_back = true;  // decided for good: the device may be free when the cores are
    return {Kind::wait};
  }
  return {Kind::cpu, first, parts_.runs.end_of_cpu_part(entry), parts_.letters.kind_of(side)};
}

// Nothing: the CPU computes the run. `had_driver`: the frame has waited for a lane with its driver.
std::optional<FrameAction> FrameSteps::at_device_run(FrameEntry& entry, bool had_driver) {
  const CurrentConfiguration& configuration = parts_.configuration;
  LaneQueue& queue = parts_.lane_queue;
  const bool may_wait = (!cpu_fallback_ || configuration.time_stages()) && !lost_its_device(entry);
  // If this one waited too, nobody would collect what the lanes hold: drivers that are not in use
  // any more may have sent it.
  const bool last_driver = queue.with_driver() + 1 >= configuration.drivers();
  const bool leaves_driver = may_wait && (entry.mapping.several_letters() || last_driver);
  if (leaves_driver || !parts_.runs.has_cpu(entry, parts_.runs.end_of_run(entry)))
    return queue.may_take(entry) ? take_lane(entry) : park_for_lane(entry);
  if (parts_.lanes.has_free(parts_.runs.letter(entry)) &&
      (!may_wait || queue.is_first_with_driver(entry))) {
    if (had_driver && queue.with_driver() > 0) parts_.wakes.add(kSides);  // another may be free
    return take_lane(entry);
  }
  if (!may_wait) return std::nullopt;
  queue.wait(entry);
  parts_.cores.give_back(entry);
  return FrameAction{FrameAction::Kind::wait};
}

FrameAction FrameSteps::take_lane(FrameEntry& entry) {
  parts_.lanes.take(entry, parts_.runs.letter(entry));
  parts_.cores.give_back(entry);
  parts_.lane_queue.offer();
  return {FrameAction::Kind::device, entry.position, parts_.runs.end_of_run(entry),
          parts_.letters.kind(entry.device)};
}

FrameAction FrameSteps::park_for_lane(FrameEntry& entry) {
  parts_.cores.give_back(entry);
  parts_.lane_queue.park(entry);
  return {FrameAction::Kind::park};
}

// Both sides, or neither. With several devices all drivers might wait here, and none collect.
FrameAction FrameSteps::split_or_wait(FrameEntry& entry) {
  if (parts_.letters.devices() > 1 && !parts_.lane_queue.may_take(entry))
    return park_for_lane(entry);
  const bool both = parts_.lanes.has_free(0) && parts_.cores.take(entry);
  if (both) parts_.lanes.take(entry, 0);
  parts_.lane_queue.offer();  // the lanes that are left
  if (!both) {
    parts_.cores.give_back(entry);
    return {FrameAction::Kind::wait};
  }
  return {FrameAction::Kind::split, entry.position, parts_.runs.end_of_run(entry),
          parts_.letters.kind_of(Side::s)};
}

// A frame that failed still opens the gates for those behind it.
FrameAction FrameSteps::leave(FrameEntry& entry) {
  parts_.cores.give_back(entry);
  for (; entry.gate < static_cast<int>(parts_.stages.size()); ++entry.gate) {
    if (!parts_.stages[entry.gate].serial) continue;
    if (!parts_.gates.is_turn(entry.gate, entry)) return {FrameAction::Kind::park};
    parts_.gates.pass(entry.gate, entry.item->sequence);
  }
  return {FrameAction::Kind::finish};
}

// Such a frame comes back without a lane for others: all drivers that could free a lane may have
// one at hand.
bool FrameSteps::lost_its_device(const FrameEntry& entry) const {
  return entry.failed_before || (entry.device != kNoDevice && parts_.letters.failed(entry.device));
}

bool FrameSteps::did(FrameEntry& entry, const FrameAction& action, const Status& status) {
  entry.fell_back = false;
  if (status.kind() == Status::Kind::device_failed && entry.mapping.any_device())
    return device_failed(entry, status);
  entry.item->status = status;
  for (int p = action.first; p < action.last; ++p) {
    const int stage = entry.way.stage(p);
    const StageRules& rules = parts_.stages[stage];
    if (rules.serial && entry.way.last_visit(p)) {
      parts_.gates.pass(stage, entry.item->sequence);
      entry.gate = stage + 1;
    }
    if (rules.serial || rules.changes_item) entry.restart = p + 1;
  }
  entry.position = action.last;
  return false;
}

// Data that is valid on the device alone is lost with it: the frame is computed again.
bool FrameSteps::device_failed(FrameEntry& entry, const Status& status) {
  Item& item = *entry.item;
  const int device = std::max(0, status.device() >= 0 ? status.device() : entry.device);
  const bool first_failure = parts_.letters.any_usable() && !parts_.letters.failed(device);
  if (first_failure) lose(device);
  const bool again = std::exchange(entry.failed_before, true);
  const bool any_usable = parts_.letters.any_usable();
  if (!any_usable || again) entry.mapping = entry.mapping.within(any_usable ? device_only_ : 0);
  item.device_stages = item.fused_stages = 0;
  item.in_bands = false;
  item.times.stage_ns = item.times.download_ns = item.times.upload_ns = {};
  entry.position = entry.restart;
  return first_failure;
}

void FrameSteps::lose(int device) {
  parts_.letters.lose(device);
  parts_.wakes.add(kDrivers | kSides);
  parts_.configuration.resolve();
  parts_.lane_queue.offer();
}

void FrameSteps::sent(FrameEntry& entry, const FrameAction& action, uint64_t since_ns) {
  entry.sent = action;
  entry.sent_ns = since_ns;
  parts_.sent.add(entry);
  parts_.sent.wake_collectors(1);  // the driver that sent it is about to look itself
  // If the device failed meanwhile, that driver may not be in use any more, and the others asleep.
  if (parts_.letters.failed(entry.device)) parts_.wakes.add(kDrivers);
}

void FrameSteps::sent_again(FrameEntry& entry, uint64_t since_ns) {
  entry.sent_ns = since_ns;
  parts_.sent.move_back(entry);
}

uint64_t FrameSteps::leave_device(FrameEntry& entry, uint64_t now_ns) {
  const uint64_t alone_ns = parts_.lanes.leave(entry, now_ns);
  parts_.sent.remove(entry);
  parts_.wakes.add(kSides);
  parts_.lane_queue.offer();
  return alone_ns;
}

bool FrameSteps::hand_on(FrameEntry& entry, uint64_t now_ns) {
  const bool to_device =
      parts_.runs.wants_device(entry) && parts_.lanes.has_free(parts_.runs.letter(entry));
  if (!parts_.sent.any_on(entry.device) || parts_.configuration.drivers() == 1 ||
      StageRuns::is_over(entry) || to_device) {
    parts_.sent.stop_collecting(entry.device);  // its driver may be away for long
    parts_.sent.wake_collectors(0);
    return false;
  }
  entry.waits_since_ns = now_ns;
  parts_.ready.add(entry);
  return true;
}

std::pair<int, int> FrameSteps::waits_at(const FrameEntry& entry) const {
  const bool over = StageRuns::is_over(entry);
  return {entry.waits_at, over ? entry.waits_at : entry.way.stage(entry.restart)};
}

bool FrameSteps::park(FrameEntry& entry, uint64_t now_ns) {
  const bool goes_on = entry.waits_for_lane ? parts_.lane_queue.goes_on(entry)
                                            : parts_.gates.is_turn(entry.waits_at, entry);
  if (goes_on) return false;
  entry.state = FrameEntry::State::parked;
  entry.waits_since_ns = now_ns;
  return true;
}

}  // namespace tandem
