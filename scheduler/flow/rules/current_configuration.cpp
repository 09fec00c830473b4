// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/current_configuration.h"

#include <algorithm>
#include <bit>

namespace tandem {

CurrentConfiguration::CurrentConfiguration(int stages, int cores, DeviceClasses& device_classes)
    : stages_(stages), cores_(cores), device_classes_(device_classes), workers_(cores) {
  current_ = pending_ = {{0, stages_}, Granularity::coarse, cores};
}

void CurrentConfiguration::propose(const Configuration& configuration, const Devices& devices,
                                   bool time_stages, uint32_t can_split) {
  pending_ = configuration;
  device_classes_.propose(devices);
  pending_.threads = std::clamp(pending_.threads, 1, cores_ + 1);
  pending_.lanes = time_stages ? 1 : std::clamp(pending_.lanes, 1, kMaxLanes);
  pending_.tasks = std::clamp(pending_.tasks, 1, kMaxTasks);
  pending_.mapping.stages = stages_;
  pending_.mapping = device_classes_.resolved_pending(
      pending_.mapping.within(~pending_.mapping.split_stages() | can_split));
  pending_.frames_at_once = std::clamp(pending_.frames_at_once, 1, std::min(cores_, 4));
  if (pending_.frames_at_once == 3) pending_.frames_at_once = 2;
  pending_time_stages_ = time_stages;
}

bool CurrentConfiguration::is_pending() const {
  return !(pending_ == current_) || pending_time_stages_ != time_stages_ ||
         device_classes_.is_pending();
}

// Medium grain needs the sides for itself, and so does a device alone whose stages are timed apart.
// Beside working cores it does not matter whose frames these compute. Lanes are numbered by devices
// and frames keep theirs, so that other devices wait for the lanes to be free. Frames of one letter
// that wait for its lanes may have all workers that another letter needs.
bool CurrentConfiguration::has_to_wait(bool lanes_in_use) const {
  const bool apart = time_stages_ || pending_time_stages_;
  const bool alone = std::min(current_.threads, pending_.threads) <= devices_in_use();
  const bool joins_alone =
      pending_time_stages_ && pending_.threads <= device_classes_.pending_devices();
  return current_.granularity != Granularity::coarse ||
         pending_.granularity != Granularity::coarse || (apart && alone) ||
         (device_classes_.is_pending() && (joins_alone || lanes_in_use)) ||
         std::popcount(current_.mapping.letters() | pending_.mapping.letters()) > 1;
}

void CurrentConfiguration::apply() {
  current_ = pending_;
  time_stages_ = pending_time_stages_;
  device_classes_.apply();
  current_changes();
}

void CurrentConfiguration::resolve() {
  current_.mapping = device_classes_.resolved(current_.mapping);
  pending_.mapping = device_classes_.resolved_pending(pending_.mapping);
  current_changes();
}

void CurrentConfiguration::current_changes() {
  devices_in_use_ = device_classes_.devices_in(current_.mapping);
  workers_ = current_.granularity == Granularity::coarse
                 ? current_.threads
                 : std::min(current_.frames_at_once + devices_in_use_, cores_ + 1);
}

}  // namespace tandem
