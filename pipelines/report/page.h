// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/report/bench_file.h"

namespace tandem {

/// One self-contained page, HTML and XML at once: no scripts, nothing to load. `benches` has at
/// least one; each gets its own part of the page.
std::string report_page(const std::vector<BenchFile>& benches);

}  // namespace tandem
