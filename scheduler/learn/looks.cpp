// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/looks.h"

#include <cmath>
#include <map>
#include <numeric>
#include <string>

namespace tandem {
namespace {

// What is expected before there are looks, and how many of them that counts as.
constexpr double kSpread = 0.02, kSpreadLooks = 4;

}  // namespace

double spread_of_looks(std::span<const Observation> observations) {
  std::map<std::string, std::vector<double>> rates;
  for (const Observation& seen : observations)
    if (seen.kind == Observation::Kind::look)
      rates[to_string(seen.configuration)].push_back(1 / seen.frame_s);
  double sum = kSpreadLooks * kSpread * kSpread, looks = kSpreadLooks;
  for (const auto& [configuration, fps] : rates) {
    const double mean =
        std::accumulate(fps.begin(), fps.end(), 0.0) / static_cast<double>(fps.size());
    for (const double rate : fps) sum += std::pow(rate / mean - 1, 2);
    looks += static_cast<double>(fps.size()) - 1;
  }
  return std::sqrt(sum / looks);
}

}  // namespace tandem
