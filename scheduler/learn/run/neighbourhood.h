// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>

#include "scheduler/learn/keep/knowledge.h"
#include "scheduler/machine/machine.h"

namespace tandem {

/// What bins that run side by side share: the machine, and what they learn of it.
struct Neighbourhood {
  explicit Neighbourhood(int cores) : machine(std::make_shared<Machine>(cores)) {}

  const std::shared_ptr<Machine> machine;
  SharedKnowledge knowledge;

  /// That of this process, as long as somebody holds it.
  static std::shared_ptr<Neighbourhood> of_process();
};

}  // namespace tandem
