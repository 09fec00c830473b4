// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "scheduler/learn/keep/knowledge.h"
#include "scheduler/machine/machine.h"

namespace tandem {

/// What the bins of a process tell each other: bins with the same stages learn once for all.
class SharedKnowledge {
 public:
  /// Returns its version.
  uint64_t publish(const Conditions& conditions, const Learnt& learnt);
  /// What is known under these and newer than `version`.
  std::optional<Learnt> newer(const Conditions& conditions, uint64_t version) const;

 private:
  mutable std::mutex mutex_;
  uint64_t latest_ = 0;
  std::map<Conditions, Learnt> known_;
};

/// What bins that run side by side share: the machine, and what they learn of it.
struct Neighbourhood {
  explicit Neighbourhood(int cores) : machine(std::make_shared<Machine>(cores)) {}

  const std::shared_ptr<Machine> machine;
  SharedKnowledge knowledge;

  /// That of this process, as long as somebody holds it.
  static std::shared_ptr<Neighbourhood> of_process();
};

}  // namespace tandem
