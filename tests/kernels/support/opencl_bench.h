// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "tests/kernels/support/device_profile.h"

/// Measurements of OpenCL kernels for `<kernel>_check --bench`.
namespace tandem::check {

inline double process_core_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Times `enqueue`, waited for every `batch` calls; the time is of one call. batch 1 is what a
/// frame alone takes; more shows the device without the waits. Then profiles some calls and prints
/// how much of its bound each kernel reaches, for kernels that `work` tells the work of. Counters:
///   GFLOP/s  where `work` has multiply-adds
///   core_ms  processor time that one call costs: on a CPU device the work itself
inline void on_device(benchmark::State& state, opencl::Queue& queue, int batch,
                      const std::vector<DeviceWork>& work, const std::function<void()>& enqueue) {
  enqueue();
  queue.finish();
  double total_s = 0;
  const double core_before_s = process_core_seconds();
  for ([[maybe_unused]] auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; ++i) enqueue();
    queue.finish();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    total_s += time.count() / batch;
    state.SetIterationTime(time.count() / batch);
  }
  const auto calls = static_cast<double>(state.iterations()) * batch;
  state.counters["core_ms"] = 1e3 * (process_core_seconds() - core_before_s) / calls;
  double multiply_adds = 0;
  for (const DeviceWork& each : work) multiply_adds += each.multiply_adds;
  if (multiply_adds > 0) {
    state.counters["GFLOP/s"] =
        2e-9 * multiply_adds * static_cast<double>(state.iterations()) / total_s;
  }
  print_profile(profile_commands(queue, 20, enqueue), measure_device_peaks(queue), work);
}

/// Calls in a batch when kernels alone are measured.
constexpr int kKernelBatch = 20;

}  // namespace tandem::check
