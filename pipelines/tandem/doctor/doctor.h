// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/machine/energy/open_meter.h"

namespace tandem {

/// One thing that the doctor looked at.
struct Finding {
  enum class State { good, note, missing };
  State state = State::good;
  std::string text;
  std::string advice = "";  ///< how to get what is missing
};

/// Called for each finding when it is made: the next one may take long.
using TellFinding = std::function<void(const Finding&)>;

struct Examination {
  TellFinding tell{};  ///< may be empty
  std::vector<Finding> findings{};
  nlohmann::ordered_json data{};  ///< the same for programs

  void add(Finding finding) {
    findings.push_back(std::move(finding));
    if (tell) tell(findings.back());
  }
};

/// How examine_opencl() goes about it.
struct OpenclQuestion {
  bool verbose = false;    ///< extensions too
  std::string icd_folder;  ///< of the system
  std::string command;     ///< this program, which asks each driver in a process of its own
  std::chrono::seconds patience{};  ///< with each driver
};

/// The drivers, their devices, which one `auto` takes and why, and the program cache. Drivers that
/// do not answer are left out of this process: call it before any other use of OpenCL.
Examination examine_opencl(const OpenclQuestion& question, const TellFinding& tell = {});

/// Opens each source of energy values: what it covers, how often it has a new value, or why it
/// cannot be used; and what `energy-source=auto` takes.
Examination examine_energy(const EnergyContext& context, const TellFinding& tell = {});

/// This machine, with the OpenCL device that `auto` takes.
EnergyContext energy_context();

/// GStreamer, the plugin and its elements, decoders and encoders.
Examination examine_gstreamer(const TellFinding& tell = {});

/// The model file, and two frames through the CPU path; `data["works"]` tells whether they came
/// out.
Examination examine_cpu_path(const TellFinding& tell = {});

}  // namespace tandem
