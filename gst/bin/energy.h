// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <string>

#include "kernels/opencl/opencl.h"
#include "model/measurements.h"
#include "scheduler/flow/executor.h"
#include "scheduler/machine/energy/meter.h"

namespace tandem::bin {

/// Seconds for which a run's stages were on its device, for a power model that is made before the
/// run is: 0 until then. Thread-safe.
class DeviceBusy {
 public:
  void count(const Executor& executor) { executor_ = &executor; }  ///< which outlives the questions
  double seconds() const;

 private:
  std::atomic<const Executor*> executor_{nullptr};
};

/// Where the joules of a run come from.
struct EnergySource {
  std::shared_ptr<EnergyMeter> meter;  ///< may be null
  bool asked_for = false;              ///< an energy source is named
  std::string missing;                 ///< what cannot be measured, and why
  Domains domains;                     ///< how the meter's energies add up for the device
  double resolution_s = 0;             ///< between new values of the meter
};

/// Whether the property `energy-source` names one.
bool names_energy_source(const std::string& source);

/// Asks the application, else opens what `source`, the property `energy-source`, says, and says
/// what it is missing. `device`: that the run uses; null: none. Posts messages: call it with no
/// lock held. Throws std::invalid_argument where `source` makes no sense.
EnergySource find_energy(GstElement* bin, const std::string& source, int cores,
                         const opencl::Context* device, std::shared_ptr<DeviceBusy> busy);

}  // namespace tandem::bin
