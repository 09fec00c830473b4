// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/frame.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>

#include <memory>
#include <span>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"
#include "scheduler/flow/item.h"

namespace tandem {

class StageAdapter;

/// A GstBuffer as the scheduler's item, with what each stage has attached to it.
struct FrameItem : Item {
  explicit FrameItem(std::span<StageAdapter* const> chain) : stages(chain), slots(chain.size()) {}

  const std::span<StageAdapter* const> stages;  ///< of the chain

  GstBuffer* buffer = nullptr;  ///< owned; writable
  GstVideoFrame video;          ///< mapped without a reference, or the buffer would not be writable
  bool mapped = false;
  MemoryRef previous;  ///< luma of the frame before, dense rows; PreviousLuma sets it
  /// The queues of the device's lanes, kept by the host of the item; empty while there is no
  /// device. They stay as long as items are under way.
  const std::unique_ptr<opencl::Queue>* queues = nullptr;
  opencl::Queue& queue() const { return *queues[lane]; }  ///< of its lane
  std::vector<GstTandemFrame> slots;                      ///< one a stage

  /// Before open(): the tensors that stay on the buffer are `all` that the stages make, or those
  /// that a stage's property `tensors` asks for.
  void keep(bool all);
  bool keep_tensors = false;  ///< any; set by keep()
  /// Whether those of a stage come to the host while the device works: what leaves the bin must not
  /// go with the device when that fails later.
  bool is_to_host(int stage) const;

  /// Which of the device's numbers the one has that failed; negative: the one that it is on.
  int device_of(const opencl::Error& error) const;

  /// Takes over the buffer and maps it; of a buffer with a GstVideoCropMeta, the part that is seen.
  /// False when it cannot be mapped: the buffer is still taken.
  bool open(GstBuffer* owned, const GstVideoInfo& info, bool writes_pixels);
  /// No data when there is none. `queue`: of the device that is about to copy it, if one is.
  Plane<const uint8_t> previous_luma(const opencl::Queue* queue) const;
  /// Lets go of the tensors that nobody will read any more: dozens of frames may wait.
  void waits(int stage, int restart) override;
  /// Unmaps, puts the tensors on the buffer if asked, and lets go of them: a frame that waits for
  /// older ones holds nothing but its buffer.
  void completed() override;
  /// Gives the buffer back.
  GstBuffer* close();

 private:
  bool stays(const GstTandemFrame& slot, TensorName tensor) const;
  void put_on_buffer();
  bool keep_all_ = false;
};

}  // namespace tandem
