// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gst/bin/deviceprovider.h"
#include "gst/bin/energy.h"
#include "gst/bin/knowledge.h"
#include "gst/bin/settings.h"
#include "scheduler/learn/neighbourhood.h"

namespace tandem::bin {

/// The device that was opened, or why there is none, and where joules come from with it.
struct OpenedDevice {
  DeviceProvider::Found found;
  EnergySource energy;
};

/// All that a run of the bin is made of.
struct RunPlan {
  std::vector<GstTandemStage*> stages;  ///< in the order in which frames pass them; borrowed
  Chain chain;
  Conditions conditions;                        ///< what is known of them before the first frame
  std::optional<DeviceProvider::Found> device;  ///< none: not looked for
  /// The cores compute until the device's programs are built.
  bool device_joins_later = false;
  /// And until this has opened it, which takes up to a second, or for ever where a driver does not
  /// answer: for a thread, with no lock held. It owns what it uses; what it returns finds the
  /// energy source and uses the run. Both throw nothing. Empty: that is done.
  std::function<std::function<OpenedDevice()>()> open_device;
  EnergySource energy;  ///< none where the device opens later
  std::shared_ptr<DeviceBusy> device_busy;
  std::shared_ptr<Knowledge> knowledge;
  KeptKnowledge kept;
  std::shared_ptr<Neighbourhood> neighbourhood;
};

/// Asks the application and the machine for what the settings need. Posts messages: call it with no
/// lock held. Throws std::exception that says which property is wrong.
RunPlan plan_run(GstElement* bin, const std::vector<GstTandemStage*>& stages,
                 const Settings& settings, std::shared_ptr<Knowledge> knowledge,
                 const KeptKnowledge& kept);

}  // namespace tandem::bin
