// SPDX-License-Identifier: LGPL-2.1-or-later
#include <nlohmann/json.hpp>
#include <string_view>

#include "scheduler/machine/energy/pcm.h"

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

}  // namespace tandem
