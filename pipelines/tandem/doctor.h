// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

/// Energy counters and the permission to read them: RAPL under `powercap_folder`, NVML, and
/// pcm-sensor-server on this machine's `pcm_port`.
Examination examine_energy(const std::string& powercap_folder, int pcm_port);

/// GStreamer, the plugin and its elements, decoders and encoders.
Examination examine_gstreamer();

/// The model file, and two frames through the CPU path; `data["works"]` tells whether they came
/// out.
Examination examine_cpu_path();

}  // namespace tandem
