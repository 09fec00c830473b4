// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/rules/device_classes.h"

namespace tandem {

/// The configuration of the frames that begin, and a pending one that waits for its turn. Threads,
/// lanes, bands and sides are clamped to what the stages, the cores and the devices can do.
class CurrentConfiguration {
 public:
  CurrentConfiguration(int stages, int cores, DeviceClasses& device_classes);

  /// Sets the pending configuration. See Dispatch::configure().
  void propose(const Configuration& configuration, const Devices& devices, bool time_stages,
               uint32_t can_split);
  bool is_pending() const;
  /// Whether the frames being computed have to finish before the pending one applies.
  /// `lanes_in_use`: a frame has a lane of the current letters, or waits for one.
  bool has_to_wait(bool lanes_in_use) const;
  void apply();
  /// A device was lost: stages that nothing of their letter can compute change sides.
  void resolve();

  const Configuration& get() const { return current_; }
  bool time_stages() const { return time_stages_; }
  int devices_in_use() const { return devices_in_use_; }
  /// Workers that the configuration uses: medium grain needs one more than devices.
  int workers() const { return workers_; }
  /// Frames that the devices hold at a time.
  int all_lanes() const { return current_.lanes * devices_in_use_; }

 private:
  void current_changes();

  const int stages_, cores_;
  DeviceClasses& device_classes_;
  Configuration current_, pending_;
  bool time_stages_ = false, pending_time_stages_ = false;
  int devices_in_use_ = 0, workers_;  // of current_: several steps of each frame ask for them
};

}  // namespace tandem
