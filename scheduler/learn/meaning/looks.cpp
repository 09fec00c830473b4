// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/looks.h"

#include <cmath>
#include <vector>

namespace tandem {
namespace {

// Of a look; rates are others after such a time, and it says half as much of them.
constexpr double kLook_s = 0.5;

double weight_of(const Observation& seen) {
  const double counted_s = seen.frames * seen.frame_s;
  return 2 * counted_s / (counted_s + kLook_s);
}

}  // namespace

void add_look(Trial& trial, const Observation& seen, double ended_s) {
  trial.looks.push_back(trial.measured);
  trial.weights.push_back(weight_of(seen));
  trial.ended_s.push_back(ended_s);
  std::vector<double> now = trial.weights;
  for (std::size_t i = 0; i < now.size(); ++i)
    now[i] *= std::exp2((trial.ended_s[i] - ended_s) / kLook_s);
  trial.measured = mean_of_looks(trial.looks, now);
}

bool tells_at_length(const Observation& seen) {
  return seen.kind == Observation::Kind::look || seen.frames * seen.frame_s >= kLook_s;
}

}  // namespace tandem
