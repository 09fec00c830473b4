// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "scheduler/status.h"

namespace tandem {

/// One frame on its way through the stages. The host derives its own and adds what stages need.
/// Belongs to one thread at a time: whoever submits, one driver thread, whoever takes it out.
struct Item {
  virtual ~Item() = default;

  /// Called by the executor on a driver thread when the stages are done with it, before it waits
  /// for its turn to leave: gives back what only the stages needed.
  virtual void completed() {}

  uint64_t sequence = 0;       ///< set by Executor::submit, counts from 0
  uint32_t device_stages = 0;  ///< bit k: stage k was computed on the device
  Status status;               ///< what went wrong with it; set by the executor
};

}  // namespace tandem
