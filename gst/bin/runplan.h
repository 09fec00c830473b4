// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gst/bin/device/devicesearch.h"
#include "gst/bin/learning/energy.h"
#include "gst/bin/learning/knowledge.h"
#include "gst/bin/properties.h"
#include "scheduler/learn/run/neighbourhood.h"

namespace tandem::bin {

/// A device that was opened on a thread, and the energy source for it.
struct OpenedDevice {
  DeviceSearch::Found found;
  EnergySource energy;
};

/// All that is needed to construct a Run.
struct RunPlan {
  std::vector<GstTandemStage*> stages;  ///< in the order in which frames pass them; not owned
  Chain chain;
  Conditions conditions;                      ///< as far as known before the first frame
  std::optional<DeviceSearch::Found> device;  ///< none: not searched for
  /// The cores compute until the device's programs are built.
  bool device_joins_later = false;
  /// Opens the device on a thread, with no lock held. This takes up to a second, or forever if the
  /// driver hangs, so the function owns all that it uses. The function that it returns finds the
  /// energy source and uses the run. Neither throws. Empty: the device is open, or there is none.
  std::function<std::function<OpenedDevice()>()> open_device;
  EnergySource energy;  ///< empty if the device opens later
  std::shared_ptr<DeviceBusy> device_busy;
  std::shared_ptr<Knowledge> knowledge;
  KeptKnowledge kept;
  std::shared_ptr<Neighbourhood> neighbourhood;
};

/// Queries the application and the machine for the device, the energy source and the neighbourhood.
/// Posts messages: call it with no lock held. Throws std::exception that names the invalid
/// property.
RunPlan plan_run(GstElement* bin, const std::vector<GstTandemStage*>& stages,
                 const Settings& settings, std::shared_ptr<Knowledge> knowledge,
                 const KeptKnowledge& kept);

}  // namespace tandem::bin
