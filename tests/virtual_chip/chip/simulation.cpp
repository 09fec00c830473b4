// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/simulation.h"

#include <algorithm>
#include <cmath>

namespace tandem::test {
namespace {

using Kind = Dispatch::Action::Kind;

// Of the events, that which is no worker's: the sink has dealt with a frame.
constexpr int kSink = -1;

uint64_t to_ns(double seconds) { return static_cast<uint64_t>(1e9 * seconds); }

std::vector<Dispatch::StageRules> rules_of(const Chip& chip) {
  std::vector<Dispatch::StageRules> rules;
  for (const Chip::Stage& stage : chip.stages)
    rules.push_back({stage.serial, false, stage.has_cpu});
  return rules;
}

}  // namespace

Simulation::Simulation(const Chip& chip, unsigned seed)
    : chip_(chip),
      stages_(static_cast<int>(chip.stages.size())),
      random_(seed),
      // Of mean 1.
      noise_(-chip.noise * chip.noise / 2, chip.noise),
      bursts_random_(seed),
      energy_(chip.meter_resolution_s, chip.meter_pause_s, now_s_),
      dispatch_(rules_of(chip), chip.cores, true),
      items_(Dispatch::kMaxWindow),
      intervals_(chip.intervals, chip.repeat),
      workers_(chip.cores + 1) {
  device_runs_left_.fill(-1);
  dispatch_.set_window(chip.window);
  dispatch_.set_period(intervals_.period());
  in_burst_ = chip.bursts.every_s > 0;  // a pause comes first
  burst_changes_s_ = now_s_;
  begin_or_end_bursts();
  configure(dispatch_.configuration());
}

void Simulation::configure(const Configuration& configuration, bool time_stages, bool spaced) {
  Devices devices{chip_.device_capable(), chip_.all_devices()};
  for (int d = 0; d < devices.count; ++d) {
    devices.kind[d] = static_cast<uint8_t>(chip_.kind_of(d));
    devices.capable[devices.kind[d]] = chip_.device_capable();
  }
  dispatch_.configure(configuration, devices, time_stages, ~0u, spaced);
}

bool Simulation::medium() const {
  return dispatch_.configuration().granularity == Granularity::medium;
}

Simulation::Frame Simulation::next() {
  for (;;) {
    if (dispatch_.can_take() && now_s_ >= sink_free_s_) {
      const Item* item = dispatch_.take();
      sink_free_s_ = now_s_ + chip_.sink_s;
      if (chip_.sink_s > 0) {
        events_.push({sink_free_s_, order_++, kSink});
      } else {
        dispatch_.release(to_ns(now_s_));
      }
      return {item->sequence, item->device_stages, item->times, item->status.ok()};
    }
    begin();
    if (!dispatch_.can_take() || now_s_ < sink_free_s_) step();  // else frames have passed at once
  }
}

void Simulation::let_in() {
  while (dispatch_.has_space()) {
    Item& item = items_[next_item_++ % items_.size()];
    item.repeat = chip_.repeat;
    item.left_out = intervals_.next();
    dispatch_.let_in(&item, 0, to_ns(now_s_));
  }
  dispatch_.source_waits();
}

void Simulation::begin() {
  // Those that are not in use any more get nothing, and leave what they collected to the others.
  for (int d = static_cast<int>(workers_.size()) - 1; d >= 0; --d)
    if (d >= dispatch_.workers() && workers_[d].where == Where::nowhere)
      dispatch_.work_for(d, to_ns(now_s_), workers_[d].idle);
  for (int d = 0; d < dispatch_.workers(); ++d) {
    Worker& worker = workers_[d];
    while (worker.where == Where::nowhere) {
      let_in();
      const Dispatch::Work work = dispatch_.work_for(d, to_ns(now_s_), worker.idle);
      if (!work.entry) break;
      take_up(worker, work);
    }
  }
}

void Simulation::take_up(Worker& worker, const Dispatch::Work& work) {
  worker.entry = work.entry;
  if (!work.collects) return go_on(worker);
  worker.action = work.entry->sent;
  const double done_s = done_s_[work.entry->lane];
  compute(worker, Where::collects, std::max(0.0, done_s - now_s_));
}

void Simulation::step() {
  const Event event = events_.top();
  events_.pop();
  pass_time(event.at_s);
  if (event.worker == kSink) return dispatch_.release(to_ns(now_s_));
  Worker& worker = workers_[event.worker];
  if (worker.where == Where::split) {
    --(event.device ? on_device_ : on_cores_);
    if (--worker.sides > 0) return;
  }
  if (!is_over(worker)) return compute_position(worker);
  const bool handed_on =
      worker.where == Where::collects && dispatch_.hand_on(*worker.entry, to_ns(now_s_));
  worker.where = Where::nowhere;
  retry();
  if (!handed_on) go_on(worker);
  begin();  // who had the cores is back before another has woken up
  retry();
}

// What the worker computed is done. True when that was the last position of its action.
bool Simulation::is_over(Worker& worker) {
  Dispatch::Entry& entry = *worker.entry;
  Item& item = *entry.item;
  Status status;
  if (worker.where == Where::split) {
    for (int p = 0; p < worker.computed; ++p)
      item.times.stage_ns[entry.path.stage(worker.position + p)] +=
          to_ns(worker.took_s / worker.computed);
    worker.position += worker.computed;
    if (worker.position < worker.action.last) return false;
    dispatch_.leave_device(entry, to_ns(now_s_));
  } else if (worker.where == Where::cores) {
    --on_cores_;
    const int stage = entry.path.stage(worker.position);
    item.times.stage_ns[stage] += to_ns(worker.took_s);
    if (!chip_.stages[stage].has_cpu) {
      status = Status::failed("no device is left");
    } else if (++worker.position < worker.action.last) {
      return false;
    }
  } else {
    --on_device_;
    const auto [kind, first, last, device_kind] = worker.action;
    const uint64_t share_ns =
        dispatch_.leave_device(entry, to_ns(now_s_)) / static_cast<uint64_t>(last - first);
    for (int p = first; p < last; ++p) {
      item.device_stages |= 1u << entry.path.stage(p);
      if (worker.where == Where::collects) item.times.stage_ns[entry.path.stage(p)] += share_ns;
    }
    status = device_status(entry.device);
  }
  dispatch_.did(entry, worker.action, status);
  return true;
}

Status Simulation::device_status(int device) {
  ++device_runs_[device];
  int& left = device_runs_left_[device];
  if (left < 0) return {};
  if (left == 0) return Status::device_failed("as the test wants");
  --left;
  return {};
}

void Simulation::retry() {
  for (Worker& worker : workers_)
    if (worker.where == Where::waits) go_on(worker);
}

void Simulation::go_on(Worker& worker) {
  worker.where = Where::nowhere;
  worker.action = dispatch_.next(*worker.entry);
  switch (worker.action.kind) {
    case Kind::finish:
      worker.entry->item->times.end_ns = to_ns(now_s_);
      return dispatch_.finish(*worker.entry);
    case Kind::park:
      dispatch_.park(*worker.entry, to_ns(now_s_));
      return;
    case Kind::wait:
      worker.where = Where::waits;
      return;
    case Kind::device:
      ++on_device_;
      if (!worker.entry->item->times.stages_apart) return send(worker);
      return compute(worker, Where::device_apart, device_stages_apart_s(worker));
    case Kind::cpu:
    case Kind::split:
      worker.position = worker.action.first;
      return compute_position(worker);
  }
}

void Simulation::compute(Worker& worker, Where where, double seconds) {
  worker.where = where;
  worker.took_s = seconds;
  events_.push({now_s_ + seconds, order_++, static_cast<int>(&worker - workers_.data())});
}

// A run brings its inputs along, and its outputs go to the host when a stage on the CPU follows.
void Simulation::send(Worker& worker) {
  const StagePath& path = worker.entry->path;
  const auto [kind, first, last, device_kind] = worker.action;
  double compute_s = 0;
  for (int p = first; p < last; ++p)
    compute_s += drawn_s(chip_.device_s(device_kind, path.stage(p)));
  compute_s *= chip_.device_slowdown(medium() && on_cores_ > 0 ? chip_.cores : on_cores_);
  const double crowded = chip_.lanes_slowdown(on_cores_, configuration().lanes);
  const double transfers = crowded * chip_.transfers(device_kind);
  compute_s *= crowded;
  double upload_s = transfers * drawn_s(chip_.stages[path.stage(first)].upload_s);
  if (const FrameTimes& times = worker.entry->item->times; chip_.prefetches && !times.spaced)
    upload_s =
        std::max(0.0, upload_s - 1e-9 * static_cast<double>(times.begin_ns - times.let_in_ns));
  const double download_s =
      last < path.length() ? transfers * drawn_s(chip_.stages[path.stage(last - 1)].download_s) : 0;
  const double launched_s =
      now_s_ + (chip_.launch_s > 0 ? drawn_s((last - first) * chip_.launch_s) : 0);
  Stations& at = stations_[worker.entry->device];
  at.upload_free_s = std::max(launched_s, at.upload_free_s) + upload_s;
  at.compute_free_s = std::max(at.upload_free_s, at.compute_free_s) + compute_s;
  at.download_free_s = std::max(at.compute_free_s, at.download_free_s) + download_s;
  done_s_[worker.entry->lane] = at.download_free_s;
  dispatch_.sent(*worker.entry, worker.action, to_ns(now_s_));
}

// As DeviceExecution::compute_apart: each stage, and its outputs there and back.
double Simulation::device_stages_apart_s(Worker& worker) {
  const StagePath& path = worker.entry->path;
  FrameTimes& times = worker.entry->item->times;
  const auto [kind, first, last, device_kind] = worker.action;
  const double transfers = chip_.transfers(device_kind);
  double sum_s = 0;
  for (int p = first; p < last; ++p) {
    const int k = path.stage(p);
    const Chip::Stage& stage = chip_.stages[k];
    const double upload_s = p == first ? transfers * drawn_s(stage.upload_s) : 0;
    const double stage_s = drawn_s(chip_.device_s(device_kind, k)) + chip_.launch_s + upload_s;
    const double download_s = transfers * drawn_s(stage.download_s);
    times.stage_ns[k] += to_ns(stage_s);
    times.download_ns[k] += to_ns(download_s);
    sum_s += stage_s + download_s;
    if (p + 1 == last && last < path.length()) continue;
    if (k + 1 == stages_) continue;
    const double again_s = transfers * drawn_s(chip_.stages[k + 1].upload_s);
    times.upload_ns[k] += to_ns(again_s);
    sum_s += again_s;
  }
  return sum_s;
}

// Both sides begin a run of split stages together, and wait for each other at its end.
void Simulation::compute_split(Worker& worker) {
  const StagePath& path = worker.entry->path;
  const Mapping& mapping = worker.entry->mapping;
  FrameTimes& times = worker.entry->item->times;
  const double share = times.configuration.cpu_share / 100.0;
  double cores_s = chip_.split_cores_s, device_s = chip_.split_device_s;
  const int first = worker.position;
  int last = first;
  for (; last < worker.action.last && mapping.split(path.stage(last)); ++last) {
    const Chip::Stage& stage = chip_.stages[path.stage(last)];
    cores_s += share * drawn_s(chip_.medium_stage_s(stage, times.configuration.frames_at_once));
    device_s += (1 - share) * drawn_s(stage.device_s);
  }
  device_s += (1 - share) * drawn_s(chip_.stages[path.stage(first)].upload_s);
  if (last < path.length())
    device_s += (1 - share) * drawn_s(chip_.stages[path.stage(last - 1)].download_s);
  device_s *= chip_.device_slowdown(chip_.cores);
  cores_s += chip_.split_waking_s * std::min(1.0, share / Chip::kAllAwake);
  cores_s /= share_of_cores();
  const double contention_s = chip_.split_contention * std::min(cores_s, device_s);
  cores_s += contention_s;
  device_s += contention_s;
  Stations& device = stations_[0];
  device.compute_free_s = std::max(now_s_, device.compute_free_s) + device_s;
  device_s = device.compute_free_s - now_s_;
  times.split_cores_ns += to_ns(cores_s);
  times.split_device_ns += to_ns(device_s);
  worker.where = Where::split;
  worker.sides = 2;
  worker.computed = last - first;
  worker.took_s = std::max(cores_s, device_s);
  ++on_cores_;
  ++on_device_;
  const int index = static_cast<int>(&worker - workers_.data());
  const bool device_is_last = device_s > cores_s;
  (device_is_last ? device_s : cores_s) += chip_.split_joins_s;
  events_.push({now_s_ + cores_s, order_++, index});
  events_.push({now_s_ + device_s, order_++, index, true});
}

void Simulation::compute_position(Worker& worker) {
  const int k = worker.entry->path.stage(worker.position);
  if (worker.entry->mapping.split(k)) return compute_split(worker);
  const Chip::Stage& stage = chip_.stages[k];
  ++on_cores_;
  const double mean_s = medium() ? chip_.medium_stage_s(stage, configuration().frames_at_once)
                                 : stage.core_s * chip_.slowdown[on_cores_ - 1];
  compute(worker, Where::cores, drawn_s(mean_s) / share_of_cores());
}

// Of a core, for each thread that computes; the slowest thread decides how long all take together.
double Simulation::share_of_cores() const {
  const int others = others_ + (in_burst_ ? chip_.bursts.threads : 0) +
                     (on_device_ > 0 ? chip_.device_threads : 0);
  if (others == 0) return 1;  // the chip says how its own threads slow each other down
  const int threads = (medium() ? chip_.cores : on_cores_) + others;
  return std::min(1.0, static_cast<double>(chip_.cores) / threads);
}

void Simulation::pass_time(double until_s) {
  const int frames = configuration().frames_at_once;
  const double medium_cores = on_cores_ * (chip_.cores / frames);
  energy_.pass(until_s, power_w(chip_, {.on_cores = medium() ? 0 : on_cores_,
                                        .medium = medium() ? medium_cores / chip_.cores : 0,
                                        .on_device = on_device_}));
  const double busy =
      (medium() ? medium_cores : on_cores_) + (on_device_ > 0 ? chip_.device_threads : 0);
  cpu_s_ += std::min<double>(busy, chip_.cores) * (until_s - now_s_);
  if (chip_.drift > 0) drift(until_s - now_s_);
  now_s_ = until_s;
  begin_or_end_bursts();
}

void Simulation::begin_or_end_bursts() {
  const Chip::Bursts& bursts = chip_.bursts;
  while (bursts.every_s > 0 && now_s_ >= burst_changes_s_) {
    in_burst_ = !in_burst_;
    burst_changes_s_ +=
        in_burst_ ? bursts.lasts_s
                  : std::exponential_distribution<double>(1 / bursts.every_s)(bursts_random_);
  }
}

// An Ornstein-Uhlenbeck process: it forgets where it was, and keeps its spread.
void Simulation::drift(double lasted_s) {
  const double kept = std::exp(-lasted_s / chip_.drift_lasts_s);
  std::normal_distribution<double> normal(0, chip_.drift * std::sqrt(1 - kept * kept));
  drifted_ = kept * drifted_ + normal(random_);
  slower_ = std::exp(drifted_);
}

}  // namespace tandem::test
