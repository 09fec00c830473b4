// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/worker_rules.h"

#include <algorithm>

namespace tandem {

WorkerRules::Act WorkerRules::while_running(const Running& running, Time now) const {
  if (now - running.progressed >= stall_limit) return Act::kFail;
  // Three words may be lost or late before the claim is.
  if (now - running.kept >= claim_limit / 4) return Act::kKeep;
  return Act::kNothing;
}

std::chrono::milliseconds WorkerRules::pause_after(int failures) {
  constexpr std::chrono::milliseconds kFirst{1000}, kLongest{30'000};
  if (failures <= 0) return {};
  return std::min(kFirst * (1 << std::min(failures - 1, 5)), kLongest);
}

}  // namespace tandem
