// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the stages of one item are computed, and what it waits for.
#include <algorithm>
#include <bit>

#include "scheduler/flow/dispatch.h"

namespace tandem {

Dispatch::Action Dispatch::next(Entry& entry) {
  using Kind = Action::Kind;
  const int first = entry.position;
  const bool waited = std::erase(waiting_, &entry) > 0;
  if (std::exchange(entry.waits_for_lane, false)) std::erase(for_lane_, &entry);
  if (aborted_ && first < entry.way.length() && entry.item->status.ok())
    entry.item->status = Status::failed("aborted");
  if (first == entry.way.length() || !entry.item->status.ok()) return leave(entry);
  const int stage = entry.way.stage(first);
  if (stages_[stage].serial) {
    give_cores(entry);
    if (!is_its_turn(stage, entry)) return {Kind::park};
  }

  const bool may_wait = (!cpu_fallback_ || time_stages_) && !lost_its_device(entry);
  // Nobody would collect what the lanes hold: drivers that are in use no more may have sent it.
  const bool last_driver = std::ssize(waiting_) + 1 >= drivers();
  const bool leaves_driver = may_wait && (entry.mapping.several_letters() || last_driver);
  if (wants_device(entry) && (leaves_driver || !has_cpu(entry, end_of_run(entry)))) {
    return may_take_lane(entry) ? take_lane(entry) : park_for_lane(entry);
  }
  if (wants_device(entry)) {
    if (has_free_lane(letter_of(side(entry, first))) && (!may_wait || is_oldest(entry, waiting_))) {
      if (waited && !waiting_.empty()) wakes_ |= kSides;  // the next may be free for another
      return take_lane(entry);
    }
    if (may_wait) {
      waiting_.push_back(&entry);
      give_cores(entry);
      return {Kind::wait};
    }
  }
  if (side(entry, first) == Side::s) return split_or_wait(entry);
  if (entry.item->times.configuration.granularity == Granularity::medium && !take_cores(entry)) {
    entry.fell_back = true;  // it was decided: the device may be free when the cores are
    return {Kind::wait};
  }
  return {Kind::cpu, first, end_of_cpu_part(entry), kind_of(side(entry, first))};
}

bool Dispatch::did(Entry& entry, const Action& action, const Status& status) {
  Item& item = *entry.item;
  entry.fell_back = false;
  if (status.kind() == Status::Kind::device_failed && entry.mapping.any_device()) {
    // What is valid on the device alone is lost with it: the item is computed again.
    const int device = std::max(0, status.device() >= 0 ? status.device() : entry.device);
    const bool first_failure = device_usable_ && !devices_[device].failed;
    if (first_failure) lose(device);
    const bool again = std::exchange(entry.failed_before, true);
    if (!device_usable_ || again)
      entry.mapping = entry.mapping.within(device_usable_ ? device_only_ : 0);
    item.device_stages = item.fused_stages = 0;
    item.in_bands = false;
    item.times.stage_ns = item.times.download_ns = item.times.upload_ns = {};
    entry.position = entry.restart;
    return first_failure;
  }
  item.status = status;
  for (int p = action.first; p < action.last; ++p) {
    const int stage = entry.way.stage(p);
    const StageRules& rules = stages_[stage];
    if (rules.serial && entry.way.last_visit(p)) {
      pass_gate(stage, item.sequence);
      entry.gate = stage + 1;
    }
    if (rules.serial || rules.changes_item) entry.restart = p + 1;
  }
  entry.position = action.last;
  return false;
}

void Dispatch::sent(Entry& entry, const Action& action, uint64_t since_ns) {
  entry.sent = action;
  entry.sent_ns = since_ns;
  sent_.push_back(&entry);
  wake_collectors(1);  // who sent it is about to look itself
  // The device failed meanwhile: who sent it may be in use no more, and those who are may sleep.
  if (devices_[entry.device].failed) drivers_changed();
}

void Dispatch::sent_again(Entry& entry, uint64_t since_ns) {
  entry.sent_ns = since_ns;
  std::rotate(std::ranges::find(sent_, &entry), std::ranges::find(sent_, &entry) + 1, sent_.end());
}

uint64_t Dispatch::leave_device(Entry& entry, uint64_t now_ns) {
  DeviceState& device = devices_[entry.device];
  const int lane = std::exchange(entry.lane, kNone) / letters_.devices;
  device.used_lanes &= static_cast<uint8_t>(~(1 << lane));
  std::erase(sent_, &entry);
  wakes_ |= kSides;
  offer_lane();
  const uint64_t since_ns = std::max(entry.sent_ns, std::exchange(device.left_ns, now_ns));
  return now_ns > since_ns ? now_ns - since_ns : 0;
}

bool Dispatch::hand_on(Entry& entry, uint64_t now_ns) {
  const bool over = entry.position == entry.way.length() || !entry.item->status.ok();
  const bool to_device =
      wants_device(entry) && has_free_lane(letter_of(side(entry, entry.position)));
  if (!has_sent(entry.device) || drivers() == 1 || over || to_device) {
    devices_[entry.device].collector = kNone;  // it may be away for long
    wake_collectors(0);
    return false;
  }
  entry.waits_since_ns = now_ns;
  ready_.push_back(&entry);
  wakes_ |= kOneDriver;
  return true;
}

// An item that failed still opens the gates for those behind it.
Dispatch::Action Dispatch::leave(Entry& entry) {
  give_cores(entry);
  for (; entry.gate < static_cast<int>(stages_.size()); ++entry.gate) {
    if (!stages_[entry.gate].serial) continue;
    if (!is_its_turn(entry.gate, entry)) return {Action::Kind::park};
    pass_gate(entry.gate, entry.item->sequence);
  }
  return {Action::Kind::finish};
}

// Where the run of stages on the side of its position ends: of a device, or split.
int Dispatch::end_of_run(const Entry& entry) const {
  const Way& way = entry.way;
  const Side here = side(entry, entry.position);
  int end = entry.position + 1;
  while (end < way.length() && side(entry, end) == here && !stages_[way.stage(end)].serial) ++end;
  // Inside of one pass nobody waits for what an item is changed into.
  int last = entry.position;
  do last += one_pass(way, entry.item->repeat, entry.item->fused.on_device, last, end);
  while (last < end && !stages_[way.stage(last - 1)].changes_item);
  return last;
}

// Whether the CPU can compute the positions from its own to `last`.
bool Dispatch::has_cpu(const Entry& entry, int last) const {
  for (int p = entry.position; p < last; ++p)
    if (!stages_[entry.way.stage(p)].has_cpu) return false;
  return true;
}

// Up to where the CPU computes without anything to decide.
int Dispatch::end_of_cpu_part(const Entry& entry) const {
  const Way& way = entry.way;
  const int stage = way.stage(entry.position);
  if (stages_[stage].serial) return entry.position + 1;
  if (const Side here = side(entry, entry.position); here != Side::c && here != Side::s)
    return end_of_run(entry);
  int last = entry.position + 1;
  while (last < way.length() && !stages_[way.stage(last)].serial && side(entry, last) == Side::c) {
    ++last;
  }
  return last;
}

bool Dispatch::is_its_turn(int stage, Entry& entry) {
  entry.waits_at = stage;
  return gate_next_[stage] == entry.item->sequence;
}

std::pair<int, int> Dispatch::waits_at(const Entry& entry) const {
  const bool over = entry.position == entry.way.length() || !entry.item->status.ok();
  return {entry.waits_at, over ? entry.waits_at : entry.way.stage(entry.restart)};
}

bool Dispatch::park(Entry& entry, uint64_t now_ns) {
  if (entry.waits_for_lane ? goes_on(entry) : is_its_turn(entry.waits_at, entry)) return false;
  entry.state = State::parked;
  entry.waits_since_ns = now_ns;
  return true;
}

void Dispatch::pass_gate(int stage, uint64_t sequence) {
  gate_next_[stage] = ++sequence;
  Entry& next = entry(sequence);
  if (sequence >= next_begin_ || next.state != State::parked || next.waits_at != stage) return;
  next.state = State::running;
  ready_.push_back(&next);
  wakes_ |= kOneDriver;
}

bool Dispatch::take_cores(Entry& entry) {
  if (entry.has_cores) return true;
  const int part = std::countr_one(cores_taken_);
  if (part >= entry.item->times.configuration.frames_at_once) return false;
  cores_taken_ |= 1u << part;
  entry.part_of_cores = part;
  entry.has_cores = true;
  return true;
}

void Dispatch::give_cores(Entry& entry) {
  if (!std::exchange(entry.has_cores, false)) return;
  cores_taken_ &= ~(1u << entry.part_of_cores);
  wakes_ |= kSides;
}

// Without its driver.
Dispatch::Action Dispatch::park_for_lane(Entry& entry) {
  give_cores(entry);
  entry.waits_at = entry.way.stage(entry.position);
  entry.waits_for_lane = true;
  for_lane_.push_back(&entry);
  return {Action::Kind::park};
}

// Both sides, or neither. With several devices all drivers might wait here, and none collect.
Dispatch::Action Dispatch::split_or_wait(Entry& entry) {
  if (letters_.devices > 1 && !may_take_lane(entry)) return park_for_lane(entry);
  const bool both = has_free_lane(0) && take_cores(entry);
  if (both) take_lane_of(entry);
  offer_lane();  // what it leaves
  if (!both) {
    give_cores(entry);
    return {Action::Kind::wait};
  }
  return {Action::Kind::split, entry.position, end_of_run(entry), kind_of(Side::s)};
}

// An item does not change sides inside a run.
bool Dispatch::wants_device(const Entry& entry) const {
  if (entry.position == entry.way.length() || !entry.item->status.ok() || entry.fell_back)
    return false;
  const Side here = side(entry, entry.position);
  return here != Side::c && here != Side::s;
}

// Then it came back without a lane for others: all who could free one may have such an item at
// hand.
bool Dispatch::lost_its_device(const Entry& entry) const {
  return entry.failed_before || (entry.device != kNone && devices_[entry.device].failed);
}

}  // namespace tandem
