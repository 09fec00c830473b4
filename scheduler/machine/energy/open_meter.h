// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/machine/energy/meter.h"

namespace tandem {

/// Properties of the machine and of the caller, for open_meter(). Tests change the places.
struct EnergyContext {
  /// The OpenCL device. No name when none is used or it is the CPU itself: then there is no G.
  struct Device {
    std::string name;
    std::string pci_id;       ///< where the driver tells it
    bool in_package = false;  ///< the processor's own graphics: a GPU with unified memory
    int count = 1;            ///< of this kind that are used: G is the sum of all
  } device;
  int cores = 1;  ///< nC, for the power model
  /// Seconds that the devices have computed, added up, since any fixed moment, for the power model.
  /// Empty when nobody counts them: then the model has no G that depends on it.
  std::function<double()> device_busy_s;

  std::string powercap_folder = "/sys/class/powercap";
  std::string pcm_host = "localhost";
  int pcm_port = 9738;
  std::string nvml_library = "libnvidia-ml.so.1";
};

/// The result of the attempt to open one source.
struct SourceReport {
  using State = SourceState;
  std::string source;  ///< "rapl", "pcm", "nvml", "model"
  State state = State::works;
  std::string text;    ///< coverage, or why not
  std::string advice;  ///< how to get it; may be empty
};

struct OpenedMeter {
  std::unique_ptr<EnergyMeter> meter;  ///< empty: no energy on this machine for this user
  std::vector<SourceReport> sources;   ///< all that were tried

  /// One text for people when a domain cannot be measured: which, why, and what to do. Empty when
  /// cores, rest and (where there is one) the device are all measured.
  std::string missing;
};

/// `choice`, the value of tandembin's `energy-source`:
/// - `auto`: the processor's counters by RAPL, else by PCM; a discrete NVIDIA GPU by NVML
/// - `none`: no meter
/// - `rapl`, `rapl:FOLDER`: Linux powercap
/// - `pcm`, `pcm:HOST:PORT`: Intel's pcm-sensor-server
/// - `nvml`, `nvml:GPU`: an NVIDIA GPU, by its number, PCI id or part of its name
/// - `model:c=12+35,g=8+150,u=6`: static + dynamic watts by domain; computed, not measured
///
/// Set-up: may take as long as a server's time-out (a second). A source that is not there is no
/// error but a report; a choice that makes no sense throws std::invalid_argument.
OpenedMeter open_meter(std::string_view choice, const EnergyContext& context);

}  // namespace tandem
