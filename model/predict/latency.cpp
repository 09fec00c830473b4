// SPDX-License-Identifier: LGPL-2.1-or-later
// How long 95 of 100 frames take at most.
#include <algorithm>

#include "model/predict/predict.h"

namespace tandem {
namespace {

// The share of frames that may take longer.
constexpr double kBeyond = 0.05;

}  // namespace

// Frames leave in order: one on the faster path waits for those on the slower path that were begun
// before it. The youngest of these is done last. While it has t left, all that begin wait for t. So
// slow frames keep the others waiting for t or longer in (slow_s - t) of the time from one of them
// to the next. This counts where slow frames are too few to decide by themselves.
double Model::latency_s(const Cycle& cycle) {
  const double device_s = cycle.device_latency_s + cycle.waits_s, cpu_s = cycle.cpu_latency_s;
  const double cpu_frames = cycle.frames - 1;
  if (!(cpu_frames > kFewFrames)) return device_s + (cpu_frames - cpu_frames);  // unknown stays so
  const bool cpu_slower = cpu_s > device_s;
  const double slow_frames = cpu_slower ? cpu_frames : 1;
  const double slow_s = cpu_slower ? cpu_s : device_s, fast_s = cpu_slower ? device_s : cpu_s;
  const double share = slow_frames / cycle.frames;
  if (share >= kBeyond) return slow_s;
  const double waiting = (kBeyond - share) / (1 - share);
  const double apart_s = (cycle.device_s + cycle.idle_s) / slow_frames;
  return std::max(fast_s, slow_s - waiting * apart_s);
}

// A frame that comes back from the lanes waits for a thread. One thread serves S frames in turn.
// With several threads, the one that collects goes on until twice as many frames as threads wait.
// They wait where the cores cannot keep up with the 'c' stages.
double Model::waits_behind_lanes_s(const MappingCosts& costs, const Cycle& cycle, int threads,
                                   double idle_s) const {
  const double cycle_s = cycle.device_s + cycle.idle_s;
  if (threads == 1)
    return std::max(0.0,
                    on_device(costs) * cycle_s - on_device(costs) * cycle.device_s - costs.cg_s);
  const bool behind = cycle.idle_s > std::max(0.0, idle_s - (costs.lanes - 1) * cycle.device_s);
  if (!behind) return 0;
  return (2 * threads + 1) * cycle_s / cycle.frames;
}

// As far as it was measured; otherwise as with the nearest number of threads below, or above.
void Model::spread_latencies() {
  const auto measured = [&](int n) {
    const auto i = static_cast<std::size_t>(n) - 1;
    return i < m_.cg_spread.size() ? m_.cg_spread[i] : kUnknown;
  };
  double spread = 1;
  for (int n = m_.cores + 1; n >= 1; --n)
    if (known(measured(n))) spread = measured(n);
  for (int n = 1; n <= m_.cores + 1; ++n) {
    if (known(measured(n))) spread = measured(n);
    cg_[n].p95_s = spread * cg_[n].latency_s;
  }
  mg_.p95_s = (known(m_.mg_spread) ? m_.mg_spread : 1) * mg_.latency_s;
}

}  // namespace tandem
