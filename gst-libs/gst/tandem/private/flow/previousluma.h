// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/tensorpool.h>

#include <memory>
#include <utility>

namespace tandem {

/// Gives frames the luma of the frame before, for stages that ask for it (docs/decisions/0008).
/// For whoever hosts the stages, where frames are still in order; one thread at a time.
class PreviousLuma {
 public:
  /// To an open item; keeps a copy of its luma for the next one. The first frame gets none, and
  /// neither does one of another size or format. `context`: of the device that may copy it; null:
  /// there is none.
  void pass(FrameItem& item, const std::shared_ptr<opencl::Context>& context);
  /// The item that pass() had last will not be computed: the next one gets what that one got.
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
