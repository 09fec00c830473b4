// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

namespace tandem {

/// A row and a column that may be paired, and the gain of the pair.
struct PossiblePair {
  int row = 0, column = 0;
  double gain = 0;  ///< above 0; pairs with another gain are ignored
};

/// Pairs rows with columns one to one so that the sum of gains is greatest (linear sum assignment).
/// Returns the column of each row, -1 for a row that stays alone. Each row and column is below
/// `rows` and `columns`, and no pair stands twice among the candidates.
///
/// Groups of rows and columns that share candidates are solved one by one, with the shortest
/// augmenting paths of Jonker and Volgenant (1987). A group of r rows and c columns, r <= c, takes
/// r^2 c steps. With more than kMostSteps it is paired greedily, best gain first.
std::vector<int> assign(int rows, int columns, std::span<const PossiblePair> candidates);

}  // namespace tandem
