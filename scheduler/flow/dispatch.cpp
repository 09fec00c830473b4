// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/dispatch.h"

#include <algorithm>

namespace tandem {
namespace {

// A driver that waits for 1 / kLongWait of a frame's service time is starved.
constexpr uint64_t kLongWait = 10;

}  // namespace

Dispatch::Dispatch(std::vector<StageRules> stages, int cores, bool has_device)
    : parts_(std::move(stages), cores, std::max(kMaxWindow, 2 * (cores + 1)), has_device),
      handover_({parts_.frames, parts_.configuration, parts_.wakes}, cores),
      steps_(parts_) {}

void Dispatch::configure(const Configuration& configuration, const Devices& devices,
                         bool time_stages, uint32_t can_split, bool spaced) {
  if (parts_.frames.spaced() && !spaced) parts_.wakes.add(kDrivers);
  parts_.frames.set_spaced(spaced);
  parts_.configuration.propose(configuration, devices, time_stages, can_split);
  // Frames under way that have a lane of the current letters, or wait for one.
  const auto lanes_in_use = [&] {
    bool any_capable = false;
    for (int letter = 0; letter < kMaxLetters; ++letter)
      any_capable = any_capable || parts_.letters.can_compute(letter);
    return any_capable || !parts_.sent.empty() || !parts_.lane_queue.empty();
  };
  if (!parts_.configuration.is_pending()) {
    parts_.wakes.add(kDrivers);  // they waited for a configuration that does not come any more
  } else if (parts_.frames.running() == 0 || !parts_.configuration.has_to_wait(lanes_in_use())) {
    apply_pending();
  }
}

void Dispatch::apply_pending() {
  if (!parts_.configuration.is_pending()) return;
  parts_.configuration.apply();
  parts_.lanes.set_lanes(configuration().lanes);
  handover_.forget_batches();
  parts_.wakes.add(kDrivers);
  parts_.wakes.add(kSource | kSides);  // more may wait for more threads, and have more lanes
  parts_.lane_queue.offer();
}

Item* Dispatch::take(uint64_t woken_ns) {
  handover_.sink_takes();
  return parts_.frames.take(woken_ns);
}

void Dispatch::release(uint64_t now_ns) {
  parts_.frames.release(now_ns);
  parts_.wakes.add(empty() ? kSource | kEmpty : kSource);
  if (spaced()) parts_.wakes.add(kOneDriver);
}

// As many frames as there are drivers may be parked for a lane before no further one begins.
bool Dispatch::may_begin() const {
  return parts_.frames.can_begin() && !parts_.configuration.is_pending() &&
         parts_.lane_queue.parked() < drivers();
}

// How many frames that the device has finished may wait for a driver. They hold their tensors, and
// the frames that begin behind them wait for all of them.
int Dispatch::most_at_hand() const {
  const int lanes = parts_.configuration.all_lanes();
  return std::min(2 * drivers(), std::max(2 * lanes, drivers() / 2));
}

// Drivers take frames in order. One driver a device collects: it fills the lanes as long as frames
// begin on the device, then waits for the frame that was sent first. Another driver goes on with
// that frame, unless nothing is left on the device: then the collector does (Vilches).
//
// Frames that the device has finished go first: collecting one costs the driver little and frees a
// lane. Where the cores cannot keep up, the device has to wait for them: a driver that has
// collected one frame more than enough computes the oldest. It leaves a lane free; otherwise all
// drivers could wait for a lane that none of them frees. A driver alone goes on with the frames
// that it collects, and computes first those that others left to it.
Dispatch::Work Dispatch::work_for(int driver, uint64_t now_ns, const Idle& idle) {
  const bool collected = parts_.sent.release_collector(driver);
  if (handover_.holds_back() && !may_begin()) handover_.wake_sink();
  if (driver >= drivers()) {
    if (parts_.sent.uncollected()) parts_.wakes.add(kOneDriver);  // it was the collector
    return {};
  }
  Entry* const ready = parts_.ready.oldest();
  const bool alone = drivers() == 1;
  const bool enough = (collected || alone) && parts_.lanes.every_letter_has_free() &&
                      parts_.ready.count() > (alone ? 0 : most_at_hand());
  if (Entry* oldest = parts_.sent.uncollected(); oldest && !enough) {
    if (Entry* for_lane = parts_.lane_queue.ready()) return {&parts_.ready.take(*for_lane, now_ns)};
    if (may_begin() && fills_lanes()) return {&begin(now_ns, idle)};
    parts_.sent.collect(oldest->device, driver);
    return {oldest, true};
  }
  if (ready) return {&parts_.ready.take(*ready, now_ns)};
  return may_begin() ? Work{&begin(now_ns, idle)} : Work{};
}

// Whether the driver that collects has the next frame sent before it waits.
bool Dispatch::fills_lanes() const {
  const Mapping& mapping = configuration().mapping;
  int first = 0;
  while (first < mapping.stages && mapping.side(first) == Side::c) ++first;
  if (first == mapping.stages || !parts_.lanes.has_free(letter_of(mapping.side(first))))
    return false;
  return drivers() == 1 || (mapping.on_device(0) && !parts_.stages[0].serial);
}

Dispatch::Entry& Dispatch::begin(uint64_t now_ns, const Idle& idle) {
  Entry& begun = parts_.frames.begin();
  Item& item = *begun.item;
  begun.mapping = configuration().mapping;
  begun.way = Way(static_cast<int>(parts_.stages.size()), item.repeat);
  item.device_stages = item.fused_stages = 0;
  item.in_bands = false;
  FrameTimes& times = item.times;
  times = {.came_ns = times.came_ns, .let_in_ns = times.let_in_ns};
  times.configuration = configuration();
  times.stages_apart = parts_.configuration.time_stages();
  times.spaced = spaced();
  times.held_ns = begun.held_ns;
  times.begin_ns = now_ns;  // in the order of the stream
  // While frames are spaced a thread could not begin before.
  const uint64_t since_ns =
      spaced() ? std::max(idle.since_ns, parts_.frames.released_ns()) : idle.since_ns;
  const uint64_t waited_ns = idle.since_ns > 0 ? now_ns - std::min(now_ns, since_ns) : 0;
  times.waking_ns = std::min(waited_ns, now_ns - std::min(now_ns, times.let_in_ns));
  times.starved =
      waiting() == 0 && !handover_.has_waiting_source() && kLongWait * waited_ns > idle.service_ns;
  parts_.wakes.add(kSource);  // one fewer waits to begin
  return begun;
}

void Dispatch::finish(Entry& entry) {
  parts_.frames.finish(entry);
  entry.item->times.passed_by = parts_.frames.begun_after(entry.item->sequence);
  handover_.done(entry);
  if (handover_.holds_back() && !may_begin()) handover_.wake_sink();
  if (under_way() > 0) return;
  apply_pending();
  parts_.wakes.add(kAllWorkers | kSource);  // which may wait for the sink from now on
}

void Dispatch::abort() {
  parts_.frames.abort();
  parts_.wakes.add(kSource | kSink | kEmpty | kSides);
  parts_.lane_queue.offer();
}

void Dispatch::resume() {
  parts_.gates.reset();
  parts_.frames.resume();
}

}  // namespace tandem
