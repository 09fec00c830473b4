// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "kernels/plane.h"

/// Measurements for the benches of all kernels: `<kernel>_check --bench`. The machine may be
/// shared, so all that is compared is measured by turns and reported as medians and bests of one
/// run.
namespace tandem::check {

/// The frame sizes that the project is judged by.
struct FrameSize {
  const char* name;
  int width, height;
};
constexpr FrameSize kFrameSizes[] = {{"LD", 600, 416}, {"HD", 1920, 1080}};

/// Registers `bench` once for each SIMD target that the processor has: all kernels, and the peaks
/// that they are measured against, run on that target. Named "name/size/target". Returns 0, to be
/// called by the initialiser of a constant.
int bench_each_target(const std::string& name, FrameSize size,
                      void (*bench)(benchmark::State&, FrameSize));

/// Processor time that this thread has used.
double core_seconds();

/// What one core can do: the rate of independent multiply-adds on the vectors of the chosen target,
/// in GFLOP/s (two a multiply-add), measured over about 0.3 ms.
double measure_fma_peak_gflops();

/// Measures `run` on this thread against the FMA peak. `multiply_adds` is what the method needs for
/// one run, not what the implementation does. `reference` computes a part of the same work,
/// `reference_share` of it, and is measured once. The label names the loop of the peak. Counters:
///   GFLOP/s, peak  medians      %peak  median over median      %peak_best  best over best
///   x_ref          time of the reference by the time of `run`
/// No peaks on SCALAR and EMU128: the compiler makes vectors of a kernel's loops there, and none of
/// the loop of the peak.
void against_peak(benchmark::State& state, double multiply_adds, const std::function<void()>& run,
                  const std::function<void()>& reference, double reference_share);

/// What one core can move between itself and memory: the rate of a = b + factor * c on the vectors
/// of the chosen target over three arrays of 64 MiB, in GB/s of what is read and written, as STREAM
/// counts. About 20 ms.
double measure_triad_gbps();

/// Measures `run` on this thread, which reads and writes `bytes`, against the memory bandwidth,
/// which is measured again whenever twice as many runs are done. The label names the loop of the
/// triad. Counters:
///   GB/s, triad  medians      %triad  median over median      %triad_best  best over best
///   x_ref        time of the reference by the time of `run`
/// Above 100% where a cache holds what `run` works on.
void against_bandwidth(benchmark::State& state, double bytes, const std::function<void()>& run,
                       const std::function<void()>& reference, double reference_share = 1);

/// Measures `run` against its reference alone, by turns: for kernels that arithmetic does not
/// limit.
void against_reference(benchmark::State& state, const std::function<void()>& run,
                       const std::function<void()>& reference, double reference_share);

/// Measures kernels one after the other, each over the executor's bands of [0, rows) on two
/// threads, then `finish` on one, against all that on one thread, in bands too. Counters:
/// x_one_core (medians), x_one_core_best, %serial: what `finish` takes of the whole on one thread
/// (bests).
void medium_grain(benchmark::State& state, int rows,
                  const std::vector<std::function<void(Rows)>>& kernels,
                  const std::function<void()>& finish);

}  // namespace tandem::check
