// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <vector>

/// The preparation of features by Zhang (section 3.2) before a network sees them.
namespace tandem::streams {

using Column = std::vector<double>;

/// Pearson's coefficient of correlation; 0 where one of them is constant.
double correlation(const Column& a, const Column& b);

/// Places of the columns that are kept: no constant ones, and of two with |correlation| > `most`
/// the earlier.
std::vector<std::size_t> uncorrelated(const std::vector<Column>& columns, double most = 0.7);

struct PrincipalComponents {
  std::vector<std::vector<double>> directions;  ///< of length 1, by falling variance
  std::vector<double> variances;
};
/// Principal components of columns with mean 0: those that hold `share` of the variance together.
/// By Jacobi's rotations.
PrincipalComponents principal_components(const std::vector<Column>& columns, double share = 1);

/// Varimax rotation of components scaled by their deviations; what each column adds to the variance
/// that they have together: the importance of features, whose sum is 1.
std::vector<double> importance_by_varimax(const PrincipalComponents& components);

}  // namespace tandem::streams
