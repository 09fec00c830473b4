// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/machine/energy/meter.h"
#include "scheduler/machine/energy/monotonic_counter.h"
#include "scheduler/machine/energy/package_split.h"

namespace tandem {

struct RaplOptions {
  std::string folder = "/sys/class/powercap";
  bool device_in_package = false;  ///< the OpenCL device is this processor's own graphics
  /// AMD's "core" zone counts one core, not all of them, and is left out.
  bool amd = false;
  /// Opens a counter for reading: a file descriptor, or -errno. Tests replace it.
  std::function<int(const std::string& path)> open_file;
};

/// True when /proc/cpuinfo names AMD, or Hygon, whose counters are the same.
bool processor_is_amd();

/// Energy counters of the processor through Linux powercap (intel-rapl, which serves AMD too).
/// Several packages are added up. read() costs one system call a counter and sees values that are
/// at most a few milliseconds old.
class RaplMeter final : public EnergyMeter {
 public:
  /// Throws EnergyUnavailable.
  explicit RaplMeter(const RaplOptions& options);
  ~RaplMeter() override;

  std::optional<EnergyReading> read() override;
  /// The same with the time given, for tests.
  std::optional<EnergyReading> read_at(MeterClock::time_point now);

 private:
  struct Zone;
  void open_zones(const RaplOptions& options);
  void describe(const RaplOptions& options);
  void read_zone(Zone& zone, MeterClock::time_point now);

  std::vector<Zone> zones_;
  std::optional<PackageSplit> split_;
};

}  // namespace tandem
