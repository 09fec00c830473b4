// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem {

/// Properties of a stage that decide where and when it is computed.
struct StageRules {
  bool serial = false;        ///< frames pass it in the order of the stream
  bool changes_item = false;  ///< the stages before it cannot be computed again afterwards
  bool has_cpu = true;        ///< false: only a device can compute it
};

/// Bit k: stage k has no CPU implementation.
inline uint32_t stages_without_cpu(const std::vector<StageRules>& stages) {
  uint32_t bits = 0;
  for (std::size_t k = 0; k < stages.size(); ++k) bits |= stages[k].has_cpu ? 0 : 1u << k;
  return bits;
}

}  // namespace tandem
