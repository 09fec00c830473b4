// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains with a stage that the CPU cannot compute: every frame goes through the device.
#include <algorithm>
#include <cmath>

#include "model/predict/predict.h"

namespace tandem {

// A closed network: as many frames as there are threads, and one for each further lane, pass the
// device and the cores in turn. The rate is limited by the slower of both, or by the number of
// frames divided by the time of one.
Model::Cycle Model::without_cpu_path(const Configuration& configuration,
                                     const MappingCosts& costs) const {
  const bool coarse = configuration.granularity == Granularity::coarse;
  const int threads = coarse ? configuration.threads : 1;
  const double device_s = costs.device.seconds;
  const double c_s = coarse ? costs.cg_s : costs.mg_s;  // of a frame, alone
  // A thread's time for a frame grows as it does where all compute whole frames.
  const double cores_s = threads == 1 || c_s == 0 ? c_s : c_s * cg_[threads].crowding;
  const double frames = threads + on_device(costs) - (coarse ? 1 : 0);
  const double latency_s = on_device(costs) * device_s + c_s;
  if (!known(latency_s + cores_s)) return {cg_[0], cg_[0], device_s, kUnknown, 1};
  const double interval_s = std::max({device_s, cores_s, latency_s / frames});
  const int busy = c_s > 0 ? std::clamp<int>(std::lround(c_s / interval_s), 1, threads) : 0;
  const Cpu& cores = coarse ? cg_[busy] : c_s > 0 ? mg_ : cg_[0];
  Cycle cycle{cores, cores, device_s, interval_s - device_s, 1};
  cycle.device_latency_s = latency_s;
  return cycle;
}

}  // namespace tandem
