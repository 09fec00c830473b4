// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "model/objective.h"
#include "scheduler/learn/facts/spent.h"
#include "scheduler/learn/facts/steady.h"

namespace tandem {

/// Why the controller did something.
enum class Reason {
  caps,           ///< frames of a kind that nothing was known of
  remembered,     ///< frames of a kind that was learnt before
  derived,        ///< frames of a size that nothing was known of, but of other sizes
  drift,          ///< frames took longer or shorter than they used to
  asked,          ///< `retrain`
  objective,      ///< another objective
  rules,          ///< other rules
  device_failed,  ///< the device cannot be used any more
  not_allowed,    ///< training is due, but would cost more than max_overhead: goes on as it is
  too_short,      ///< the stream ended before training did: nothing was chosen
  waits,          ///< training is due, but another bin of the process trains: goes on as it is
  balanced,       ///< one side of split frames took longer than the other: the share has moved
  neighbours,     ///< other bins of the process began, ended, or got faster or slower sources
};
const char* to_string(Reason reason);

/// A trial, look or rest of a training.
struct Tried {
  Configuration configuration;
  double fps = kUnknown;  ///< measured
  std::string why;        ///< explain() of its plan
};

/// One decision, as the bin tells it.
struct Decision {
  Reason reason = Reason::caps;
  Configuration before, after;
  Prediction predicted;      ///< of `after`; unknown when nothing is known
  Measured measured;         ///< of `before`, since it was decided
  int experiments = 0;       ///< of the training that led to it; 0: none was made
  int trials = 0;            ///< that followed them
  std::vector<Tried> tried;  ///< these, in their order
  int training_frames = 0;
  double training_s = 0;
  double penalty_s = 0;  ///< delta t of equation 1
  Spent spent;           ///< where the time of the training went
  Choice choice;         ///< the ranking; count 0 when nothing is known
};

}  // namespace tandem
