// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/bench/origin.h"

#include <glib.h>

#include "pipelines/tandem/pipeline/glib_owned.h"
#include "scheduler/machine/cores.h"

namespace tandem {

BenchOrigin bench_origin(const std::string& input) {
  GDateTime* const now = g_date_time_new_now_utc();
  const GlibString date(g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ"));
  g_date_time_unref(now);
  const std::string processor = processor_name();
  BenchOrigin origin{.version = TANDEM_VERSION, .date = date.get(), .host = g_get_host_name()};
  if (!processor.empty()) origin.processor = processor;
  if (!input.empty()) origin.input = input;
  return origin;
}

}  // namespace tandem
