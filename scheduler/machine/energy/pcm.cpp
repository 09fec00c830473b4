// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/pcm.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// The server prints C++ doubles: a ratio of two zeros comes as -nan, which JSON does not have.
std::string with_null_for_nan(const std::string& body) {
  std::string result;
  result.reserve(body.size());
  bool in_text = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const std::string_view rest = std::string_view(body).substr(i);
    if (in_text && body[i] == '\\' && i + 1 < body.size()) {
      result += body[i++];
    } else if (body[i] == '"') {
      in_text = !in_text;
    } else if (!in_text) {
      const std::string_view word = rest.substr(rest.starts_with('-') ? 1 : 0);
      if (word.starts_with("nan") || word.starts_with("inf")) {
        result += "null";
        i += (rest.size() - word.size()) + 2;
        continue;
      }
    }
    result += body[i];
  }
  return result;
}

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// Unknown on one socket is unknown on all.
void add(std::optional<double>& sum, const Json& counters, const char* name) {
  const Json* value = member(counters, name);
  if (value && value->is_number() && sum) {
    *sum += value->get<double>();
  } else {
    sum.reset();
  }
}

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

std::optional<PcmSample> parse_pcm_sample(const std::string& body, std::string& error) {
  const Json root = Json::parse(with_null_for_nan(body), nullptr, false);
  const Json* sockets = member(root, "Sockets");
  if (root.is_discarded()) {
    error = "sends broken JSON";
  } else if (!sockets || !sockets->is_array() || sockets->empty()) {
    error = "sends JSON without sockets; it is not a pcm-sensor-server";
  }
  if (!error.empty()) return std::nullopt;
  PcmSample sample;
  sample.package_j = sample.cores_j = sample.device_j = sample.memory_j = 0.0;
  sample.sockets = static_cast<int>(sockets->size());
  for (const Json& socket : *sockets) {
    const Json* uncore = member(socket, "Uncore");
    const Json* counters = uncore ? member(*uncore, "Uncore Counters") : nullptr;
    const Json& energy = counters ? *counters : Json::object();
    add(sample.package_j, energy, "Package Joules Consumed");
    add(sample.cores_j, energy, "PP0 Joules Consumed");
    add(sample.device_j, energy, "PP1 Joules Consumed");
    add(sample.memory_j, energy, "DRAM Joules Consumed");
  }
  const Json* interval_us = member(root, "Interval us");
  if (interval_us && interval_us->is_number())
    sample.interval_s = interval_us->get<double>() * 1e-6;
  return sample;
}

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
    at_ = now;  // its interval follows no known moment
    ++breaks_;
  }
  reading_ = split_.split({{sum_.package_j, *at_, breaks_},
                           {sum_.cores_j, *at_, breaks_},
                           {sum_.device_j, *at_, breaks_},
                           {sum_.memory_j, *at_, breaks_}});
}

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
