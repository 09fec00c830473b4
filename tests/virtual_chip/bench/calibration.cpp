// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/bench/calibration.h"

#include <algorithm>
#include <cmath>

#include "scheduler/learn/belief/belief.h"

namespace tandem::test {

Calibration calibration_of(const Facts& facts) {
  Calibration of;
  Facts before{facts.chain, {}};
  for (const Observation& seen : facts.observations) {
    if (is_trial(seen.kind) && seen.frame_s > 0) {
      const Belief belief(before, interpret(before.observations, before.chain), {}, {});
      const auto option =
          std::ranges::find(belief.options(), seen.configuration, &Option::configuration);
      if (option != belief.options().end() && !option->ran) {
        const double noise =
            belief.noise(seen.frames * seen.frame_s, seen.kind == Observation::Kind::glance);
        const double off =
            -std::log(seen.frame_s * option->fps) / std::sqrt(option->variance + noise);
        ++of.trials;
        of.squares += off * off;
        of.within_1 += std::abs(off) <= 1;
        of.within_2 += std::abs(off) <= 2;
      }
    }
    before.observations.push_back(seen);
  }
  return of;
}

}  // namespace tandem::test
