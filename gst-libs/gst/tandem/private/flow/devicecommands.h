// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/flow/frameitem.h>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// The device side of one stage for a frame on a lane, after prepare. All may throw opencl::Error.
class DeviceCommands {
 public:
  DeviceCommands(FrameItem& item, int index) : item_(item), frame_(item.slots[index]) {}

  /// Enqueues the stage; `to_host`: and the download of its outputs.
  Status enqueue(bool to_host);
  /// The same of rows that follow those enqueued before, copies beside what computes.
  Status enqueue_band(Rows rows, bool to_host);
  /// Enqueues a copy of the outputs that later stages read: to the host, or from there to the
  /// device again.
  Status enqueue_copy(bool to_host);

 private:
  opencl::Queue& queue() const { return *item_.queues[item_.lane]; }
  FrameItem& item_;
  GstTandemFrame& frame_;
};

}  // namespace tandem
