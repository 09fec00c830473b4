// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/flow/item.h"
#include "scheduler/flow/status.h"
#include "scheduler/flow/walk/device_times.h"
#include "scheduler/flow/walk/walk_context.h"

namespace tandem {

/// Calls `enqueue` for a stage of the frame on its lane. The commands of a stage that is long, or
/// may be, are waited for while they are enqueued, so that a stop is noticed between them.
template <class Enqueue>
Status enqueue_paced(WalkContext& context, const DeviceTimes& times, const Item& item, int stage,
                     Enqueue&& enqueue) {
  const bool paced = times.is_long(item.lane, stage);
  if (paced) context.device->pace(item.lane, &context.stop);
  Status status = enqueue();
  if (paced) context.device->pace(item.lane, nullptr);
  return paced && context.stop ? aborted() : status;
}

}  // namespace tandem
