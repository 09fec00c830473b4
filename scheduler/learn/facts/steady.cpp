// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/facts/steady.h"

#include "scheduler/machine/clock.h"

namespace tandem {
void Steady::begin_anew() {
  frames_ = 0;
  latency_.clear();
  waiting_.clear();
}

void Steady::frame_done(const FrameTimes& times, const ReadProbe& read_probe) {
  if (++frames_ == kFirstFrames) {
    begin_ = read_probe();
    since_ns_ = times.begin_ns;
  }
  last_begin_ns_ = times.begin_ns;
  if (frames_ <= kFirstFrames || times.begin_ns < others_ready_ns_) return;
  latency_.add(times.latency_ns());
  waiting_.add(times.waited_to_begin_ns());
}

Measured Steady::measured(const Domains& domains, const ReadProbe& read_probe) const {
  const int frames = frames_ - kFirstFrames;
  if (frames <= 0 || last_begin_ns_ <= since_ns_) return {};
  Measured measured{frames / seconds(last_begin_ns_ - since_ns_)};
  measured.latency_p50_s = latency_.percentile_s(50);
  measured.latency_p95_s = latency_.percentile_s(95);
  measured.waiting_p95_s = waiting_.percentile_s(95);
  const Probe end = read_probe();
  if (!begin_.energy || !end.energy) return measured;
  // By power: a counter's last value is older than the last frame.
  const EnergyDomains watts = power_between_w(*begin_.energy, *end.energy);
  const auto covered = [](Domain domain) { return domain != Domain::absent; };
  const auto all = total(watts, {covered(domains.c), covered(domains.g), covered(domains.u)});
  if (all) measured.energy_j = *all / measured.throughput_fps;
  return measured;
}

}  // namespace tandem
