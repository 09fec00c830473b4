// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/bench_origin.h"

#include <glib.h>

#include <ctime>
#include <fstream>
#include <iterator>

#include "pipelines/tandem/options.h"

namespace tandem {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

std::optional<std::string> processor_name(const std::string& cpuinfo) {
  for (const std::string& line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::nullopt;
}

BenchOrigin bench_origin(const std::string& input) {
  std::ifstream file("/proc/cpuinfo");
  const std::string cpuinfo{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  BenchOrigin origin{.version = TANDEM_VERSION,
                     .date = utc_now(),
                     .host = g_get_host_name(),
                     .processor = processor_name(cpuinfo)};
  if (!input.empty()) origin.input = input;
  return origin;
}

}  // namespace tandem
