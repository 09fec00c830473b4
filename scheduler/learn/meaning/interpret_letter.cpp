// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/interpret_letter.h"

#include <algorithm>

namespace tandem {

// Each stage has a wait behind it, which is short beside what a second device has to gain.
void take_letter(const Observation& seen, const Chain& chain, Measurements& measurements) {
  const Mapping& mapping = seen.configuration.mapping;
  const std::size_t letter = (mapping.letters() & 2) != 0 ? 0 : 1;
  if (seen.in_vain || letter >= chain.further.size()) return;
  std::vector<LetterMeasurements>& further = measurements.further;
  further.resize(chain.further.size());
  for (LetterMeasurements& each : further)
    each.stages.resize(static_cast<std::size_t>(chain.stages));
  LetterMeasurements& of = further[letter];
  of.devices = chain.further[letter].devices;
  // One that waits for the cores in between computes on them all the same.
  const double least_cores = chain.further[letter].on_cores ? 1 : 0;
  of.device_cores = std::clamp<double>(seen.cpu_s / seen.frame_s, least_cores, chain.cores);
  for (int k = 0; k < chain.stages; ++k) {
    if (!mapping.on_device(k)) continue;
    const Observation::StageTimes& stage = seen.stages[static_cast<std::size_t>(k)];
    LetterMeasurements::Stage& here = of.stages[static_cast<std::size_t>(k)];
    here.works = true;
    here.seconds = stage.seconds / of.devices;
    here.download_s = stage.download_s / of.devices;
    if (k + 1 < chain.stages && known(stage.upload_s))
      of.stages[static_cast<std::size_t>(k) + 1].upload_s = stage.upload_s / of.devices;
  }
}

}  // namespace tandem
