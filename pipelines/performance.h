// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

namespace tandem {

/// The performance of a configuration, measured or expected. A value that is not known is empty.
struct Performance {
  std::optional<double> throughput_fps, energy_j;  ///< energy of a frame
  std::optional<double> latency_ms = {};           ///< the 95th percentile
};

}  // namespace tandem
