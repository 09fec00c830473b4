// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/neighbourhood.h"

#include "scheduler/machine/cores.h"

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

std::shared_ptr<Neighbourhood> Neighbourhood::of_process() {
  static std::mutex mutex;
  static std::weak_ptr<Neighbourhood> shared;
  std::lock_guard lock(mutex);
  std::shared_ptr<Neighbourhood> one = shared.lock();
  if (!one) shared = one = std::make_shared<Neighbourhood>(usable_physical_cores());
  return one;
}

}  // namespace tandem
