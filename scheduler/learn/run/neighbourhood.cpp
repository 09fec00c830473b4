// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/neighbourhood.h"

#include <mutex>

#include "scheduler/machine/cores.h"

namespace tandem {

std::shared_ptr<Neighbourhood> Neighbourhood::of_process() {
  static std::mutex mutex;
  static std::weak_ptr<Neighbourhood> shared;
  std::lock_guard lock(mutex);
  std::shared_ptr<Neighbourhood> one = shared.lock();
  if (!one) shared = one = std::make_shared<Neighbourhood>(usable_physical_cores());
  return one;
}

}  // namespace tandem
