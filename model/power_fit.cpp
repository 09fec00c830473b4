// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/power_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace tandem {
namespace {

constexpr int kTerms = PowerFit::kTerms;
using Vector = std::array<double, kTerms>;
using Matrix = std::array<Vector, kTerms>;

// Part of the diagonal that is added to it: terms that the steps cannot tell apart share the watts
// instead of growing without bound.
constexpr double kRidge = 1e-6;
// The ridge of the watts of a kind, in steps: a kind that ran in few steps stays near 0. So many
// rounds converge.
constexpr double kOwnRidge = 0.15;
constexpr int kOwnRounds = 30;

Vector terms_of(double seconds, const Busy& busy) {
  Vector terms{seconds, busy.cores_s};
  std::ranges::copy(busy.devices_s, terms.begin() + 2);
  return terms;
}

// Gauss-Jordan on a symmetric positive definite matrix; rows and columns outside `used` (bit i) are
// those of the identity, and 0 in the result.
Matrix inverse(Matrix a, unsigned used) {
  Matrix result{};
  for (int i = 0; i < kTerms; ++i) {
    result[i][i] = 1;
    for (int j = 0; j < kTerms; ++j)
      if ((used >> i & used >> j & 1) == 0) a[i][j] = i == j ? 1 : 0;
  }
  for (int i = 0; i < kTerms; ++i) {
    const double pivot = a[i][i];
    for (int j = 0; j < kTerms; ++j) {
      a[i][j] /= pivot;
      result[i][j] /= pivot;
    }
    for (int row = 0; row < kTerms; ++row) {
      const double factor = row == i ? 0 : a[row][i];
      for (int j = 0; j < kTerms; ++j) {
        a[row][j] -= factor * a[i][j];
        result[row][j] -= factor * result[i][j];
      }
    }
  }
  for (int i = 0; i < kTerms; ++i)
    if ((used >> i & 1) == 0) result[i] = {};
  return result;
}

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (int i = 0; i < kTerms; ++i) sum += a[i] * b[i];
  return sum;
}

// Sum of squared differences between the joules of steps and those of the fit.
double residuals(std::span<const PowerStep> steps, const Vector& watts) {
  double sum = 0;
  for (const PowerStep& step : steps)
    sum += std::pow(step.joules - product(terms_of(step.seconds, step.busy), watts), 2);
  return sum;
}

// Each kind in turn takes what the others leave of the steps that it ran in.
std::vector<PowerFit::Own> own_of(std::span<const PowerStep> steps, const PowerFit& fit) {
  std::vector<PowerFit::Own> own(steps.empty() ? 0 : steps.back().parts.size());
  std::vector<double> left_w;  // beyond the fit and all of `own`
  for (const PowerStep& step : steps) {
    Busy a_second;
    a_second.add(step.busy, 1 / step.seconds);
    left_w.push_back(step.joules / step.seconds - fit.watts(a_second));
  }
  for (int round = 0; round < kOwnRounds; ++round) {
    for (std::size_t kind = 0; kind < own.size(); ++kind) {
      double sum = 0, squares = kOwnRidge;
      own[kind].steps = 0;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const double part = steps[i].parts[kind];
        sum += part * (left_w[i] + part * own[kind].watts);
        squares += part * part;
        own[kind].steps += part;
      }
      const double more_w = sum / squares - own[kind].watts;
      own[kind].watts += more_w;
      for (std::size_t i = 0; i < steps.size(); ++i) left_w[i] -= steps[i].parts[kind] * more_w;
    }
  }
  return own;
}

}  // namespace

double PowerFit::watts(const Busy& busy, std::size_t kind) const {
  return watts(busy) + (kind < own.size() ? own[kind].watts : 0);
}

double PowerFit::watts(const Busy& busy) const {
  double sum = static_w + core_w * busy.cores_s;
  for (int i = 0; i < kMaxLetters; ++i) sum += device_w[i] * busy.devices_s[i];
  return sum;
}

double PowerFit::error_w(const Busy& busy) const {
  const Vector at = terms_of(1, busy);
  double variance = 0;
  for (int i = 0; i < kTerms; ++i) variance += at[i] * product(covariance[i], at);
  return known(static_w) ? std::sqrt(std::max(0.0, variance)) : kUnknown;
}

PowerFit fit_power(std::span<const PowerStep> steps) {
  PowerFit fit;
  fit.steps = static_cast<int>(steps.size());
  if (fit.steps < kLeastPowerSteps) return fit;
  Matrix squares{};
  Vector joules{};
  for (const PowerStep& step : steps) {
    const Vector terms = terms_of(step.seconds, step.busy);
    for (int i = 0; i < kTerms; ++i) {
      joules[i] += terms[i] * step.joules;
      for (int j = 0; j < kTerms; ++j) squares[i][j] += terms[i] * terms[j];
    }
  }
  unsigned seen = 0;  // terms that were ever above 0
  for (int i = 0; i < kTerms; ++i) {
    seen |= squares[i][i] > 0 ? 1u << i : 0;
    squares[i][i] *= 1 + kRidge;
  }
  const int left_over = fit.steps - std::popcount(seen);
  if (left_over < 1) return fit;
  // Takes the set of terms above 0 that explains the steps best; there are few sets.
  double least = kUnknown;
  for (unsigned used = 1; used < 1u << kTerms; ++used) {
    if ((used & ~seen) != 0) continue;
    const Matrix inverted = inverse(squares, used);
    Vector watts{};
    for (int i = 0; i < kTerms; ++i) watts[i] = product(inverted[i], joules);
    if (std::ranges::any_of(watts, [](double w) { return w < 0; })) continue;
    const double left = residuals(steps, watts);
    if (known(least) && !(left < least)) continue;
    least = left;
    fit.static_w = watts[0];
    fit.core_w = watts[1];
    std::copy_n(watts.begin() + 2, kMaxLetters, fit.device_w.begin());
  }
  // A term that is 0 in the best of them is as uncertain as the others.
  fit.covariance = inverse(squares, seen);
  for (Vector& row : fit.covariance)
    for (double& value : row) value *= least / left_over;
  fit.own = own_of(steps, fit);
  return fit;
}

}  // namespace tandem
