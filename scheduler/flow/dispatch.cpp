// SPDX-License-Identifier: LGPL-2.1-or-later
// What comes in, begins and goes out; dispatch_way.cpp has the way of an item in between.
#include "scheduler/flow/dispatch.h"

#include <algorithm>
#include <bit>

namespace tandem {
namespace {

// The part of a frame's time that is long for its thread to wait for it: a tenth.
constexpr uint64_t kLongWait = 10;
// The part of the window that may wait for the sink alone: a quarter.
constexpr int kWaitsForTheSink = 4;

uint32_t without_cpu(const std::vector<Dispatch::StageRules>& stages) {
  uint32_t bits = 0;
  for (std::size_t k = 0; k < stages.size(); ++k) bits |= stages[k].has_cpu ? 0 : 1u << k;
  return bits;
}

}  // namespace

Dispatch::Dispatch(std::vector<StageRules> stages, int cores, bool has_device)
    : stages_(std::move(stages)),
      device_only_(without_cpu(stages_)),
      cores_(cores),
      ring_(std::max(kMaxWindow, 2 * (cores + 1))),
      window_(static_cast<int>(ring_.size())),
      device_usable_(has_device) {
  ready_.reserve(stages_.size() + kMaxDevices * kMaxLanes + cores + 1);
  for_lane_.reserve(kMaxDevices * kMaxLanes + cores + 1);
  sent_.reserve(kMaxDevices * kMaxLanes);
  waiting_.reserve(cores + 1);
  current_ = pending_ = {{0, static_cast<int>(stages_.size())}, Granularity::coarse, cores};
}

void Dispatch::configure(const Configuration& configuration, const Devices& devices,
                         bool time_stages, uint32_t can_split, bool spaced) {
  pending_ = configuration;
  if (std::exchange(spaced_, spaced) && !spaced) drivers_changed();
  kinds_ = devices.kind;
  pending_letters_ = letters_of(devices);
  pending_.threads = std::clamp(pending_.threads, 1, cores_ + 1);
  pending_.lanes = time_stages ? 1 : std::clamp(pending_.lanes, 1, kMaxLanes);
  pending_.tasks = std::clamp(pending_.tasks, 1, kMaxTasks);
  pending_.mapping.stages = static_cast<int>(stages_.size());
  pending_.mapping = resolved(pending_.mapping.within(~pending_.mapping.split_stages() | can_split),
                              pending_letters_);
  pending_.frames_at_once = std::clamp(pending_.frames_at_once, 1, std::min(cores_, 4));
  if (pending_.frames_at_once == 3) pending_.frames_at_once = 2;
  pending_time_stages_ = time_stages;
  if (!is_pending()) {
    drivers_changed();  // those that waited for another one, which does not come any more
  } else if (running_ == 0 || !has_to_wait()) {
    apply_pending();
  }
}

void Dispatch::set_window(int items) {
  window_ = std::clamp(items, 2 * (cores_ + 1), static_cast<int>(ring_.size()));
  wakes_ |= kSource;
}

int Dispatch::drivers() const {
  if (current_.granularity == Granularity::coarse) return current_.threads;
  return std::min(current_.frames_at_once + devices_in_use(), cores_ + 1);
}

// Another configuration, which waits for the last item that is under way.
bool Dispatch::is_pending() const {
  return !(pending_ == current_) || pending_time_stages_ != time_stages_ ||
         pending_letters_ != letters_;
}

// Medium grain needs the sides for itself, and so does a device alone whose stages are timed apart:
// beside cores at work it does not matter whose items these compute. Lanes are numbered by devices,
// and items keep theirs; the first device that can do anything finds none taken. Items of one
// letter that wait for its lanes may have all the drivers that another one needs.
bool Dispatch::has_to_wait() const {
  const bool apart = time_stages_ || pending_time_stages_;
  const bool alone = std::min(current_.threads, pending_.threads) <= devices_in_use();
  const bool joins_alone = pending_time_stages_ && pending_.threads <= pending_letters_.devices;
  return current_.granularity != Granularity::coarse ||
         pending_.granularity != Granularity::coarse || (apart && alone) ||
         (pending_letters_ != letters_ && (joins_alone || may_have_lanes())) ||
         std::popcount(current_.mapping.letters() | pending_.mapping.letters()) > 1;
}

// Whether an item that is under way has a lane of today's letters, or waits for one.
bool Dispatch::may_have_lanes() const {
  const auto works = [](uint32_t capable) { return capable != 0; };
  return std::ranges::any_of(letters_.capable, works) || !sent_.empty() || !waiting_.empty() ||
         !for_lane_.empty();
}

void Dispatch::apply_pending() {
  if (!is_pending()) return;
  current_ = pending_;
  time_stages_ = pending_time_stages_;
  letters_ = pending_letters_;
  forget_service();
  drivers_changed();
  wakes_ |= kSource | kSides;  // more may wait for more threads, and have more lanes
  offer_lane();
}

bool Dispatch::waits_for_the_sink() {
  next_finish_ = std::max(next_finish_, next_take_);
  while (next_finish_ < next_begin_ && entry(next_finish_).state == State::done) ++next_finish_;
  const int enough = std::max(window_ / kWaitsForTheSink, 2 * (cores_ + 1));
  return next_finish_ - released_ >= static_cast<uint64_t>(enough);
}

// How many items may wait to begin.
int Dispatch::most_waiting() const {
  const int lanes = current_.lanes * devices_in_use();
  return drivers() + std::max(1, lanes) - 1 + batch_;
}

// How many items that the device has finished may wait for a driver.
int Dispatch::most_at_hand() const {
  const int lanes = current_.lanes * devices_in_use();
  return std::min(2 * drivers(), std::max(2 * lanes, drivers() / 2));
}

bool Dispatch::has_space() {
  return waiting() < most_waiting() && in_flight() < window_ && !waits_for_the_sink();
}

void Dispatch::source_waits() {
  source_waits_ = true;
  source_waits_for_the_sink_ = waits_for_the_sink();
}

void Dispatch::let_in(Item* item, uint64_t held_ns, uint64_t now_ns) {
  source_waits_ = false;
  item->sequence = next_submit_;
  item->times.let_in_ns = now_ns;
  item->status = {};
  entry(next_submit_++) = {.item = item, .state = State::queued, .held_ns = held_ns};
  wakes_ |= kOneDriver;
}

Item* Dispatch::take_back() {
  if (next_begin_ == next_submit_) return nullptr;
  --next_submit_;
  if (has_space()) return std::exchange(entry(next_submit_), {}).item;
  ++next_submit_;
  return nullptr;
}

bool Dispatch::can_take() const {
  return next_take_ < next_submit_ && entry(next_take_).state == State::done;
}

Item* Dispatch::take(uint64_t woken_ns) {
  Entry& oldest = entry(next_take_++);
  oldest.state = State::empty;
  held_back_ = 0;  // the sink is awake, and takes the others as well
  ready_ns_ = std::max({ready_ns_, oldest.item->times.end_ns, woken_ns});
  oldest.item->times.ready_ns = ready_ns_;
  return std::exchange(oldest.item, nullptr);
}

void Dispatch::release(uint64_t now_ns) {
  ++released_;
  wakes_ |= empty() ? kSource | kEmpty : kSource;
  if (!spaced_) return;
  released_ns_ = now_ns;
  wakes_ |= kOneDriver;
}

// Items that the device has finished go first: collecting one costs the driver little and frees a
// lane. Where the cores cannot keep up, the device has to wait for them, because waiting items hold
// their tensors: a driver that has collected one item more than enough computes the oldest. It
// leaves a lane free; otherwise all drivers could wait for a lane that none of them frees. A driver
// alone goes on with what it collects, and nobody else computes what others left to it.
Dispatch::Work Dispatch::work_for(int driver, uint64_t now_ns, const Idle& idle) {
  bool collected = false;
  for (DeviceState& device : devices_) {
    if (device.collector != driver) continue;
    device.collector = kNone;
    collected = true;
  }
  if (held_back_ > 0 && !may_begin()) call_sink();
  if (driver >= drivers()) {
    if (uncollected()) wakes_ |= kOneDriver;  // it collected, and is not in use any more
    return {};
  }
  Entry* const ready = oldest_ready();
  const bool alone = drivers() == 1;
  const bool enough = (collected || alone) && every_letter_has_free_lane() &&
                      std::ssize(ready_) > (alone ? 0 : most_at_hand());
  if (Entry* oldest = uncollected(); oldest && !enough) {
    if (Entry* for_lane = ready_for_lane()) return {&take_up(*for_lane, now_ns)};
    if (may_begin() && fills_lanes()) return {&begin(now_ns, idle)};
    devices_[oldest->device].collector = driver;
    return {oldest, true};
  }
  if (ready) return {&take_up(*ready, now_ns)};
  return may_begin() ? Work{&begin(now_ns, idle)} : Work{};
}

Dispatch::Entry& Dispatch::take_up(Entry& entry, uint64_t now_ns) {
  std::erase(ready_, &entry);
  entry.item->times.waited_ns += now_ns - entry.waits_since_ns;
  return entry;
}

Dispatch::Entry* Dispatch::oldest_ready() const {
  const auto oldest = std::ranges::min_element(
      ready_, {}, [](const Entry* entry) { return entry->item->sequence; });
  return oldest == ready_.end() ? nullptr : *oldest;
}

// Whether the driver that collects has the next item sent before it waits.
bool Dispatch::fills_lanes() const {
  const Mapping& mapping = current_.mapping;
  int first = 0;
  while (first < mapping.stages && mapping.side(first) == Side::c) ++first;
  if (first == mapping.stages || !has_free_lane(letter_of(mapping.side(first)))) return false;
  return drivers() == 1 || (mapping.on_device(0) && !stages_[0].serial);
}

Dispatch::Entry& Dispatch::begin(uint64_t now_ns, const Idle& idle) {
  Entry& begun = entry(next_begin_++);
  Item& item = *begun.item;
  begun.state = State::running;
  begun.mapping = current_.mapping;
  begun.way = Way(static_cast<int>(stages_.size()), item.repeat);
  item.device_stages = item.fused_stages = 0;
  item.in_bands = false;
  FrameTimes& times = item.times;
  times = {.came_ns = times.came_ns, .let_in_ns = times.let_in_ns};
  times.configuration = current_;
  times.stages_apart = time_stages_;
  times.spaced = spaced_;
  times.held_ns = begun.held_ns;
  times.begin_ns = now_ns;  // in the order of the stream
  // While items are spaced a thread could not begin before.
  const uint64_t since_ns = spaced_ ? std::max(idle.since_ns, released_ns_) : idle.since_ns;
  const uint64_t waited_ns = idle.since_ns > 0 ? now_ns - std::min(now_ns, since_ns) : 0;
  times.waking_ns = std::min(waited_ns, now_ns - std::min(now_ns, times.let_in_ns));
  times.starved =
      next_begin_ == next_submit_ && !source_waits_ && kLongWait * waited_ns > idle.service_ns;
  ++running_;
  wakes_ |= kSource;  // one fewer waits to begin
  return begun;
}

void Dispatch::finish(Entry& entry) {
  --running_;
  entry.state = State::done;
  entry.item->times.passed_by = next_begin_ - entry.item->sequence - 1;
  learn_service(entry.item->times.service_ns());
  tell_sink(entry);
  if (running_ > 0) return;
  apply_pending();
  wakes_ |= kAllWorkers | kSource;  // which may wait for the sink from now on
}

void Dispatch::abort() {
  aborted_ = true;
  for (; next_begin_ < next_submit_; ++next_begin_) {
    entry(next_begin_).state = State::done;
    entry(next_begin_).item->status = Status::failed("aborted");
  }
  wakes_ |= kSource | kSink | kEmpty | kSides;
  offer_lane();
}

void Dispatch::resume() {
  gate_next_.fill(next_submit_);
  aborted_ = false;
}

}  // namespace tandem
