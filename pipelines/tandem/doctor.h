// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scheduler/machine/energy/combined.h"

namespace tandem {

/// One thing that the doctor looked at.
struct Finding {
  enum class State { good, note, missing };
  State state = State::good;
  std::string text;
  std::string advice = "";  ///< how to get what is missing
};

struct Examination {
  std::string title;
  std::vector<Finding> findings;
  nlohmann::ordered_json data;  ///< the same for programs
};

/// OpenCL devices, which one `auto` takes and why, the ICD files in `icd_folder`, the program
/// cache.
Examination examine_opencl(bool verbose, const std::string& icd_folder);

/// Opens each source of energy values: what it covers, how often it has a new value, or why it
/// cannot be used; and what `energy-source=auto` takes.
Examination examine_energy(const EnergyContext& context);

/// This machine, with the OpenCL device that `auto` takes.
EnergyContext energy_context();

/// GStreamer, the plugin and its elements, decoders and encoders.
Examination examine_gstreamer();

/// The model file, and two frames through the CPU path; `data["works"]` tells whether they came
/// out.
Examination examine_cpu_path();

}  // namespace tandem
