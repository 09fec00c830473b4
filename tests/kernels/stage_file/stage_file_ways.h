// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "tests/kernels/stage_file/stage_file_runner.h"

namespace tandem::check {

/// The stage of pipelines/stages that has this name.
inline StageRunner runner_of(const std::string& name) {
  return {load_stage_file(std::string(std::getenv("TANDEM_STAGES")) + "/" + name + ".cl"),
          any_context()};
}

/// Hands each side, and the cores in bands of a few rows, to `test`.
inline void run_each_way(
    const StageRunner& runner,
    const std::function<void(const std::function<std::string(StageMemory&)>&)>& test) {
  {
    SCOPED_TRACE("cores");
    test([&](StageMemory& memory) { return runner.run_host(memory); });
  }
  {
    SCOPED_TRACE("bands");
    test([&](StageMemory& memory) {
      std::vector<int> bands;
      for (int row = 0; row < runner.host_rows(memory); row += 3) bands.push_back(row);
      return runner.run_host(memory, bands);
    });
  }
  if (!runner.has_device()) return;
  SCOPED_TRACE("device");
  test([&](StageMemory& memory) { return runner.run_device(memory); });
}

/// Width and height of frames.
inline constexpr std::pair<int, int> kSizes[] = {{1, 1}, {2, 3}, {7, 1}, {64, 48}, {333, 77}};

}  // namespace tandem::check
