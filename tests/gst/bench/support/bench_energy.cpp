// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/bench/support/bench_energy.h"

#include "scheduler/machine/energy/open_meter.h"

namespace tandem {

std::unique_ptr<EnergyMeter> bench_meter(const std::string& source) {
  return open_meter(source == "auto" ? "nvml" : source, {}).meter;
}

FrameCosts frame_costs(const FedBin::Options& options, const std::string& stages,
                       const Frames& frames, const std::string& configuration, EnergyMeter& meter,
                       double seconds) {
  constexpr double kSettle_s = 0.3;
  FedBin bin(options, stages, "off");
  bin.force(configuration);
  bin.begin(frames.size);
  const OfferedFrames offered(bin, frames.buffers);
  const std::shared_ptr<void> closely = meter.follow_closely();
  bin.run(offered.buffers(), kSettle_s);
  const auto before = meter.read();
  const double fps = bin.run(offered.buffers(), seconds);
  const auto after = meter.read();
  if (!before || !after) return {fps, 0};
  const auto watts = total(power_between_w(*before, *after), meter.description().covers);
  return {fps, watts.value_or(0) / fps};
}

}  // namespace tandem
