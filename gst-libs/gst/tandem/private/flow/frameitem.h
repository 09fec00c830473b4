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
  MemoryRef previous;  ///< luma of the previous frame, dense rows; PreviousLuma sets it
  /// The queues of the device's lanes, owned by the item's host; empty without a device. They
  /// outlive the items in flight.
  const std::unique_ptr<opencl::Queue>* queues = nullptr;
  opencl::Queue& queue() const { return *queues[lane]; }  ///< of its lane
  std::vector<GstTandemFrame> slots;                      ///< one a stage

  /// Before open(): the tensors that stay on the buffer are `all` that the stages make, or those
  /// that a stage's property `tensors` asks for.
  void keep(bool all);
  bool keep_tensors = false;  ///< any; set by keep()
  /// Whether kept tensors of a stage are downloaded while the device computes: a later failure of
  /// the device must not lose them once they have left the bin.
  bool is_to_host(int stage) const;

  /// Number of the failed device; negative: the current one.
  int device_of(const opencl::Error& error) const;

  /// Takes ownership of the buffer and maps it, or the visible part if it has a GstVideoCropMeta.
  /// False: it cannot be mapped; ownership is taken nevertheless.
  bool open(GstBuffer* owned, const GstVideoInfo& info, bool writes_pixels);
  /// No data: there is no previous frame. `queue`: of the device that will copy it; may be null.
  Plane<const uint8_t> previous_luma(const opencl::Queue* queue) const;
  /// Releases tensors without further readers, because dozens of frames may wait.
  void waits(int stage, int restart) override;
  /// Unmaps, attaches kept tensors to the buffer, and releases all others: a frame that waits for
  /// older ones holds nothing but its buffer.
  void completed() override;
  /// Returns the buffer to the caller.
  GstBuffer* close();

 private:
  bool stays(const GstTandemFrame& slot, TensorName tensor) const;
  void put_on_buffer();
  bool keep_all_ = false;
};

}  // namespace tandem
