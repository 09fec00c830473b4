// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gst/bin/settings.h"
#include "kernels/opencl/opencl.h"

namespace tandem::bin {

class Run;

/// Whether a stage may compute on the device, now or later. `device_only`: as in Chain.
bool can_use_device(const AdaptRules& rules, uint32_t device_only);
/// Throws std::runtime_error that names the stage where a mapping has one on the CPU that no CPU
/// can compute.
void check_mapping(const Run& run, const AdaptRules& rules);

/// Finds the OpenCL device of a run when it may be needed. All but look() is called under the bin's
/// configure_mutex.
class DeviceProvider {
 public:
  /// What look() found: a device, or why there is none.
  struct Found {
    std::shared_ptr<opencl::Context> context;
    std::string problem;
  };

  /// Whether a device has to be looked for: never twice in a run.
  bool wanted(const Run& run, const AdaptRules& rules) const;
  /// Somebody looks: it configures the run afterwards with what the properties say by then.
  bool looking() const { return looking_; }
  void begin_look() { looking_ = true; }
  /// Asks the neighbours, the application and OpenCL. Posts messages: call it with no lock held.
  static Found look(GstElement* bin, const std::string& selector);
  /// The same where nobody has one to give: asks OpenCL alone.
  static Found open(GstElement* bin, const std::string& selector);
  void end_look(Run& run, const Found& found);
  /// Throws std::runtime_error where a stage needs a device and none was found.
  void check_device(const Run& run) const;

  /// What the user is to be warned of, once: that there is no device though one was asked for, or
  /// that it cannot compute all that it was asked to. Empty: nothing.
  std::string complaint(const Run& run, const Settings& settings, const AdaptRules& rules);

 private:
  std::string warn_of_kinds(const opencl::Context& context, const Settings& settings);
  std::string warn_of_letters(const opencl::Context& context, const Mapping& mapping);
  std::string warn_of_stages(const Run& run, const Mapping& mapping);

  bool looking_ = false;
  std::optional<std::string> problem_;  // why there is none
  bool told_ = false;
  std::optional<Mapping> told_mapping_;
};

}  // namespace tandem::bin
