// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/item.h"
#include "scheduler/flow/rules/device_classes.h"
#include "scheduler/flow/stage_path.h"

namespace tandem {

/// The next thing that a worker does with a frame.
struct FrameAction {
  enum class Kind : uint8_t {
    cpu,     ///< compute the positions: on one core, under medium grain on all; a stage without
             ///< a CPU version fails, because no device is left
    device,  ///< compute the positions on the device, enqueued together
    split,   ///< compute the positions on a device and the cores at once, then leave_device()
    wait,    ///< a side is taken: ask again after it was given back
    park,    ///< its turn has not come, or no lane is free and its worker is needed: park()
    finish,  ///< all stages are done: finish()
  };
  Kind kind = Kind::finish;
  int first = 0, last = 0;  ///< half-open, positions on the frame's path
  int device_kind = 0;      ///< kind of device that these are mapped to; 0 for the CPU
};

/// One frame in flight, as the rules see it.
///
///   empty -> queued -> running -> done -> empty
///                       |   ^
///                       v   |   its turn at a serial stage has come, or a lane is free
///                      parked
///
/// A running frame belongs to one worker, or to the device until a worker collects it. A parked one
/// belongs to no worker.
struct FrameEntry {
  enum class State : uint8_t { empty, queued, running, parked, done };

  Item* item = nullptr;
  State state = State::empty;
  // Progress; belongs to the worker that works on the frame.
  StagePath path{0, {}};
  int position = 0;             ///< on its path
  int restart = 0;              ///< position after the last stage that must not see it twice
  int next_serial = 0;          ///< serial stages before this one have been passed
  int waits_at = 0;             ///< stage that it waits for, while parked
  bool waits_for_lane = false;  ///< parked for a lane rather than for its turn
  Mapping mapping;
  bool has_cores = false;             ///< medium grain: holds a partition of the cores
  int core_partition = 0;             ///< its number
  bool fell_back = false;             ///< the CPU computes the current device run
  int lane = kNoDevice;               ///< while it has one, numbered over all devices
  int device = kNoDevice;             ///< the last one that it was on
  bool failed_before = false;         ///< on a device that has been given up since
  FrameAction sent;                   ///< the action on the device
  int sent_from = 0, sent_until = 0;  ///< positions of the enqueued piece of that action
  uint64_t sent_ns = 0;               ///< when that piece was enqueued
  uint64_t waits_since_ns = 0;        ///< while it waits for its turn, a lane or a worker
  uint64_t held_ns = 0;               ///< for FrameTimes::held_ns

  /// How many positions from this one on, before `last`, are fused.
  int fused_length(int first, int last, bool on_device) const {
    return path.fused_length(item->fused.on(on_device), first, last);
  }
};

}  // namespace tandem
