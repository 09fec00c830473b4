// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "tests/gst/support/bench_search.h"

namespace tandem {

/// Trains on five sizes, derives each from the other four, and prints a table of what the derived
/// choice does, of what the best that was found does: of what is fastest in `search`, what was
/// chosen at that size and what is derived, in `finals`. What was learnt is left in folders in
/// `knowledge`.
void derive_sizes(const FedBin::Options& options, const BenchChain& chain,
                  const std::string& knowledge, const Turns& search, const Turns& finals);

}  // namespace tandem
