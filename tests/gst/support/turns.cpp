// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/turns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/median.h"

namespace tandem {
namespace {

constexpr double kLeastRate = 1e-3;  // frames/s, of one that hangs

double log_rate(double fps) { return std::log(std::max(fps, kLeastRate)); }

ByTurns without(ByTurns measured, std::size_t turn) {
  for (std::vector<double>& one : measured)
    one.erase(one.begin() + static_cast<std::ptrdiff_t>(turn));
  return measured;
}

std::size_t fastest(const ByTurns& measured) {
  const std::vector<double> rates = typical_rates(measured);
  return static_cast<std::size_t>(std::ranges::max_element(rates) - rates.begin());
}

}  // namespace

double rate_of_bursts(const std::vector<double>& left_s, std::size_t burst) {
  if (burst == 0 || left_s.size() < 2 * burst) return 0;
  const auto count = static_cast<std::ptrdiff_t>(burst);
  const auto mean = [&](auto begin) { return std::accumulate(begin, begin + count, 0.0) / count; };
  const double first_s = mean(left_s.begin()), last_s = mean(left_s.end() - count);
  return static_cast<double>(left_s.size() - burst) / (last_s - first_s);
}

std::vector<double> typical_rates(const ByTurns& measured) {
  std::vector<double> rounds(measured.empty() ? 0 : measured[0].size());
  for (const std::vector<double>& one : measured)
    for (std::size_t r = 0; r < rounds.size(); ++r)
      rounds[r] += log_rate(one[r]) / static_cast<double>(measured.size());
  for (double& round : rounds) round = std::exp(round);
  std::vector<double> rates;
  for (std::vector<double> one : measured) {
    for (std::size_t r = 0; r < rounds.size(); ++r) one[r] /= rounds[r];
    rates.push_back(median(one) * median(rounds));
  }
  return rates;
}

OfBest of_best(const ByTurns& measured, std::size_t candidate) {
  const std::vector<double>& own = measured[candidate];
  const auto turns = static_cast<double>(own.size());
  std::vector<double> shares;
  for (std::size_t turn = 0; turn < own.size(); ++turn) {
    const std::size_t best = fastest(own.size() > 1 ? without(measured, turn) : measured);
    shares.push_back(log_rate(own[turn]) - log_rate(measured[best][turn]));
  }
  double sum = 0, squares = 0;
  for (const double share : shares) sum += share;
  for (const double share : shares) squares += std::pow(share - sum / turns, 2);
  const double share = std::exp(sum / turns);
  return {share, turns > 1 ? share * std::sqrt(squares / (turns - 1) / turns) : 0};
}

}  // namespace tandem
