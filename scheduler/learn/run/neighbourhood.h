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

/// Knowledge that the bins of a process share: bins with the same stages learn once for all.
class SharedKnowledge {
 public:
  /// Returns its version.
  uint64_t publish(const Conditions& conditions, const Learnt& learnt);
  /// Knowledge under these conditions that is newer than `version`.
  std::optional<Learnt> newer(const Conditions& conditions, uint64_t version) const;

 private:
  mutable std::mutex mutex_;
  uint64_t latest_ = 0;
  std::map<Conditions, Learnt> known_;
};

/// Shared by bins that run side by side: the machine, and their knowledge of it.
struct Neighbourhood {
  explicit Neighbourhood(int cores) : machine(std::make_shared<Machine>(cores)) {}

  const std::shared_ptr<Machine> machine;
  SharedKnowledge knowledge;

  /// The one of this process, as long as somebody holds it.
  static std::shared_ptr<Neighbourhood> of_process();
};

}  // namespace tandem
