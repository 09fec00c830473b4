// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/machine/energy/meter.h"
#include "scheduler/machine/energy/monotonic_counter.h"
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

/// The place in `gpus` of the one that the options mean. Throws EnergyUnavailable, which lists the
/// GPUs.
std::size_t choose_gpu(const std::vector<NvmlLibrary::Gpu>& gpus, const NvmlOptions& options);

/// The places of `count` GPUs of one name, that of the one that the options mean first. Throws
/// EnergyUnavailable.
std::vector<std::size_t> choose_gpus(const std::vector<NvmlLibrary::Gpu>& gpus,
                                     const NvmlOptions& options, int count);

/// The times at which a counter with a value every 100 ms is asked. Few calls should find each
/// value a few milliseconds after it came. After one that was found so, calls begin 86 ms later;
/// after one that may have come long before it was found, they begin at once. They come every 4 ms,
/// and from 130 ms on every 20 ms, because no value comes.
class AskingTimes {
 public:
  /// `changed_at`: when the newest value was found.
  void asked(MeterClock::time_point now, MeterClock::time_point changed_at);
  /// Until the next call, from the latest one on.
  std::chrono::milliseconds pause() const;

 private:
  MeterClock::time_point asked_at_, changed_at_;
  bool found_soon_ = false;  // the newest value
};

/// Follows one GPU's energy: its counter, or where it has none (before Volta) its power, added up
/// over time. Called by one thread; the time is passed in.
class NvmlCounter {
 public:
  /// Throws EnergyUnavailable.
  NvmlCounter(const NvmlOptions& options, MeterDescription& description);

  /// False when the GPU does not answer.
  bool sample(MeterClock::time_point now, MessageBox& messages);
  std::optional<EnergyReading> reading() const;
  /// The wait of a close follower before the next call.
  std::chrono::milliseconds pause() const;
  const NvmlLibrary::Gpu& gpu() const { return gpu_; }

 private:
  void add_power(double watts, MeterClock::time_point now);

  NvmlLibrary library_;
  NvmlLibrary::Gpu gpu_;
  bool has_counter_ = false;
  MonotonicCounter energy_;
  AskingTimes asking_;
  double sum_j_ = 0, last_w_ = 0;  // of the power readings
  std::optional<MeterClock::time_point> last_power_at_;
};

/// Asks one GPU again and again, on a thread: the driver's calls take milliseconds, in which other
/// calls of the process wait for it. All meters of a process for one GPU share it.
class NvmlSource {
 public:
  /// The one of the GPU that the options mean. Throws EnergyUnavailable.
  static std::shared_ptr<NvmlSource> open(const NvmlOptions& options);

  explicit NvmlSource(std::unique_ptr<NvmlCounter> counter, MeterDescription description);
  const MeterDescription& description() const { return description_; }
  std::optional<EnergyReading> reading() const;
  std::vector<std::string> take_messages() { return messages_.take(); }
  /// A token for callers that want new values to be found at once.
  std::shared_ptr<void> follow_closely() { return followers_; }

 private:
  std::chrono::milliseconds look();
  bool sample();

  const MeterDescription description_;
  MessageBox messages_;
  const std::unique_ptr<NvmlCounter> counter_;  // the sampler's own
  const std::shared_ptr<void> followers_ = std::make_shared<char>();
  MeterClock::time_point sampled_at_;
  bool answered_ = true;
  mutable std::mutex mutex_;  // guards reading_; held for a copy only
  std::optional<EnergyReading> reading_;
  std::unique_ptr<Sampler> sampler_;  // last: it uses all of the above
};

/// G of a discrete NVIDIA GPU, from its opening on.
class NvmlMeter final : public EnergyMeter {
 public:
  /// Throws EnergyUnavailable.
  explicit NvmlMeter(const NvmlOptions& options);

  std::optional<EnergyReading> read() override;
  /// A message reaches one of the meters of a GPU.
  std::vector<std::string> take_messages() override { return source_->take_messages(); }
  std::shared_ptr<void> follow_closely() override { return source_->follow_closely(); }

 private:
  const std::shared_ptr<NvmlSource> source_;
  double opened_at_j_ = 0;
};

}  // namespace tandem
