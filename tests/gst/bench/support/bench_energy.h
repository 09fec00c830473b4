// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "scheduler/machine/energy/meter.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {

/// What frames cost while a configuration runs steadily.
struct FrameCosts {
  double fps = 0, frame_j = 0;  ///< joules that the source tells
};

/// The source, where `auto` is the first NVIDIA GPU; null where it gives nothing.
std::unique_ptr<EnergyMeter> bench_meter(const std::string& source);

/// Of frames in the memory that the bin offers, for `seconds`, some values of the counter.
FrameCosts frame_costs(const FedBin::Options& options, const std::string& stages,
                       const Frames& frames, const std::string& configuration, EnergyMeter& meter,
                       double seconds);

}  // namespace tandem
