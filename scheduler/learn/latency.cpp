// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "scheduler/learn/interpret.h"

namespace tandem {

double latency_s(const Measurements& m, const Configuration& configuration) {
  const bool medium = configuration.granularity == Granularity::medium;
  double on_cores_s = 0, beside_device_s = 0;
  for (int k = 0; k < static_cast<int>(m.stages.size()); ++k) {
    const StageMeasurements& stage = m.stages[k];
    const double cpu_s = medium ? stage.mg.seconds : stage.cg.seconds;
    on_cores_s += 2 * configuration.frames_at_once * stage.mg.seconds;  // two threads take turns
    beside_device_s +=
        configuration.mapping.on_device(k) ? configuration.lanes * stage.device.seconds : cpu_s;
  }
  if (!medium) on_cores_s = configuration.threads * m.cg[configuration.threads - 1].seconds;
  return std::max(on_cores_s, beside_device_s);
}

}  // namespace tandem
