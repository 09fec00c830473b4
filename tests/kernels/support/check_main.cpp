// SPDX-License-Identifier: LGPL-2.1-or-later
#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/kernels/support/implementation.h"

namespace tandem::check {

uint32_t seed() {
  static const uint32_t chosen = [] {
    const char* given = std::getenv("TANDEM_TEST_SEED");
    return given ? static_cast<uint32_t>(std::strtoul(given, nullptr, 0)) : std::random_device{}();
  }();
  return chosen;
}

}  // namespace tandem::check

/// Tests; with --bench as the first argument benchmarks, with the arguments of Google Benchmark.
int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--bench") == 0) {
    argv[1] = argv[0];
    int arguments = argc - 1;
    benchmark::Initialize(&arguments, argv + 1);
    if (benchmark::ReportUnrecognizedArguments(arguments, argv + 1)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  std::printf("TANDEM_TEST_SEED=%u\n", tandem::check::seed());
  return RUN_ALL_TESTS();
}
