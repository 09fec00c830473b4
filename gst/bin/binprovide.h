// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gst/bin/binrun.h"
#include "gst/bin/binsettings.h"

namespace tandem {

/// Opens the OpenCL device for a run when it may be needed.
class DeviceProvider {
 public:
  /// Does nothing when the run has a device, or when `rules` keep all stages on the CPU. Returns
  /// what the user is to be warned of, once: that there is no device though one was asked for, or
  /// that it cannot compute all that it was asked to.
  std::string provide(GstElement* bin, BinRun& run, const BinSettings& settings,
                      const AdaptRules& rules);

 private:
  std::string warn_of_stages(const BinRun& run, const Mapping& mapping);

  std::optional<std::string> problem_;  // why there is none
  bool told_ = false;
  std::optional<Mapping> told_mapping_;
};

/// Opens the energy source and gives the run what decides, with what is known of the chain and its
/// device. Throws std::invalid_argument when `energy-source` makes no sense.
void provide_control(GstElement* bin, BinRun& run, const BinSettings& settings,
                     std::shared_ptr<Knowledge> knowledge);

}  // namespace tandem
