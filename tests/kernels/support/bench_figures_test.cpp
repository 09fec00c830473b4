// SPDX-License-Identifier: LGPL-2.1-or-later
// Each share that a bench prints says what it is a share of. Nothing depends on times here.
#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/implementation.h"

namespace tandem::check {
namespace {

class Collect final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& reported) override {
    runs.insert(runs.end(), reported.begin(), reported.end());
  }
  std::vector<Run> runs;
};

void work() { benchmark::DoNotOptimize(measure_fma_peak_gflops()); }

/// What a bench of one iteration reports on `target`.
benchmark::BenchmarkReporter::Run run_of(const SimdTarget& target,
                                         void (*bench)(benchmark::State&)) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(target.name.c_str(), bench)->Iterations(1)->UseManualTime();
  use_simd_target(target.target);
  Collect collect;
  benchmark::RunSpecifiedBenchmarks(&collect);
  use_simd_target(0);
  return collect.runs.at(0);
}

TEST(BenchFigures, SharesOfThePeakNameTheLoop) {
  for (const SimdTarget& target : simd_targets()) {
    const auto run =
        run_of(target, [](benchmark::State& state) { against_peak(state, 1e6, work, work, 1); });
    EXPECT_NE(run.report_label.find(target.name), std::string::npos) << run.report_label;
    EXPECT_EQ(run.counters.count("GFLOP/s"), 1U) << target.name;
    EXPECT_EQ(run.counters.count("x_ref"), 1U) << target.name;
    // The compiler makes vectors of a kernel there as it likes: no loop tells what it could reach.
    const bool has_peak = target.name != "SCALAR" && target.name != "EMU128";
    for (const char* share : {"peak", "%peak", "%peak_best"})
      EXPECT_EQ(run.counters.count(share), has_peak ? 1U : 0U) << target.name << " " << share;
    EXPECT_EQ(run.report_label.find("no peak") == std::string::npos, has_peak) << run.report_label;
  }
}

TEST(BenchFigures, SharesOfTheTriadNameTheLoop) {
  for (const SimdTarget& target : simd_targets()) {
    const auto run =
        run_of(target, [](benchmark::State& state) { against_bandwidth(state, 1e6, work, work); });
    EXPECT_NE(run.report_label.find("%triad of " + target.name), std::string::npos)
        << run.report_label;
    EXPECT_EQ(run.counters.count("%triad"), 1U) << target.name;
  }
}

}  // namespace
}  // namespace tandem::check
