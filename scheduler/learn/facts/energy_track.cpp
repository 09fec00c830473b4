// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/facts/energy_track.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

constexpr uint64_t kBinNs = 10'000'000;
// A step shorter than this tells less than its ends are uncertain: counters that come every
// millisecond are taken less often.
constexpr uint64_t kLeastStepNs = 50'000'000;
// Later bins are left out: no training needs more to tell three numbers.
constexpr std::size_t kMostBins = 6000;
// An error that is larger than this part of what a domain draws with all at work tells nothing.
constexpr double kMostError = 0.25;
// Sum of a kind's parts of steps: with less, they tell less of its trials than the model does.
constexpr double kLeastOwnSteps = 0.5;

uint64_t to_ns(MeterClock::time_point at) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count());
}

double watts_of(const PowerFit& fit, const Busy& busy, std::size_t kind, const Busy& most) {
  return fit.error_w(busy) <= kMostError * fit.watts(most) ? fit.watts(busy, kind) : kUnknown;
}

DrawnAlike kind_of(Configuration configuration, bool stages_apart) {
  configuration.threads = 1;
  return {configuration, stages_apart};
}

std::size_t place_of(const std::vector<DrawnAlike>& kinds, const DrawnAlike& kind) {
  return static_cast<std::size_t>(std::ranges::find(kinds, kind) - kinds.begin());
}

// A training is over before a counter that is slower has told enough for EnergyTrack.
constexpr double kMostRegressed_s = 0.15;

}  // namespace

bool regresses_energy(const Chain& chain, const Objective& objective) {
  return needs_energy(objective) && chain.energy_resolution_s <= kMostRegressed_s;
}

double counter_seconds(const Chain& chain, const Objective& objective) {
  const bool waits = needs_energy(objective) && !regresses_energy(chain, objective);
  return waits ? std::ceil(kCounterSteps + 1) * chain.energy_resolution_s : 0;
}

// Under medium grain each stage has all cores, or a part of them. The device's time for a frame
// counts from when the one before it was done there, so that lanes do not count twice.
Busy busy_of(const FrameTimes& times, uint32_t device_stages, const Chain& chain) {
  const Configuration& configuration = times.configuration;
  const uint32_t split = configuration.mapping.split_stages();
  const bool medium = configuration.granularity == Granularity::medium;
  const double cores =
      medium ? static_cast<double>(chain.cores) / configuration.frames_at_once : 1.0;
  Busy busy{cores * seconds(times.split_cores_ns), {seconds(times.split_device_ns)}};
  for (int k = 0; k < chain.stages; ++k) {
    if ((split >> k & 1) != 0) continue;
    if ((device_stages >> k & 1) == 0) {
      busy.cores_s += cores * seconds(times.stage_ns[k]);
    } else {
      const Side side = configuration.mapping.side(k);
      busy.devices_s[static_cast<int>(side) - static_cast<int>(Side::g)] +=
          seconds(times.stage_ns[k] + times.download_ns[k] + times.upload_ns[k]);
    }
  }
  return busy;
}

Busy at_most_all(Busy busy, double lasted_s, const Chain& chain) {
  busy.cores_s = std::min(chain.cores * lasted_s, busy.cores_s);
  for (int i = 0; i < kMaxLetters; ++i)
    busy.devices_s[i] = std::min(devices_of_letter(chain, i) * lasted_s, busy.devices_s[i]);
  return busy;
}

void EnergyTrack::take(const FrameTimes& times, uint32_t device_stages,
                       const ReadProbe& read_probe) {
  if (first_ns_ == 0) first_ns_ = times.begin_ns;
  begun_ns_ = std::max(begun_ns_, times.begin_ns);
  // Evenly from begin to end: a frame of 60 ms may have ended in another step than it began in.
  const uint64_t begin_ns = std::max(times.begin_ns, first_ns_) - first_ns_;
  const uint64_t end_ns = std::max(times.end_ns, first_ns_ + begin_ns + 1) - first_ns_;
  const Busy busy = busy_of(times, device_stages, chain_);
  ran(times, begin_ns / kBinNs);
  for (uint64_t bin = begin_ns / kBinNs; bin * kBinNs < end_ns && bin < kMostBins; ++bin) {
    if (bin >= bins_.size()) bins_.resize(bin + 1);
    const uint64_t from_ns = std::max(begin_ns, bin * kBinNs);
    const uint64_t until_ns = std::min(end_ns, (bin + 1) * kBinNs);
    const double part =
        static_cast<double>(until_ns - from_ns) / static_cast<double>(end_ns - begin_ns);
    bins_[bin].add(busy, part);
  }
  if (times.end_ns < probed_ns_ + kBinNs || bins_.size() == kMostBins) return;
  probed_ns_ = times.end_ns;
  const Probe probe = read_probe();
  if (!probe.energy) return;
  const EnergyReading& read = *probe.energy;
  add(c_, read.c);
  add(g_, read.g);
  add(u_, read.u);
}

// A time bin in which no frame begins has the kind of the one before.
void EnergyTrack::ran(const FrameTimes& times, std::size_t bin) {
  if (bin >= kMostBins) return;
  const DrawnAlike alike = kind_of(times.configuration, times.stages_apart);
  const std::size_t kind = place_of(kinds_, alike);
  if (kind == kinds_.size()) kinds_.push_back(alike);
  if (bin >= ran_.size()) ran_.resize(bin + 1, ran_.empty() ? kind : ran_.back());
  ran_[bin] = kind;
}

// The part of the bins between the two times for each kind.
std::vector<double> EnergyTrack::parts_of(uint64_t from_ns, uint64_t until_ns) const {
  std::vector<double> parts(kinds_.size());
  const std::size_t first = (from_ns - first_ns_) / kBinNs;
  const std::size_t last = std::min<std::size_t>((until_ns - first_ns_) / kBinNs, ran_.size());
  for (std::size_t bin = first; bin < last; ++bin)
    parts[ran_[bin]] += 1.0 / static_cast<double>(last - first);
  return parts;
}

void EnergyTrack::add(Values& values, const CounterReading& counter) {
  const uint64_t at_ns = to_ns(counter.at);
  if (!counter.since_open_j || at_ns < first_ns_) return;
  if (!values.empty() && at_ns < values.back().at_ns + kLeastStepNs) return;
  values.push_back({at_ns, *counter.since_open_j, counter.breaks});
}

// `sums`: of all bins before each.
Busy EnergyTrack::busy_until(uint64_t ns, const std::vector<Busy>& sums) const {
  const uint64_t since_ns = ns - first_ns_;
  const std::size_t bin = std::min<std::size_t>(since_ns / kBinNs, bins_.size());
  Busy busy = sums[bin];
  if (bin < bins_.size()) {
    busy.add(bins_[bin], static_cast<double>(since_ns - bin * kBinNs) / kBinNs);
  }
  return busy;
}

std::vector<PowerStep> EnergyTrack::steps(const Values& values) const {
  std::vector<Busy> sums(bins_.size() + 1);
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    sums[i + 1] = sums[i];
    sums[i + 1].add(bins_[i]);
  }
  std::vector<PowerStep> made;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const Value &from = values[i - 1], &until = values[i];
    if (until.at_ns > begun_ns_ || from.breaks != until.breaks) continue;
    Busy busy = busy_until(until.at_ns, sums);
    busy.add(busy_until(from.at_ns, sums), -1);
    const double lasted_s = seconds(until.at_ns - from.at_ns);
    made.push_back({lasted_s, until.joules - from.joules, at_most_all(busy, lasted_s, chain_),
                    parts_of(from.at_ns, until.at_ns)});
  }
  return made;
}

PowerFits EnergyTrack::fits() const {
  return {fit_power(steps(c_)), fit_power(steps(g_)), fit_power(steps(u_)), kinds_};
}

std::vector<Observation> with_watts(std::vector<Observation> observations, const PowerFits& fits) {
  Busy most;  // of all that was measured
  for (const Observation& seen : observations) {
    most.cores_s = std::max(most.cores_s, seen.busy.cores_s);
    for (int i = 0; i < kMaxLetters; ++i)
      most.devices_s[i] = std::max(most.devices_s[i], seen.busy.devices_s[i]);
  }
  for (Observation& seen : observations) {
    const bool stages_apart = seen.kind == Observation::Kind::stages;
    const std::size_t kind = place_of(fits.kinds, kind_of(seen.configuration, stages_apart));
    const auto take = [&](double& watts, const PowerFit& fit) {
      if (known(watts)) return;
      const bool told = kind < fit.own.size() && fit.own[kind].steps >= kLeastOwnSteps;
      if (!is_trial(seen.kind) || told) watts = watts_of(fit, seen.busy, kind, most);
      // The model is made of experiments: what has no joules there would take part in no choice.
      if (!is_trial(seen.kind) && !known(watts)) watts = fit.watts(most);
    };
    take(seen.watts.c, fits.c);
    take(seen.watts.g, fits.g);
    take(seen.watts.u, fits.u);
  }
  return observations;
}

}  // namespace tandem
