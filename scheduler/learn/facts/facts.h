// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "scheduler/learn/facts/chain.h"
#include "scheduler/learn/facts/observation.h"

namespace tandem {

/// What one training found out, in the order in which it did, and of what. Only ever appended to.
struct Facts {
  Chain chain;
  std::vector<Observation> observations;
};

}  // namespace tandem
