// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/machine/energy/counter_track.h"
#include "scheduler/machine/energy/meter.h"
#include "scheduler/machine/energy/nvml_library.h"
#include "scheduler/machine/energy/sampler.h"

namespace tandem {

struct NvmlOptions {
  std::string library = "libnvidia-ml.so.1";
  /// Which GPU: its number, its PCI id ("0000:1a:00.0", or without the domain), or part of its
  /// name. Empty: the one that `opencl_device` names, else the first.
  std::string gpu;
  std::string opencl_device;  ///< the device's name
  std::string opencl_pci_id;  ///< where the OpenCL driver tells it
};

/// The place in `gpus` of the one that the options mean. Throws EnergyUnavailable, which lists what
/// there is.
std::size_t choose_gpu(const std::vector<NvmlLibrary::Gpu>& gpus, const NvmlOptions& options);

/// The places of `count` GPUs of one name, that of the one that the options mean first. Throws
/// EnergyUnavailable.
std::vector<std::size_t> choose_gpus(const std::vector<NvmlLibrary::Gpu>& gpus,
                                     const NvmlOptions& options, int count);

/// Follows one GPU's energy: its counter, or where it has none (before Volta) its power, added up
/// over time. Called by one thread; the time is passed in.
class NvmlCounter {
 public:
  /// Throws EnergyUnavailable.
  NvmlCounter(const NvmlOptions& options, MeterDescription& description);

  /// False when the GPU does not answer.
  bool sample(MeterClock::time_point now, MessageBox& messages);
  std::optional<EnergyReading> reading() const;

 private:
  void add_power(double watts, MeterClock::time_point now);

  NvmlLibrary library_;
  NvmlLibrary::Gpu gpu_;
  bool has_counter_ = false;
  CounterTrack track_;
  double sum_j_ = 0, last_w_ = 0;  // of the power readings
  std::optional<MeterClock::time_point> last_power_at_;
};

/// G of a discrete NVIDIA GPU. A thread asks the driver, whose calls may take milliseconds; read()
/// takes what came last.
class NvmlMeter final : public EnergyMeter {
 public:
  /// Throws EnergyUnavailable.
  explicit NvmlMeter(const NvmlOptions& options);

  std::optional<EnergyReading> read() override;
  std::vector<std::string> take_messages() override { return messages_.take(); }

 private:
  bool sample();

  MessageBox messages_;
  NvmlCounter counter_;  // the sampler's own
  std::mutex mutex_;     // guards reading_; held for a copy only
  std::optional<EnergyReading> reading_;
  std::unique_ptr<Sampler> sampler_;  // last: it uses all of the above
};

}  // namespace tandem
