// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/bench/origin.h"

#include <glib.h>

#include <ctime>

#include "scheduler/machine/cores.h"

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

BenchOrigin bench_origin(const std::string& input) {
  const std::string processor = processor_name();
  BenchOrigin origin{.version = TANDEM_VERSION, .date = utc_now(), .host = g_get_host_name()};
  if (!processor.empty()) origin.processor = processor;
  if (!input.empty()) origin.input = input;
  return origin;
}

}  // namespace tandem
