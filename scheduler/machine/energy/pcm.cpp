// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/pcm.h"

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

using Reason = EnergyUnavailable::Reason;
using std::chrono::milliseconds;

// Twice a sample, so that none is missed; the server's answer costs it milliseconds of a core.
constexpr milliseconds kPcmPause{500};
constexpr milliseconds kLongestPause{30000};
constexpr std::size_t kMostBytes = 8 << 20;  // 2 KiB a hardware thread, and room
constexpr const char* kAdvice =
    "On Intel processors: sudo apt-get install pcm && sudo pcm-sensor-server";

std::unique_ptr<HttpClient> make_client(const PcmOptions& options) {
  try {
    return std::make_unique<HttpClient>(options.host, options.port);
  } catch (const std::runtime_error& error) {
    throw EnergyUnavailable(Reason::absent, error.what());
  }
}

}  // namespace

PcmMeter::PcmMeter(const PcmOptions& options)
    : options_(options), client_(make_client(options)), pause_(kPcmPause) {
  const HttpResult answer = client_->get("/", options_.timeout, kMostBytes, -1);
  if (!answer.error.empty()) {
    throw EnergyUnavailable(Reason::absent,
                            "no pcm-sensor-server at " + client_->address() + ": " + answer.error,
                            kAdvice);
  }
  std::string error;
  const std::optional<PcmSample> first = parse_pcm_sample(answer.body, error);
  if (!first) throw EnergyUnavailable(Reason::broken, client_->address() + " " + error);
  counter_ = std::make_unique<PcmCounter>(*first, options_.device_in_package, description_);
  sampler_ = std::make_unique<Sampler>([this](int stop_file) { return ask(stop_file); });
}

std::optional<EnergyReading> PcmMeter::read() {
  const std::lock_guard lock(mutex_);
  return reading_;
}

milliseconds PcmMeter::ask(int stop_file) {
  const HttpResult answer = client_->get("/persecond", options_.timeout, kMostBytes, stop_file);
  counter_->add(answer, MeterClock::now(), client_->address(), messages_);
  {
    const std::lock_guard lock(mutex_);
    reading_ = counter_->reading();
  }
  pause_ = counter_->failing() ? std::min(2 * pause_, kLongestPause) : kPcmPause;
  return pause_;
}

}  // namespace tandem
