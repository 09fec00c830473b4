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

/// Seconds for which the stages of a run were on its device, for a power model that exists before
/// the run. Thread-safe.
class DeviceBusy {
 public:
  void count(const Executor& executor) { executor_ = &executor; }  ///< outlives calls of seconds()
  double seconds() const;                                          ///< 0 before count()

 private:
  std::atomic<const Executor*> executor_{nullptr};
};

/// The energy source of a run.
struct EnergySource {
  std::shared_ptr<EnergyMeter> meter;  ///< may be null
  bool asked_for = false;              ///< the property `energy-source` names one
  std::string missing;                 ///< domains that cannot be measured, with the reason
  Domains domains;                     ///< how the meter's energies add up for the device
  double resolution_s = 0;             ///< between two updates of the meter
};

/// Whether `source`, the value of the property `energy-source`, names a source.
bool names_energy_source(const std::string& source);

/// Returns the meter of the application, otherwise the one that `source`, the value of the property
/// `energy-source`, names. `device`: the device of the run; may be null. Posts messages: call it
/// with no lock held. Throws std::invalid_argument if `source` is invalid.
EnergySource find_energy(GstElement* bin, const std::string& source, int cores,
                         const opencl::Context* device, std::shared_ptr<DeviceBusy> busy);

}  // namespace tandem::bin
