// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/flow/frameitem.h>

#include "kernels/opencl/opencl.h"
#include "scheduler/flow/split_rows.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// Device and cores, which compute rows of the same frame at one stage, after prepare. All but the
/// static function may throw opencl::Error.
class SplitSides {
 public:
  SplitSides(FrameItem& item, int index) : item_(item), index_(index), frame_(item.slots[index]) {}

  /// The rows of stage `producer` that each side needs for its rows of stage `index`.
  static SplitRows needs(const FrameItem& item, int index, int producer, const SplitRows& rows);
  /// Brings the inputs of both sides to where they are computed.
  Status share(const SplitRows& rows);
  /// Enqueues the device's rows; `to_host`: and the download of its outputs.
  Status enqueue(const SplitRows& rows, bool to_host);
  /// Both sides are done.
  void join(const SplitRows& rows);

 private:
  void share_inputs(const SplitRows& rows);
  void share_outputs(const SplitRows& rows);
  void enqueue_borders(const SplitRows& rows);

  FrameItem& item_;
  const int index_;
  GstTandemFrame& frame_;
};

}  // namespace tandem
