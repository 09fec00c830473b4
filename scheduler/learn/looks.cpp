// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/looks.h"

#include <cmath>
#include <map>
#include <string>

namespace tandem {
namespace {

constexpr int kLookFrames = 200;
constexpr double kLook_s = 0.5;
constexpr double kDrifts_s = 0.25;  // rates are others after such a time
// The spread that is expected before there are looks, and the pairs of looks that it counts as.
constexpr double kSpread = 0.02, kSpreadPairs = 2;

}  // namespace

double weight_of(const Observation& seen) {
  const double counted_s = seen.frames * seen.frame_s;
  return 2 * counted_s / (counted_s + kDrifts_s);
}

bool tells_at_length(const Observation& seen) {
  return seen.kind == Observation::Kind::look ||
         (is_trial(seen.kind) && seen.frames * seen.frame_s >= kLook_s);
}

bool tells_as_a_look(const Observation& seen) {
  return tells_at_length(seen) || seen.frames >= kLookFrames;
}

double spread_of_looks(std::span<const Observation> observations) {
  std::map<std::string, double> before;
  double sum = kSpreadPairs * kSpread * kSpread, pairs = kSpreadPairs;
  for (const Observation& seen : observations) {
    if (!is_trial(seen.kind) || !tells_as_a_look(seen)) continue;
    const double rate = std::log(1 / seen.frame_s);
    const auto [last, first] = before.try_emplace(to_string(seen.configuration), rate);
    if (first) continue;
    sum += std::pow(rate - last->second, 2) / 2;
    pairs += 1;
    last->second = rate;
  }
  return std::sqrt(sum / pairs);
}

}  // namespace tandem
