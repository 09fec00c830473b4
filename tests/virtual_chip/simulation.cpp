// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/simulation.h"

#include <algorithm>

namespace tandem::test {
namespace {

uint64_t to_ns(double seconds) { return static_cast<uint64_t>(1e9 * seconds); }

}  // namespace

Simulation::Simulation(const Chip& chip, unsigned seed)
    : chip_(chip),
      stages_(static_cast<int>(chip.stages.size())),
      random_(seed),
      // Of mean 1.
      noise_(-chip.noise * chip.noise / 2, chip.noise),
      energy_(chip.meter_resolution_s, now_s_),
      drivers_(chip.cores + 1) {
  current_ = pending_ = {{0, stages_}, Granularity::coarse, chip.cores};
}

void Simulation::configure(const Configuration& configuration, bool time_stages) {
  pending_ = configuration;
  pending_time_stages_ = time_stages;
}

int Simulation::drivers() const {
  if (!medium()) return current_.threads;
  return current_.mapping.any_device() ? 2 : 1;
}

Simulation::Frame Simulation::next() {
  for (;;) {
    const auto oldest = finished_.find(next_leave_);
    if (oldest != finished_.end()) {
      const Frame frame = oldest->second;
      finished_.erase(oldest);
      ++next_leave_;
      return frame;
    }
    begin_frames();
    step();
  }
}

void Simulation::begin_frames() {
  if (!(pending_ == current_) || pending_time_stages_ != time_stages_) {
    if (running_ > 0) return;
    current_ = pending_;
    time_stages_ = pending_time_stages_;
  }
  for (int d = 0; d < drivers(); ++d) {
    if (next_begin_ - next_leave_ == static_cast<uint64_t>(chip_.window)) return;
    Driver& driver = drivers_[d];
    if (driver.where != Where::nowhere) continue;
    driver.frame = {};
    driver.frame.sequence = next_begin_++;
    driver.frame.times.configuration = current_;
    driver.frame.times.stages_apart = time_stages_;
    driver.frame.times.begin_ns = to_ns(now_s_);
    driver.stage = driver.cpu_until = 0;
    ++running_;
    go_on(d);
  }
}

void Simulation::step() {
  const Event event = events_.top();
  events_.pop();
  pass_time(event.at_s);
  Driver& driver = drivers_[event.driver];
  leave_stage(driver);
  pass_device_on();
  if (driver.stage < stages_) {
    go_on(event.driver);
  } else {
    end_frame(driver);
    begin_frames();  // who had the cores is back before another has woken up
  }
  pass_cores_on();
}

void Simulation::go_on(int d) {
  Driver& driver = drivers_[d];
  const Mapping& mapping = driver.frame.times.configuration.mapping;
  if (driver.stage >= driver.cpu_until) {
    driver.last = driver.stage + 1;
    if (mapping.on_device(driver.stage)) {
      while (driver.last < stages_ && mapping.on_device(driver.last)) ++driver.last;
      if (!device_busy_) return take_device(driver);
      if (!cpu_fallback_) {
        driver.where = Where::waits_for_device;
        return;
      }
    }
    driver.cpu_until = driver.last;
  }
  driver.last = driver.stage + 1;
  take_cores(driver);
}

void Simulation::compute(Driver& driver, Where where, double seconds) {
  driver.where = where;
  driver.took_s = seconds;
  events_.push({now_s_ + seconds, order_++, static_cast<int>(&driver - drivers_.data())});
}

void Simulation::take_device(Driver& driver) {
  device_busy_ = true;
  compute(driver, Where::device, device_run_s(driver.frame, driver.stage, driver.last));
}

// As Executor::run_on_device and time_on_device: a run brings its inputs along, and its outputs go
// to the host when a stage on the CPU follows.
double Simulation::device_run_s(Frame& frame, int first, int last) {
  Item::Times& times = frame.times;
  double sum_s = 0;
  for (int k = first; k < last; ++k) {
    const Chip::Stage& stage = chip_.stages[k];
    double stage_s = drawn_s(stage.device_s);
    if (k == first) stage_s += drawn_s(stage.upload_s);
    times.stage_ns[k] = to_ns(stage_s);
    sum_s += stage_s;
    const bool to_host = k + 1 == last && last < stages_;
    if (time_stages_ || to_host) {
      const double download_s = drawn_s(stage.download_s);
      times.download_ns[k] = to_ns(download_s);
      sum_s += download_s;
    }
    if (time_stages_ && k + 1 < stages_ && !to_host) {
      const double upload_s = drawn_s(chip_.stages[k + 1].upload_s);
      times.upload_ns[k] = to_ns(upload_s);
      sum_s += upload_s;
    }
    frame.device_stages |= 1u << k;
  }
  return sum_s;
}

void Simulation::take_cores(Driver& driver) {
  const Chip::Stage& stage = chip_.stages[driver.stage];
  if (!medium()) {
    ++on_cores_;
    compute(driver, Where::cores, drawn_s(stage.core_s * chip_.slowdown[on_cores_ - 1]));
  } else if (on_cores_ == 0) {
    on_cores_ = 1;
    compute(driver, Where::cores, drawn_s(stage.medium_s));
  } else {
    driver.where = Where::waits_for_cores;
  }
}

void Simulation::pass_cores_on() {
  if (!medium() || on_cores_ > 0) return;
  for (Driver& driver : drivers_) {
    if (driver.where == Where::waits_for_cores) return take_cores(driver);
  }
}

void Simulation::pass_device_on() {
  for (Driver& driver : drivers_) {
    if (!device_busy_ && driver.where == Where::waits_for_device) take_device(driver);
  }
}

void Simulation::leave_stage(Driver& driver) {
  if (driver.where == Where::device) {
    device_busy_ = false;
    if (!time_stages_) {
      const auto stage_ns = &driver.frame.times.stage_ns;
      std::fill(&(*stage_ns)[driver.stage], &(*stage_ns)[driver.last],
                to_ns(driver.took_s / (driver.last - driver.stage)));
    }
  } else {
    --on_cores_;
    driver.frame.times.stage_ns[driver.stage] = to_ns(driver.took_s);
  }
  driver.stage = driver.last;
}

void Simulation::end_frame(Driver& driver) {
  driver.frame.times.end_ns = to_ns(now_s_);
  driver.where = Where::nowhere;
  --running_;
  finished_.emplace(driver.frame.sequence, driver.frame);
}

void Simulation::pass_time(double until_s) {
  energy_.pass(until_s, power_w(chip_, {.on_cores = medium() ? 0 : on_cores_,
                                        .medium = medium() && on_cores_ > 0,
                                        .device = device_busy_}));
  now_s_ = until_s;
}

}  // namespace tandem::test
