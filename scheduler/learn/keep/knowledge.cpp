// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

uint64_t SharedKnowledge::publish(const Conditions& conditions, const Learnt& learnt) {
  std::lock_guard lock(mutex_);
  Learnt& known = known_[conditions] = learnt;
  return known.version = ++latest_;
}

std::optional<Learnt> SharedKnowledge::newer(const Conditions& conditions, uint64_t version) const {
  std::lock_guard lock(mutex_);
  const auto found = known_.find(conditions);
  if (found == known_.end() || found->second.version <= version) return std::nullopt;
  return found->second;
}

}  // namespace tandem
