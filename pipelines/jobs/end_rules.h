// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {

/// How the processes of a queue end: 3 s after a signal are promised, and a busy machine needs some
/// of them. A further signal changes nothing, because the server is being told.
inline EndRules end_rules(std::string name) {
  return {.patience = std::chrono::milliseconds(2500),
          .last_patience = std::nullopt,
          .name = std::move(name)};
}

}  // namespace tandem
