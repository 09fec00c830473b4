// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "scheduler/machine/energy/http_get.h"
#include "scheduler/machine/energy/meter.h"
#include "scheduler/machine/energy/package_split.h"
#include "scheduler/machine/energy/sampler.h"

namespace tandem {

struct PcmOptions {
  std::string host = "localhost";
  int port = 9738;
  bool device_in_package = false;  ///< the OpenCL device is this processor's own graphics
  std::chrono::milliseconds timeout{1000};
};

/// Energy in one answer of pcm-sensor-server, all sockets added up. A counter that is missing for a
/// socket, or is no number, is unknown.
struct PcmSample {
  double interval_s = 1;
  int sockets = 0;
  std::optional<double> package_j;
  std::optional<double> cores_j;   ///< PP0; Debian 12's version does not tell it
  std::optional<double> device_j;  ///< PP1, the graphics in the package; the same
  std::optional<double> memory_j;
};

/// Reads the JSON that the server gives at / (since it started) and at /persecond (between its last
/// two samples). Empty when it is not such JSON; `error` says why.
std::optional<PcmSample> parse_pcm_sample(const std::string& body, std::string& error);

/// Adds up the server's /persecond answers: joules between its last two samples, about a second
/// apart. (Its absolute counters come with six digits, which after a day is no resolution at all.)
/// Pure: answers and times are passed in.
class PcmCounter {
 public:
  /// `first`: the server's absolute counters; one that stands at 0 is one that the chip lacks.
  /// Throws EnergyUnavailable when there is no package energy.
  PcmCounter(const PcmSample& first, bool device_in_package, MeterDescription& description);

  /// An answer, or why there is none; the same answer again is the same sample.
  void add(const HttpResult& answer, MeterClock::time_point now, const std::string& address,
           MessageBox& messages);
  bool failing() const { return failing_; }
  std::optional<EnergyReading> reading() const { return reading_; }

 private:
  void lose();
  bool plausible(const PcmSample& sample) const;
  void add_sample(const PcmSample& sample, MeterClock::time_point now);

  PackageCounters counters_;
  PackageSplit split_;
  PcmSample sum_;
  uint32_t breaks_ = 0;
  std::string last_body_;
  MeterClock::time_point asked_at_;
  // The end of the last sample, on our clock: sample by sample by the server's own intervals.
  // Empty while the next sample follows none.
  std::optional<MeterClock::time_point> at_;
  bool failing_ = false;
  std::optional<EnergyReading> reading_;
};

/// Energy through Intel's pcm-sensor-server, which reads the counters as root and serves them to
/// everybody. A thread asks it; read() returns the latest answer.
class PcmMeter final : public EnergyMeter {
 public:
  /// Asks the server once, for at most `timeout`. Throws EnergyUnavailable.
  explicit PcmMeter(const PcmOptions& options);

  std::optional<EnergyReading> read() override;

 private:
  std::chrono::milliseconds ask(int stop_file);

  PcmOptions options_;
  std::unique_ptr<HttpClient> client_;
  std::unique_ptr<PcmCounter> counter_;  // the sampler's own
  std::chrono::milliseconds pause_;      // the sampler's own
  std::mutex mutex_;                     // guards reading_; held for a copy only
  std::optional<EnergyReading> reading_;
  std::unique_ptr<Sampler> sampler_;  // last: it uses all of the above
};

}  // namespace tandem
