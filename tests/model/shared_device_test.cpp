// SPDX-License-Identifier: LGPL-2.1-or-later
// Coupled mappings in which any thread takes the device when it is free.
#include <gtest/gtest.h>

#include "model/predict/predict.h"

namespace tandem {
namespace {

// Stages on the CPU and on the device in ms; threads that scale perfectly.
Measurements chip(const std::vector<double>& cpu_ms, const std::vector<double>& device_ms,
                  int cores) {
  Measurements m;
  m.cores = cores;
  double all_s = 0;
  for (std::size_t k = 0; k < cpu_ms.size(); ++k) {
    m.stages.push_back({.cg = {1e-3 * cpu_ms[k], {}},
                        .mg = {1e-3 * cpu_ms[k] / cores, {}},
                        .device = {1e-3 * device_ms[k], {}},
                        .has_device = true});
    all_s += 1e-3 * cpu_ms[k];
  }
  for (int n = 1; n <= cores + 1; ++n) m.cg.push_back({all_s / n, {}});
  return m;
}

Configuration coupled(const char* mapping, int threads) {
  Configuration c{{}, Granularity::coarse, threads};
  EXPECT_EQ(parse_mapping(mapping, static_cast<int>(std::string(mapping).size()), c.mapping), "");
  return c;
}

TEST(SharedDevice, OneThreadDoesOneThingAtATime) {
  const Measurements m = chip({4, 2, 3}, {0.5, 0.5, 0.5}, 4);
  EXPECT_NEAR(predict(m, coupled("gcg", 1)).throughput_fps, 1000 / 3.0, 1e-9);
}

}  // namespace
}  // namespace tandem
