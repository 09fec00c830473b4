// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/tensorpool.h>

#include <memory>
#include <utility>

namespace tandem {

/// Attaches luma of the previous frame, for stages that need it (docs/decisions/0008).
/// Called by the host of the stages while frames are in order; one thread at a time.
class PreviousLuma {
 public:
  /// Attaches it to an open item, and copies its luma for the next one. The first frame gets none,
  /// nor does one of another size or format. `context`: of the device that may copy it; may be
  /// null.
  void pass(FrameItem& item, const std::shared_ptr<opencl::Context>& context);
  /// The last item of pass() will not be computed: the next one gets the same luma.
  void take_back(FrameItem& item) { last_ = std::move(item.previous); }
  /// The next frame is the first again: see Continuity.
  void forget() { last_.reset(); }

 private:
  GstVideoFormat format_ = GST_VIDEO_FORMAT_UNKNOWN;
  int width_ = 0, height_ = 0;
  std::shared_ptr<opencl::Context> context_;  // of the pool
  std::shared_ptr<TensorPool> pool_;
  MemoryRef last_;  // dense rows
};

}  // namespace tandem
