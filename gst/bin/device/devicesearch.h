// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gst/bin/properties.h"
#include "kernels/opencl/opencl.h"

namespace tandem::bin {

class Run;

/// Whether the rules allow a stage on the device, now or later. `device_only`: as in Chain.
bool can_use_device(const AdaptRules& rules, uint32_t device_only);
/// Throws std::runtime_error with the name of a stage that cannot do what the mapping demands: it
/// has no CPU implementation, or it cannot be split.
void check_mapping(const Run& run, const AdaptRules& rules);

/// Finds the OpenCL device of a run once the rules allow it. All functions except search() and
/// open() are called under the bin's configure_mutex.
class DeviceSearch {
 public:
  /// The result of a search.
  struct Found {
    std::shared_ptr<opencl::Context> context;  ///< null: no device
    std::string problem;                       ///< then: the reason
  };

  /// Whether to search for a device. A run searches once.
  bool wanted(const Run& run, const AdaptRules& rules) const;
  /// Whether a search is going on. The searching thread configures the run afterwards, with the
  /// properties of that moment.
  bool searching() const { return searching_; }
  void begin_search() { searching_ = true; }
  /// Queries the neighbours, the application and OpenCL. Posts messages: call it with no lock held.
  static Found search(GstElement* bin, const std::string& selector);
  /// Queries OpenCL alone, if the neighbours and the application have been queried.
  static Found open(GstElement* bin, const std::string& selector);
  void end_search(Run& run, const Found& found);
  /// Throws std::runtime_error if a stage needs a device and none was found.
  void check_device(const Run& run) const;

  /// Returns a warning for the user, each once: a requested device is missing, or it cannot compute
  /// all stages that the mapping puts on it. Empty: none.
  std::string warning(const Run& run, const Settings& settings, const AdaptRules& rules);

 private:
  std::string warn_of_kinds(const opencl::Context& context, const Settings& settings);
  std::string warn_of_letters(const opencl::Context& context, const Mapping& mapping);
  std::string warn_of_stages(const Run& run, const Mapping& mapping);

  bool searching_ = false;
  std::optional<std::string> problem_;  // of the search
  bool warned_ = false;
  std::optional<Mapping> warned_mapping_;
};

}  // namespace tandem::bin
