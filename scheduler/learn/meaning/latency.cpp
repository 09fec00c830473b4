// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

double latency_s(const Measurements& m, const Configuration& configuration) {
  const bool medium = configuration.granularity == Granularity::medium;
  double on_cores_s = 0, beside_device_s = 0;
  for (int k = 0; k < static_cast<int>(m.stages.size()); ++k) {
    const StageMeasurements& stage = m.stages[k];
    const double cpu_s = medium ? stage.mg.seconds : stage.cg.seconds;
    on_cores_s += 2 * configuration.frames_at_once * stage.mg.seconds;  // two threads take turns
    const int letter = static_cast<int>(configuration.mapping.side(k)) - static_cast<int>(Side::g);
    const double device_s =
        letter > 0 && letter <= std::ssize(m.further)
            ? m.further[letter - 1].devices * m.further[letter - 1].stages[k].seconds
            : stage.device.seconds;
    beside_device_s += configuration.mapping.on_device(k) ? configuration.lanes * device_s : cpu_s;
  }
  if (!medium) on_cores_s = configuration.threads * m.cg[configuration.threads - 1].seconds;
  return std::max(on_cores_s, beside_device_s);
}

Plan as_in_service(Plan plan, const Chain& chain, const Objective& objective) {
  using Kind = Observation::Kind;
  plan.spaced =
      least_latency(objective) && plan.kind != Kind::stages && plan.kind != Kind::beside &&
      one_frame_at_a_time(plan.configuration, devices_of(chain, plan.configuration.mapping));
  return plan;
}

}  // namespace tandem
