// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "model/lane_prior.h"
#include "scheduler/learn/chain.h"
#include "scheduler/learn/observation.h"

namespace tandem {

/// What one training found out, in the order in which it did, and of what. Only ever appended to.
struct Facts {
  Chain chain;
  std::vector<Observation> observations;
  LanePrior prior = {};  ///< what was expected of lanes, which spared some of the observations
};

}  // namespace tandem
