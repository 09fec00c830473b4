// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <string>

#include "pipelines/streams/samples.h"

namespace tandem::streams {

/// A machine whose best setting is known: long stages want two partitions and four tasks, short
/// ones one stream. Other settings take `penalty` times as long.
inline SampleTable known_machine(int programs, double penalty = 1.5) {
  SampleTable table{.origin = {.version = "1",
                               .date = "2026-01-01T00:00:00Z",
                               .processor = "processor",
                               .device = "device",
                               .platform = "platform",
                               .driver = "driver"},
                    .host = "host",
                    .cores = 4};
  for (int p = 0; p < programs; ++p) {
    for (int d = 0; d < 4; ++d) {
      const double long_ns = 1e6 * (1 + d), short_ns = 1e3 * (1 + d);
      const bool is_long = (p + d) % 2 == 0;
      const double one_ns = is_long ? long_ns : short_ns;
      Sample sample{.program = std::string("program") + static_cast<char>('a' + p),
                    .data = "n=" + std::to_string(d)};
      sample.code = {{"most-tasks", 8.0 + p % 3}, {"instructions", 100.0 * (1 + (p * 7 + d) % 5)}};
      sample.run = {{"upload-ns", one_ns / 4},   {"kernel-ns", one_ns / 2},
                    {"download-ns", one_ns / 4}, {"upload-bytes", one_ns},
                    {"download-bytes", one_ns},  {"launches", 1}};
      for (const auto& [partitions, tasks] : {std::pair(1, 1), {1, 2}, {2, 2}, {2, 4}, {4, 4}}) {
        const bool best = is_long ? partitions == 2 && tasks == 4 : tasks == 1;
        const double ns = best ? one_ns : penalty * one_ns;
        sample.grid.push_back({partitions, tasks, ns, ns, 0.01, 5});
      }
      table.samples.push_back(sample);
    }
  }
  return table;
}

}  // namespace tandem::streams
