// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/trial_run.h"

#include <algorithm>
#include <utility>

#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// Latencies of the slowest path, and frames, that a trial lasts.
constexpr double kLeastLatencies = 4;
constexpr int kLeastFrames = 3;
// At least so long; then so many frames are enough, and so many seconds.
struct Enough {
  double least_seconds;
  int frames;
  double seconds;
};
constexpr Enough kGlance{0.1, 50, 0.5}, kLook{0.25, 200, 0.5};

const Enough& enough_for(TrialRun::Length length) {
  return length == TrialRun::Length::glance ? kGlance : kLook;
}

}  // namespace

Measured measured_between(const Probe& begin, const Probe& end, const Domains& domains,
                          double throughput_fps) {
  Measured measured{throughput_fps};
  if (!begin.energy || !end.energy) return measured;
  // By power: a counter's last value is older than the last frame.
  const EnergyDomains watts = power_between_w(*begin.energy, *end.energy);
  const auto covered = [](Domain domain) { return domain != Domain::absent; };
  const auto all = total(watts, {covered(domains.c), covered(domains.g), covered(domains.u)});
  if (all) measured.energy_j = *all / throughput_fps;
  return measured;
}

TrialRun::TrialRun(const Configuration& configuration, Length length, double latency_s,
                   double least_seconds, ReadProbe read_probe)
    : configuration_(configuration),
      length_(length),
      fill_s_(latency_s),
      least_seconds_(
          std::max({enough_for(length).least_seconds, kLeastLatencies * latency_s, least_seconds})),
      read_probe_(std::move(read_probe)) {}

bool TrialRun::observe(const FrameTimes& times) {
  if (!(times.configuration == configuration_)) return false;
  if (seen_++ == 0) first_ns_ = times.begin_ns;
  last_ns_ = times.begin_ns;
  if (start_ns_ == 0) {
    if (seen_ <= configuration_.threads || seconds(last_ns_ - first_ns_) < fill_s_) return false;
    start_ns_ = last_ns_;
    begin_ = read_probe_();
    return false;
  }
  ++counted_;
  if (begin_.energy && !counts_joules_)
    counts_joules_ = count_from_new_value(begin_, read_probe_());
  const double lasted_s = seconds(last_ns_ - start_ns_);
  if (counted_ < kLeastFrames || lasted_s < least_seconds_) return false;
  const Enough& enough = enough_for(length_);
  if (counted_ < enough.frames && lasted_s < enough.seconds) return false;
  end_ = read_probe_();
  if (!counts_joules_) end_.energy.reset();
  return true;
}

Measured TrialRun::measured(const Domains& domains) const {
  return measured_between(begin_, end_, domains, counted_ / seconds(last_ns_ - start_ns_));
}

double TrialRun::lasted_s() const { return seconds(last_ns_ - first_ns_); }

}  // namespace tandem
