// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/measurements.h"
#include "model/objective.h"
#include "model/trial.h"

namespace tandem {

/// What training found out about frames of one kind.
struct Learnt {
  Measurements measurements;
  double relative_error = 0;  ///< of the worst of the estimates
  bool starved = false;       ///< the source did not keep the threads busy while they were measured
  std::vector<Trial> trials;  ///< of the configurations that looked best
  Candidate chosen;
  Objective objective;  ///< for which, and ...
  Allowed allowed;      ///< ... among which, `chosen` is the best that was found
};

/// All that was learnt, by the kind of frames: size and format, with what else decides how long a
/// frame takes. Outlives the streams that fill it.
using Knowledge = std::map<std::string, Learnt>;

}  // namespace tandem
