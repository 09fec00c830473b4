// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/feature_selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pipelines/streams/statistics.h"

namespace tandem::streams {
namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr int kMostSweeps = 100;
constexpr double kTiny = 1e-12;

// The rotation that makes element (p, q) of a symmetric matrix 0.
void rotate(Matrix& a, Matrix& vectors, std::size_t p, std::size_t q) {
  const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double kp = a[k][p], kq = a[k][q];
    a[k][p] = c * kp - s * kq;
    a[k][q] = s * kp + c * kq;
  }
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double pk = a[p][k], qk = a[q][k];
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
    const double vp = vectors[p][k], vq = vectors[q][k];
    vectors[p][k] = c * vp - s * vq;
    vectors[q][k] = s * vp + c * vq;
  }
}

// How far two columns of loadings are to be turned to make their squares as unequal as can be.
double varimax_angle(const Matrix& loadings, std::size_t p, std::size_t q) {
  double a = 0, b = 0, c = 0, d = 0;
  for (const auto& row : loadings) {
    const double u = row[p] * row[p] - row[q] * row[q], v = 2 * row[p] * row[q];
    a += u;
    b += v;
    c += u * u - v * v;
    d += 2 * u * v;
  }
  const auto n = static_cast<double>(loadings.size());
  return std::atan2(d - 2 * a * b / n, c - (a * a - b * b) / n) / 4;
}

}  // namespace

double correlation(const Column& a, const Column& b) {
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return aa < kTiny || bb < kTiny ? 0 : ab / std::sqrt(aa * bb);
}

std::vector<std::size_t> uncorrelated(const std::vector<Column>& columns, double most) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto [least, greatest] = std::ranges::minmax(columns[i]);
    const bool is_new = std::ranges::none_of(
        kept, [&](std::size_t k) { return std::fabs(correlation(columns[k], columns[i])) > most; });
    if (greatest - least > kTiny && is_new) kept.push_back(i);
  }
  return kept;
}

PrincipalComponents principal_components(const std::vector<Column>& columns, double share) {
  const std::size_t n = columns.size();
  Matrix covariance(n, std::vector<double>(n)), vectors(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    vectors[i][i] = 1;
    for (std::size_t j = 0; j < n; ++j)
      covariance[i][j] =
          std::inner_product(columns[i].begin(), columns[i].end(), columns[j].begin(), 0.0) /
          static_cast<double>(columns[i].size());
  }
  double beside = 1;
  for (int sweep = 0; sweep < kMostSweeps && beside > kTiny; ++sweep) {
    beside = 0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        beside += covariance[p][q] * covariance[p][q];
        if (std::fabs(covariance[p][q]) > kTiny) rotate(covariance, vectors, p, q);
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::size_t k) { return covariance[k][k]; });
  double all = 0, held = 0;
  for (std::size_t k = 0; k < n; ++k) all += covariance[k][k];
  PrincipalComponents found;
  for (const std::size_t k : order) {
    if (covariance[k][k] < 1e-9 * all || held >= share * all) break;
    // A direction and its opposite are one: the largest part points upwards, on every machine.
    const auto largest = std::ranges::max_element(
        vectors[k], {}, [](double v) { return std::round(std::fabs(v) * 1e9); });
    if (*largest < 0)
      for (double& value : vectors[k]) value = -value;
    found.directions.push_back(vectors[k]);
    found.variances.push_back(covariance[k][k]);
    held += covariance[k][k];
  }
  return found;
}

std::vector<double> importance_by_varimax(const PrincipalComponents& components) {
  const std::size_t n = components.directions.empty() ? 0 : components.directions[0].size();
  const std::size_t m = components.directions.size();
  Matrix loadings(n, std::vector<double>(m));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < m; ++k)
      loadings[i][k] = components.directions[k][i] * std::sqrt(components.variances[k]);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double turned = 0;
    for (std::size_t p = 0; p < m; ++p) {
      for (std::size_t q = p + 1; q < m; ++q) {
        const double angle = varimax_angle(loadings, p, q);
        turned = std::max(turned, std::fabs(angle));
        for (auto& row : loadings) {
          const double x = row[p], y = row[q];
          row[p] = x * std::cos(angle) + y * std::sin(angle);
          row[q] = y * std::cos(angle) - x * std::sin(angle);
        }
      }
    }
    if (turned < 1e-9) break;
  }
  // A factor counts as much as it explains; a feature gets its part of each by squared loadings.
  std::vector<double> importance(n);
  double all = 0;
  for (std::size_t k = 0; k < m; ++k) {
    double explained = 0, greatest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      explained += loadings[i][k] * loadings[i][k];
      greatest = std::max(greatest, loadings[i][k] * loadings[i][k]);
    }
    for (std::size_t i = 0; i < n && greatest > 0; ++i) {
      const double square = loadings[i][k] * loadings[i][k];
      importance[i] += explained * square / greatest;
      all += explained * square / greatest;
    }
  }
  for (double& value : importance) value /= all > 0 ? all : 1;
  return importance;
}

}  // namespace tandem::streams
