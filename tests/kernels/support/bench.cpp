// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/support/bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <vector>

#include "model/median.h"
#include "scheduler/flow/bands.h"
#include "tests/kernels/support/implementation.h"
#include "tests/support/cores_stage.h"

namespace tandem::check {
namespace {

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Processor time of this thread: what others do on the core meanwhile does not count.
double core_seconds_of(const std::function<void()>& run) {
  const double start = core_seconds();
  run();
  return core_seconds() - start;
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}
double greatest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

/// Bands of a kernel, for the executor's threads.
class Bands final : public CoresStage {
 public:
  Bands(int rows, const std::function<void(Rows)>& run) : rows_(rows), run_(run) {}
  int rows(const Item&) const override { return rows_; }
  void compute(Item&, int first, int last) override { run_({first, last}); }

 private:
  const int rows_;
  const std::function<void(Rows)>& run_;
};

}  // namespace

int bench_each_target(const std::string& name, FrameSize size,
                      void (*bench)(benchmark::State&, FrameSize)) {
  for (const SimdTarget& target : simd_targets()) {
    const std::string full = name + "/" + size.name + "/" + target.name;
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
      use_simd_target(target.target);
      bench(state, size);
      use_simd_target(0);
    })->UseManualTime();
  }
  return 0;
}

double core_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

void against_peak(benchmark::State& state, double multiply_adds, const std::function<void()>& run,
                  const std::function<void()>& reference, double reference_share) {
  run();
  const SimdTarget target = current_simd_target();
  std::vector<double> peaks, times;
  for (auto _ : state) {
    if (target.own_vectors) peaks.push_back(measure_fma_peak_gflops());
    times.push_back(core_seconds_of(run));
    state.SetIterationTime(times.back());
  }
  const double gflop = 2e-9 * multiply_adds;
  state.counters["GFLOP/s"] = gflop / median(times);
  state.counters["x_ref"] = core_seconds_of(reference) / reference_share / median(times);
  if (!target.own_vectors) {
    state.SetLabel("bound by arithmetic; no peak: the compiler chooses the vectors of " +
                   target.name);
    return;
  }
  state.SetLabel("bound by arithmetic: %peak of " + target.name + " multiply-adds in a loop");
  state.counters["peak"] = median(peaks);
  state.counters["%peak"] = 100 * gflop / median(times) / median(peaks);
  state.counters["%peak_best"] = 100 * gflop / least(times) / greatest(peaks);
}

void against_bandwidth(benchmark::State& state, double bytes, const std::function<void()>& run,
                       const std::function<void()>& reference, double reference_share) {
  run();
  reference();
  std::vector<double> triads, times, reference_times;
  for (auto _ : state) {
    const std::size_t done = times.size();
    if ((done & (done + 1)) == 0) {
      triads.push_back(measure_triad_gbps());
      reference_times.push_back(core_seconds_of(reference));
      run();  // into the caches again, as far as they hold it
    }
    times.push_back(core_seconds_of(run));
    state.SetIterationTime(times.back());
  }
  state.SetLabel("bound by bytes: %triad of " + current_simd_target().name +
                 " a = b + f c over 192 MiB");
  state.counters["GB/s"] = 1e-9 * bytes / median(times);
  state.counters["triad"] = median(triads);
  state.counters["%triad"] = 100 * 1e-9 * bytes / median(times) / median(triads);
  state.counters["%triad_best"] = 100 * 1e-9 * bytes / least(times) / greatest(triads);
  state.counters["x_ref"] = median(reference_times) / reference_share / median(times);
}

void against_reference(benchmark::State& state, const std::function<void()>& run,
                       const std::function<void()>& reference, double reference_share) {
  run();
  std::vector<double> times, reference_times;
  for (auto _ : state) {
    reference_times.push_back(core_seconds_of(reference));
    times.push_back(core_seconds_of(run));
    state.SetIterationTime(times.back());
  }
  state.counters["x_ref"] = median(reference_times) / reference_share / median(times);
}

void medium_grain(benchmark::State& state, int rows,
                  const std::vector<std::function<void(Rows)>>& kernels,
                  const std::function<void()>& finish) {
  std::vector<Bands> stages;
  for (const auto& kernel : kernels) stages.emplace_back(rows, kernel);
  Item item;
  BandPool one(1), two(2);
  const std::atomic<bool> stop{false};
  constexpr int kFramesInARow = 16;  // a stream keeps its threads for many more
  std::vector<double> alone, together, finishing;
  const auto frames_on = [&](BandPool& cores, std::vector<double>& times) {
    for (int frame = 0; frame < kFramesInARow; ++frame) {
      double finish_s = 0;
      times.push_back(seconds_of([&] {
        for (Bands& stage : stages) cores.compute(stage, item, 0, stop);
        finish_s = seconds_of(finish);
      }));
      if (&cores == &one) finishing.push_back(finish_s);
    }
  };
  for (auto _ : state) {
    frames_on(one, alone);
    frames_on(two, together);
    state.SetIterationTime(together.back());
  }
  state.SetLabel("%serial of the time on one thread");
  state.counters["%serial"] = 100 * least(finishing) / least(alone);
  state.counters["x_one_core"] = median(alone) / median(together);
  state.counters["x_one_core_best"] = least(alone) / least(together);
}

}  // namespace tandem::check
