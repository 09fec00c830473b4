// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gst/bin/binknowledge.h"
#include "gst/bin/binsettings.h"
#include "gst/bin/deviceprovider.h"
#include "gst/stage/stage.h"
#include "scheduler/flow/executor.h"
#include "scheduler/learn/neighbourhood.h"
#include "scheduler/machine/energy/meter.h"

namespace tandem {

/// Seconds for which a run's stages were on its device, for a power model that is made before the
/// run is: 0 until then. Thread-safe.
class DeviceBusy {
 public:
  void count(const Executor& executor) { executor_ = &executor; }  ///< which outlives the questions
  double seconds() const;

 private:
  std::atomic<const Executor*> executor_{nullptr};
};

/// All that a run of the bin is made of.
struct BinPlan {
  std::vector<GstTandemStage*> stages;  ///< in the order in which frames pass them; borrowed
  Chain chain;
  Conditions conditions;                        ///< what is known of them before the first frame
  std::optional<DeviceProvider::Found> device;  ///< none: the settings need none
  /// The cores compute until the device's programs are built.
  bool device_joins_later = false;
  std::shared_ptr<EnergyMeter> meter;  ///< may be null
  bool energy_asked_for = false;       ///< an energy source is named
  std::string missing_energy;          ///< what cannot be measured, and why
  std::shared_ptr<DeviceBusy> device_busy;
  std::shared_ptr<Knowledge> knowledge;
  BinKnowledge kept;
  std::shared_ptr<Neighbourhood> neighbourhood;
};

/// Asks the application and the machine for what the settings need. Posts messages: call it with no
/// lock held. Throws std::exception that says which property is wrong.
BinPlan plan_run(GstElement* bin, const std::vector<GstTandemStage*>& stages,
                 const BinSettings& settings, std::shared_ptr<Knowledge> knowledge,
                 const BinKnowledge& kept);

}  // namespace tandem
