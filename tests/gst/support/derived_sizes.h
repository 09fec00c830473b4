// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "tests/gst/support/bench_search.h"

namespace tandem {

/// Trains on five sizes, derives each from the other four, and prints a table of what the derived
/// choice does, of what the best that was found does.
void derive_sizes(const FedBin::Options& options, const BenchChain& chain, double search_s,
                  int rounds);

}  // namespace tandem
