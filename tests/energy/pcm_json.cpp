// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/energy/pcm_json.h"

namespace tandem::test {
namespace {

std::string counter(const char* name, const std::string& value) {
  return value.empty() ? std::string() : std::string("\"").append(name) + "\" : " + value + ",\r\n";
}

std::string uncore_counters(const PcmJson& values) {
  return "\"Uncore Counters\" : {\r\n" + counter("DRAM Writes", "123904") +
         counter("Package Joules Consumed", values.package_j) +
         counter("PP0 Joules Consumed", values.cores_j) +
         counter("PP1 Joules Consumed", values.device_j) +
         counter("DRAM Joules Consumed", values.memory_j) +
         "\"CStateResidency[0]\" : " + values.residency + "\r\n}";
}

std::string core_counters(const PcmJson& values) {
  return "\"Core Counters\" : {\r\n\"Instructions Retired Any\" : 4711\r\n},\r\n"
         "\"Energy Counters\" : {\r\n\"Thermal Headroom\" : 61,\r\n\"CStateResidency[0]\" : " +
         values.residency + "\r\n}";
}

std::string socket(const PcmJson& values, int number) {
  return "{\r\n\"Object\" : \"Socket\",\r\n\"Socket ID\" : " + std::to_string(number) +
         ",\r\n\"Number of cores\" : 1,\r\n\"Cores\" : [\r\n{\r\n\"Object\" : \"Core\",\r\n"
         "\"Threads\" : [\r\n{\r\n\"Object\" : \"HyperThread\",\r\n" +
         core_counters(values) + "\r\n}\r\n]\r\n}\r\n],\r\n\"Uncore\" : {\r\n" +
         "\"Object\" : \"ClientUncore\",\r\n" + uncore_counters(values) +
         "\r\n},\r\n\"Core Aggregate\" : {\r\n" + core_counters(values) + "\r\n}\r\n}";
}

}  // namespace

std::string pcm_json(const PcmJson& values) {
  std::string text =
      "{\r\n" + counter("Interval us", values.interval_us) +
      "\"Object\" : \"SystemRoot\",\r\n\"Number of sockets\" : " + std::to_string(values.sockets) +
      ",\r\n\"Sockets\" : [\r\n";
  for (int number = 0; number < values.sockets; ++number) {
    text += (number ? ",\r\n" : "") + socket(values, number);
  }
  return text + "],\r\n\"QPI/UPI Links\" : {\r\n},\r\n\"Core Aggregate\" : {\r\n" +
         core_counters(values) + "\r\n},\r\n\"Uncore Aggregate\" : {\r\n" +
         uncore_counters(values) + "\r\n}\r\n}\r\n";
}

}  // namespace tandem::test
