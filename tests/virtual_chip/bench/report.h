// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "tests/virtual_chip/bench/outcome.h"

namespace tandem::test {

/// Prints a row for each family, with the standard errors of its means.
void print_means(std::span<const Outcome> outcomes);
/// Prints a row for each family: how what trials measured agrees with what was expected of it, and
/// the regrets with the expected losses.
void print_calibration(std::span<const Outcome> outcomes);
/// Prints the paired differences of each figure and family. Outcomes that are not in `before` have
/// no pair; their number is printed.
void print_differences(std::span<const Outcome> before, std::span<const Outcome> now);

/// The outcome of the same family, seed and metric; null where there is none.
const Outcome* find_pair(std::span<const Outcome> outcomes, const Outcome& of);

}  // namespace tandem::test
