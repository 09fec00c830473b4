// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/dispatch.h"

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

// A worker that waits for 1 / kLongWait of a frame's service time is starved.
constexpr uint64_t kLongWait = 10;

}  // namespace

Dispatch::Dispatch(std::vector<StageRules> stages, int cores, bool has_device)
    : stages_(std::move(stages)),
      frames_(std::max(kMaxWindow, 2 * (cores + 1))),
      device_classes_(stages_, has_device),
      configuration_(static_cast<int>(stages_.size()), cores, device_classes_),
      runs_(stages_, device_classes_),
      sent_(device_classes_, wakeups_),
      ready_(stages_.size() + kMaxDevices * kMaxLanes + cores + 1, wakeups_),
      lanes_(frames_, device_classes_, runs_, ready_, cores),
      serial_stages_(frames_, ready_),
      cores_(wakeups_),
      flow_control_(frames_, configuration_, wakeups_, cores) {}

void Dispatch::configure(const Configuration& configuration, const Devices& devices,
                         bool time_stages, uint32_t can_split, bool spaced) {
  if (frames_.spaced() && !spaced) wakeups_.add(kWorkers);
  frames_.set_spaced(spaced);
  configuration_.propose(configuration, devices, time_stages, can_split);
  // Frames under way that have a lane of the current letters, or wait for one.
  const auto lanes_in_use = [&] {
    bool any_capable = false;
    for (int letter = 0; letter < kMaxLetters; ++letter)
      any_capable = any_capable || device_classes_.can_compute(letter);
    return any_capable || !sent_.empty() || lanes_.any_waits();
  };
  if (!configuration_.is_pending()) {
    wakeups_.add(kWorkers);  // they waited for a configuration that does not come any more
  } else if (frames_.running() == 0 || !configuration_.has_to_wait(lanes_in_use())) {
    apply_pending();
  }
}

void Dispatch::apply_pending() {
  if (!configuration_.is_pending()) return;
  configuration_.apply();
  lanes_.set_count(configuration().lanes);
  flow_control_.forget_batches();
  wakeups_.add(kWorkers);
  wakeups_.add(kSource | kSides);  // more may wait for more threads, and have more lanes
  lanes_.offer();
}

Item* Dispatch::take(uint64_t woken_ns) {
  flow_control_.sink_takes();
  return frames_.take(woken_ns);
}

void Dispatch::release(uint64_t now_ns) {
  frames_.release(now_ns);
  wakeups_.add(empty() ? kSource | kEmpty : kSource);
  if (spaced()) wakeups_.add(kOneWorker);
}

// As many frames as there are workers may be parked for a lane before no further one begins. If the
// first stage is serial, nothing can be done for a frame before its turn there: one waits for it.
bool Dispatch::may_begin() const {
  return frames_.can_begin() && !configuration_.is_pending() && lanes_.parked() < workers() &&
         (!stages_[0].serial || frames_.next_to_begin() <= serial_stages_.turn(0) + 1);
}

// How many frames that the device has finished may wait for a worker. They hold their tensors, and
// the frames that begin behind them wait for all of them.
int Dispatch::most_at_hand() const {
  const int lanes = configuration_.all_lanes();
  return std::min(2 * workers(), std::max(2 * lanes, workers() / 2));
}

// Workers take frames in order. One worker a device collects: it fills the lanes as long as frames
// begin on the device, then waits for the frame that was sent first. Another worker continues
// that frame, unless nothing is left on the device: then the collector does (Vilches).
//
// Frames that the device has finished go first: collecting one costs the worker little and frees a
// lane. Where the cores cannot keep up, the device has to wait for them: a worker that has
// collected one frame more than enough computes the oldest. It leaves a lane free; otherwise all
// workers could wait for a lane that none of them frees. A worker alone goes on with the frames
// that it collects, and computes first those that others left to it.
Dispatch::Work Dispatch::work_for(int worker, uint64_t now_ns, const Idle& idle) {
  const bool collected = sent_.release_collector(worker);
  if (flow_control_.holds_back() && !may_begin()) flow_control_.wake_sink();
  if (worker >= workers()) {
    if (sent_.uncollected()) wakeups_.add(kOneWorker);  // it was the collector
    return {};
  }
  Entry* const ready = ready_.oldest();
  const bool alone = workers() == 1;
  const bool enough = (collected || alone) && lanes_.every_letter_has_free() &&
                      ready_.count() > (alone ? 0 : most_at_hand());
  if (Entry* oldest = sent_.uncollected(); oldest && !enough) {
    if (Entry* for_lane = lanes_.ready_to_take()) return {&ready_.take(*for_lane, now_ns)};
    if (may_begin() && fills_lanes()) return {&begin(now_ns, idle)};
    sent_.collect(oldest->device, worker);
    return {oldest, true};
  }
  if (ready) {
    ready_.take(*ready, now_ns);
    if (stages_[0].serial && may_begin()) wakeups_.add(kOneWorker);  // it had waited for this frame
    return {ready};
  }
  return may_begin() ? Work{&begin(now_ns, idle)} : Work{};
}

// Whether the worker that collects has the next frame sent before it waits.
bool Dispatch::fills_lanes() const {
  const Mapping& mapping = configuration().mapping;
  int first = 0;
  while (first < mapping.stages && mapping.side(first) == Side::c) ++first;
  if (first == mapping.stages || !lanes_.has_free(letter_of(mapping.side(first)))) return false;
  return workers() == 1 || (mapping.on_device(0) && !stages_[0].serial);
}

Dispatch::Entry& Dispatch::begin(uint64_t now_ns, const Idle& idle) {
  Entry& begun = frames_.begin();
  Item& item = *begun.item;
  begun.mapping = configuration().mapping;
  begun.path = StagePath(static_cast<int>(stages_.size()), item.repeat, item.left_out);
  item.device_stages = item.fused_stages = 0;
  item.in_bands = false;
  FrameTimes& times = item.times;
  times = {.came_ns = times.came_ns, .let_in_ns = times.let_in_ns};
  times.configuration = configuration();
  times.left_out = item.left_out;
  times.stages_apart = configuration_.time_stages();
  times.spaced = spaced();
  times.held_ns = begun.held_ns;
  times.begin_ns = now_ns;  // in the order of the stream
  // While frames are spaced a thread could not begin before.
  const uint64_t since_ns =
      spaced() ? std::max(idle.since_ns, frames_.released_ns()) : idle.since_ns;
  const uint64_t waited_ns = idle.since_ns > 0 ? now_ns - std::min(now_ns, since_ns) : 0;
  times.waking_ns = std::min(waited_ns, now_ns - std::min(now_ns, times.let_in_ns));
  const bool computes = begun.path.length() > 0;
  if (computes) {
    starved_ = waiting() == 0 && !flow_control_.has_waiting_source() &&
               kLongWait * waited_ns > idle.service_ns;
  }
  times.starved = starved_;
  wakeups_.add(kSource);  // one fewer waits to begin
  return begun;
}

void Dispatch::finish(Entry& entry) {
  frames_.finish(entry);
  entry.item->times.passed_by = frames_.begun_after(entry.item->sequence);
  flow_control_.done(entry);
  if (flow_control_.holds_back() && !may_begin()) flow_control_.wake_sink();
  if (under_way() > 0) return;
  apply_pending();
  wakeups_.add(kNoneRunning | kSource);  // which may wait for the sink from now on
}

void Dispatch::abort() {
  frames_.abort();
  wakeups_.add(kSource | kSink | kEmpty | kSides);
  lanes_.offer();
}

void Dispatch::resume() {
  serial_stages_.reset();
  frames_.resume();
}

// --- The path of a frame ------------------------------------------------------------------------

Dispatch::Action Dispatch::next(Entry& entry) {
  using Kind = Action::Kind;
  const int first = entry.position;
  const bool had_worker = lanes_.stop_waiting(entry);
  if (frames_.aborted() && first < entry.path.length() && entry.item->status.ok())
    entry.item->status = Status::failed("aborted");
  const bool over = StageRuns::is_over(entry);
  const int stage = over ? static_cast<int>(stages_.size()) : entry.path.stage(first);
  if (!pass_serial_stages(entry, stage)) return {Kind::park};
  if (over) return {Kind::finish};
  if (stages_[stage].serial) {
    cores_.give_back(entry);
    if (!serial_stages_.is_turn(stage, entry)) return {Kind::park};
  }
  if (runs_.wants_device(entry))
    if (const auto action = at_device_run(entry, had_worker)) return *action;
  const Side side = runs_.side(entry, first);
  if (side == Side::s) return split_or_wait(entry);
  const bool medium = entry.item->times.configuration.granularity == Granularity::medium;
  if (medium && !cores_.take(entry)) {
    entry.fell_back = true;  // decided for good: the device may be free when the cores are
    return {Kind::wait};
  }
  return {Kind::cpu, first, runs_.end_of_cpu_part(entry), device_classes_.kind_of(side)};
}

// Nothing: the CPU computes the run. `had_worker`: the frame has waited for a lane with its worker.
std::optional<Dispatch::Action> Dispatch::at_device_run(Entry& entry, bool had_worker) {
  const CurrentConfiguration& configuration = configuration_;
  const bool may_wait = (!cpu_fallback_ || configuration.time_stages()) && !lost_its_device(entry);
  // If this one waited too, no worker would collect the frames on the lanes: workers that are not
  // in use any more may have sent it.
  const bool last_worker = lanes_.with_worker() + 1 >= configuration.workers();
  const bool leaves_worker = may_wait && (entry.mapping.several_letters() || last_worker);
  if (leaves_worker || !runs_.has_cpu(entry, runs_.end_of_run(entry)))
    return lanes_.may_take(entry) ? take_lane(entry) : park_for_lane(entry);
  if (lanes_.has_free(runs_.letter(entry)) && (!may_wait || lanes_.is_first_with_worker(entry))) {
    if (had_worker && lanes_.with_worker() > 0) wakeups_.add(kSides);  // another may be free
    return take_lane(entry);
  }
  if (!may_wait) return std::nullopt;
  lanes_.wait(entry);
  cores_.give_back(entry);
  return Action{Action::Kind::wait};
}

Dispatch::Action Dispatch::take_lane(Entry& entry) {
  lanes_.take(entry, runs_.letter(entry));
  cores_.give_back(entry);
  lanes_.offer();
  return {Action::Kind::device, entry.position, runs_.end_of_run(entry),
          device_classes_.kind(entry.device)};
}

Dispatch::Action Dispatch::park_for_lane(Entry& entry) {
  cores_.give_back(entry);
  lanes_.park(entry);
  return {Action::Kind::park};
}

// Both sides, or neither. With several devices all workers might wait here, and none collect.
Dispatch::Action Dispatch::split_or_wait(Entry& entry) {
  if (device_classes_.devices() > 1 && !lanes_.may_take(entry)) return park_for_lane(entry);
  const bool both = lanes_.has_free(0) && cores_.take(entry);
  if (both) lanes_.take(entry, 0);
  lanes_.offer();  // the lanes that are left
  if (!both) {
    cores_.give_back(entry);
    return {Action::Kind::wait};
  }
  return {Action::Kind::split, entry.position, runs_.end_of_run(entry),
          device_classes_.kind_of(Side::s)};
}

// A frame that failed, or that a serial stage leaves out, still lets those behind it through that
// stage. False: it waits for its turn there.
bool Dispatch::pass_serial_stages(Entry& entry, int until) {
  const bool over = StageRuns::is_over(entry);
  if (over) cores_.give_back(entry);
  for (; entry.next_serial < until; ++entry.next_serial) {
    const int stage = entry.next_serial;
    if (!stages_[stage].serial) continue;
    if (!over && (entry.item->left_out >> stage & 1) == 0) return true;  // it is on its way there
    if (!serial_stages_.is_turn(stage, entry)) {
      cores_.give_back(entry);
      return false;
    }
    pass(stage, entry);
  }
  return true;
}

void Dispatch::pass(int serial_stage, Entry& entry) {
  serial_stages_.pass(serial_stage, entry.item->sequence);
  if (serial_stage == 0) wakeups_.add(kOneWorker);  // another frame may begin
}

// Such a frame comes back without a lane for others: all workers that could free a lane may have
// one at hand.
bool Dispatch::lost_its_device(const Entry& entry) const {
  return entry.failed_before || (entry.device != kNoDevice && device_classes_.failed(entry.device));
}

bool Dispatch::did(Entry& entry, const Action& action, const Status& status) {
  entry.fell_back = false;
  if (status.kind() == Status::Kind::device_failed && entry.mapping.any_device())
    return device_failed(entry, status);
  entry.item->status = status;
  for (int p = action.first; p < action.last; ++p) {
    const int stage = entry.path.stage(p);
    const StageRules& rules = stages_[stage];
    if (rules.serial && entry.path.last_visit(p)) {
      pass(stage, entry);
      entry.next_serial = stage + 1;
    }
    if (rules.serial || rules.changes_item) entry.restart = p + 1;
  }
  entry.position = action.last;
  return false;
}

// Data that is valid on the device alone is lost with it: the frame is computed again.
bool Dispatch::device_failed(Entry& entry, const Status& status) {
  Item& item = *entry.item;
  const int device = std::max(0, status.device() >= 0 ? status.device() : entry.device);
  const bool first_failure = device_classes_.any_usable() && !device_classes_.failed(device);
  if (first_failure) lose(device);
  const bool again = std::exchange(entry.failed_before, true);
  const bool any_usable = device_classes_.any_usable();
  if (!any_usable || again)
    entry.mapping = entry.mapping.within(any_usable ? device_classes_.stages_without_cpu() : 0);
  item.device_stages = item.fused_stages = 0;
  item.in_bands = false;
  item.times.stage_ns = item.times.download_ns = item.times.upload_ns = {};
  entry.position = entry.restart;
  return first_failure;
}

void Dispatch::lose(int device) {
  device_classes_.lose(device);
  wakeups_.add(kWorkers | kSides);
  configuration_.resolve();
  lanes_.offer();
}

void Dispatch::sent(Entry& entry, const Action& action, uint64_t since_ns) {
  entry.sent = action;
  entry.sent_ns = since_ns;
  sent_.add(entry);
  sent_.wake_collectors(1);  // the worker that sent it is about to look itself
  // If the device failed meanwhile, that worker may not be in use any more, and the others asleep.
  if (device_classes_.failed(entry.device)) wakeups_.add(kWorkers);
}

void Dispatch::sent_again(Entry& entry, uint64_t since_ns) {
  entry.sent_ns = since_ns;
  sent_.move_back(entry);
}

uint64_t Dispatch::leave_device(Entry& entry, uint64_t now_ns) {
  const uint64_t alone_ns = lanes_.leave(entry, now_ns);
  sent_.remove(entry);
  wakeups_.add(kSides);
  lanes_.offer();
  return alone_ns;
}

bool Dispatch::hand_on(Entry& entry, uint64_t now_ns) {
  const bool to_device = runs_.wants_device(entry) && lanes_.has_free(runs_.letter(entry));
  if (!sent_.any_on(entry.device) || configuration_.workers() == 1 || StageRuns::is_over(entry) ||
      to_device) {
    sent_.stop_collecting(entry.device);  // its worker may be away for long
    sent_.wake_collectors(0);
    return false;
  }
  entry.waits_since_ns = now_ns;
  ready_.add(entry);
  return true;
}

std::pair<int, int> Dispatch::waits_at(const Entry& entry) const {
  const bool over = StageRuns::is_over(entry);
  return {entry.waits_at, over ? entry.waits_at : entry.path.stage(entry.restart)};
}

bool Dispatch::park(Entry& entry, uint64_t now_ns) {
  const bool goes_on =
      entry.waits_for_lane ? lanes_.goes_on(entry) : serial_stages_.is_turn(entry.waits_at, entry);
  if (goes_on) return false;
  entry.state = State::parked;
  entry.waits_since_ns = now_ns;
  return true;
}

}  // namespace tandem
