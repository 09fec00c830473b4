// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/ref.h>
#include <gst/tandem/private/slotframe.h>
#include <gst/video/video.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scheduler/flow/item.h"
#include "scheduler/flow/split_rows.h"

namespace tandem {

struct PooledWork;
class StageAdapter;

/// A GstBuffer as the scheduler's item, with what each stage has attached to it.
struct FrameItem : Item {
  struct Slot {
    std::shared_ptr<const PooledWork> work;
    SlotFrame frame;
    std::array<MemoryRef, kMaxTensors> memories;
    std::array<MemoryRef, kMaxTensors> local_inputs;  ///< copies of what was not on the device
    /// Which stage made an input, as which of its outputs; none: it came with the buffer.
    struct Maker {
      int stage = -1, output = 0;
    };
    std::array<Maker, kMaxTensors> makers;
    SplitRows split;  ///< when it was split last
    bool published = false;
    int leads = 1;       ///< so many stages from this one on are computed in one pass
    std::string notice;  ///< to be posted once no lock of the executor is held

    void forget_outputs();
  };

  explicit FrameItem(std::span<StageAdapter* const> chain) : stages(chain), slots(chain.size()) {}

  const std::span<StageAdapter* const> stages;  ///< of the chain

  GstBuffer* buffer = nullptr;  ///< owned; writable
  GstVideoFrame video;          ///< mapped without a reference, or the buffer would not be writable
  bool mapped = false;
  MemoryRef previous;  ///< luma of the frame before, dense rows; PreviousLuma sets it
  /// Where the host of the item keeps the queues of the device's lanes; empty while there is no
  /// device, and once they are there they stay as long as items are under way.
  const std::unique_ptr<opencl::Queue>* queues = nullptr;
  std::vector<Slot> slots;  ///< one a stage

  bool keep_tensors = false;  ///< leave what the stages made on the buffer
  /// Bring it to the host while the device works: what leaves the bin must not go with the device
  /// when that fails later.
  bool tensors_to_host = false;

  /// Which of the device's numbers the one has that failed; negative: the one that it is on.
  int device_of(const opencl::Error& error) const;

  /// Takes over the buffer and maps it. False when it cannot be mapped: the buffer is still taken.
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
};

}  // namespace tandem
