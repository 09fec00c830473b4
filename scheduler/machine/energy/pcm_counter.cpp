// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/clock.h"
#include "scheduler/machine/energy/pcm.h"

namespace tandem {
namespace {

using Reason = EnergyUnavailable::Reason;

constexpr double kResolutionS = 1;
constexpr double kMostSocketW = 1000;
constexpr double kLongestIntervalS = 60;
// The server replaces a sample after a second: asked again within this time, none was missed.
constexpr double kNoneMissedS = 0.9;
constexpr double kStandsStillS = 3;

bool counts(const std::optional<double>& since_start_j) {
  return since_start_j && *since_start_j > 0;
}

PackageCounters found_counters(const PcmSample& first, bool device_in_package) {
  return {counts(first.cores_j), device_in_package && counts(first.device_j),
          counts(first.memory_j)};
}

}  // namespace

PcmCounter::PcmCounter(const PcmSample& first, bool device_in_package,
                       MeterDescription& description)
    : counters_(found_counters(first, device_in_package)), split_(counters_) {
  if (!counts(first.package_j)) {
    throw EnergyUnavailable(Reason::absent,
                            "pcm-sensor-server reports no package energy on this processor");
  }
  description.name = "pcm";
  split_.describe(first.sockets == 1 ? "package" : std::to_string(first.sockets) + " packages",
                  kResolutionS, description);
  sum_.package_j = sum_.cores_j = sum_.device_j = sum_.memory_j = 0.0;
}

void PcmCounter::lose() {
  at_.reset();
  reading_.reset();
}

void PcmCounter::add(const HttpResult& answer, MeterClock::time_point now,
                     const std::string& address, MessageBox& messages) {
  const bool may_have_missed = seconds(now - asked_at_) > kNoneMissedS;
  asked_at_ = now;
  std::string error = answer.error;
  std::optional<PcmSample> sample;
  if (error.empty() && answer.body == last_body_) {
    if (!at_ || seconds(now - *at_) < kStandsStillS) return;
    error = "repeats the same sample";
  } else if (error.empty()) {
    last_body_ = answer.body;
    sample = parse_pcm_sample(answer.body, error);
  }
  if (sample && !plausible(*sample)) {
    error = "reports impossible joules (negative, zero, or more than a chip can draw)";
    sample.reset();
  }
  failing_ = !sample;
  if (failing_) {
    // Connections fail in many words, content in few: each is told once.
    messages.tell_once(answer.error.empty() ? error : "connection",
                       "pcm-sensor-server at " + address + ": " + error +
                           "; energy is unknown until it sends valid samples again");
    lose();
    return;
  }
  if (may_have_missed) lose();
  add_sample(*sample, now);
}

bool PcmCounter::plausible(const PcmSample& sample) const {
  if (!(sample.interval_s > 0) || sample.interval_s > kLongestIntervalS) return false;
  const double most_j = kMostSocketW * sample.sockets * sample.interval_s;
  const auto in_range = [most_j](bool needed, const std::optional<double>& joules) {
    return !needed || (joules && *joules >= 0 && *joules <= most_j);
  };
  // A package that is switched on never draws nothing.
  return in_range(true, sample.package_j) && *sample.package_j > 0 &&
         in_range(counters_.cores, sample.cores_j) && in_range(counters_.device, sample.device_j) &&
         in_range(counters_.memory, sample.memory_j);
}

void PcmCounter::add_sample(const PcmSample& sample, MeterClock::time_point now) {
  if (at_) {
    *at_ += std::chrono::duration_cast<MeterClock::duration>(
        std::chrono::duration<double>(sample.interval_s));
    *sum_.package_j += *sample.package_j;
    *sum_.cores_j += sample.cores_j.value_or(0);
    *sum_.device_j += sample.device_j.value_or(0);
    *sum_.memory_j += sample.memory_j.value_or(0);
  } else {
    at_ = now;  // what it tells of the time before follows no known moment
    ++breaks_;
  }
  reading_ = split_.split({{sum_.package_j, *at_, breaks_},
                           {sum_.cores_j, *at_, breaks_},
                           {sum_.device_j, *at_, breaks_},
                           {sum_.memory_j, *at_, breaks_}});
}

}  // namespace tandem
