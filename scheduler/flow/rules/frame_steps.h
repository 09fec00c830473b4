// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "scheduler/flow/rules/dispatch_parts.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// Where the stages of one frame are computed, and for what it waits.
///
/// | at | the frame |
/// | --- | --- |
/// | a serial stage | is parked until its turn |
/// | a device run | takes a lane; if none is free, the CPU computes the run (Vilches, section II) |
/// | a device run, without the CPU fallback | waits for a lane and keeps its driver |
/// | ... of a mapping with several letters | is parked: its driver may be needed to collect there |
/// | ... if every other driver waits so | is parked: somebody has to collect |
/// | a run that the CPU cannot compute | is parked; fails when the last device is lost |
/// | a split run | takes a lane and its part of the cores, or waits without either |
/// | a CPU stage, medium grain | takes its part of the cores, or waits for it |
///
/// After a failure of the device, a frame is computed again from FrameEntry::restart on: once by
/// another device, then by the CPU.
class FrameSteps {
 public:
  explicit FrameSteps(DispatchParts& parts)
      : parts_(parts), device_only_(stages_without_cpu(parts.stages)) {}

  void set_cpu_fallback(bool on) { cpu_fallback_ = on; }

  FrameAction next(FrameEntry& entry);
  bool did(FrameEntry& entry, const FrameAction& action, const Status& status);
  void sent(FrameEntry& entry, const FrameAction& action, uint64_t since_ns);
  void sent_again(FrameEntry& entry, uint64_t since_ns);
  uint64_t leave_device(FrameEntry& entry, uint64_t now_ns);
  bool hand_on(FrameEntry& entry, uint64_t now_ns);
  std::pair<int, int> waits_at(const FrameEntry& entry) const;
  bool park(FrameEntry& entry, uint64_t now_ns);

 private:
  std::optional<FrameAction> at_device_run(FrameEntry& entry, bool had_driver);
  FrameAction take_lane(FrameEntry& entry);
  FrameAction park_for_lane(FrameEntry& entry);
  FrameAction split_or_wait(FrameEntry& entry);
  FrameAction leave(FrameEntry& entry);
  bool lost_its_device(const FrameEntry& entry) const;
  bool device_failed(FrameEntry& entry, const Status& status);
  void lose(int device);

  DispatchParts& parts_;
  const uint32_t device_only_;  ///< bit k: stage k has no CPU implementation
  bool cpu_fallback_ = true;
};

}  // namespace tandem
