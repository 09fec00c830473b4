// SPDX-License-Identifier: LGPL-2.1-or-later
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "kernels/network/network_cpu.h"
#include "tests/kernels/network/opencv_dnn.h"
#include "tests/kernels/network/random_network.h"
#include "tests/kernels/support/bench.h"

/// Networks on the cores. Arguments: ONNX files, or none for those of the test data; --steps for
/// a table of each file's steps; those of Google Benchmark.
namespace tandem::check {
namespace {

using network::Network;
using network::NetworkCpu;

struct Bench {
  std::string path;
  std::shared_ptr<const Network> network;
  std::unique_ptr<NetworkCpu> cores;
  double prepare_ms;
};

/// A thread's frame: the same pixels again and again.
class Frame {
 public:
  explicit Frame(const Bench& bench)
      : bench_(bench),
        random_(1),
        inputs_(random_inputs(random_, *bench.network)),
        outputs_(room_for_outputs(*bench.network)),
        memory_(bench.cores->memory_bytes() / sizeof(float) + 1),
        read_(read_only(inputs_)),
        written_(writable(outputs_)) {}

  void compute(std::vector<uint64_t>* times_ns = nullptr) {
    bench_.cores->run(read_, written_, memory_.data(), {}, times_ns);
  }
  const Elements& input() const { return inputs_.front(); }

 private:
  const Bench& bench_;
  std::mt19937 random_;
  std::vector<Elements> inputs_, outputs_;
  Elements memory_;
  std::vector<const float*> read_;
  std::vector<float*> written_;
};

double core_seconds_of(const std::function<void()>& run) {
  const double start = core_seconds();
  run();
  return core_seconds() - start;
}

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Frames a second of processor time, by turns with OpenCV's dnn. Counters: medians, the best
/// frame, and the spread from the first to the third quartile as a share of the median.
void one_core(benchmark::State& state, const Bench& bench) {
  Frame frame(bench);
  const network::Shape& shape = bench.network->of(bench.network->inputs.front()).shape;
  const auto rival = network::test::opencv_dnn_frames(
      bench.path, shape, {frame.input().data(), frame.input().data() + frame.input().size()});
  std::vector<double> times, rival_times;
  for (int warm = 0; warm < 2; ++warm) frame.compute();
  for (auto _ : state) {
    times.push_back(core_seconds_of([&] { frame.compute(); }));
    state.SetIterationTime(times.back());
    if (rival) rival_times.push_back(core_seconds_of(rival));
  }
  const double median = at_share(times, 0.5);
  state.counters["frames/s"] = 1 / median;
  state.counters["best"] = 1 / at_share(times, 0);
  state.counters["%spread"] = 100 * (at_share(times, 0.75) - at_share(times, 0.25)) / median;
  if (rival) {
    state.counters["opencv"] = 1 / at_share(rival_times, 0.5);
    state.counters["x_opencv"] = at_share(rival_times, 0.5) / median;
  }
  state.counters["prepare_ms"] = bench.prepare_ms;
  state.counters["memory_MB"] = 1e-6 * static_cast<double>(bench.cores->memory_bytes());
  state.counters["x_live"] = static_cast<double>(bench.cores->memory_bytes()) /
                             static_cast<double>(bench.cores->largest_live_set());
}

/// A frame each.
void all_cores(benchmark::State& state, const Bench& bench) {
  Frame frame(bench);
  frame.compute();
  for (auto _ : state) frame.compute();
  state.counters["frames/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

/// Medians of the steps, with the shape of what each writes.
void print_steps(const Bench& bench) {
  constexpr std::size_t kFrames = 30;
  Frame frame(bench);
  frame.compute();
  std::vector<std::vector<double>> of_step(bench.network->steps.size());
  for (std::size_t f = 0; f < kFrames; ++f) {
    std::vector<uint64_t> times;
    frame.compute(&times);
    for (std::size_t s = 0; s < times.size(); ++s)
      of_step[s].push_back(1e-3 * static_cast<double>(times[s]));
  }
  std::printf("%s\n%-10s %9s %8s  %s\n", bench.path.c_str(), "step", "us", "GFLOP/s", "output");
  for (std::size_t s = 0; s < of_step.size(); ++s) {
    const network::Step& step = bench.network->steps[s];
    const double us = at_share(of_step[s], 0.5);
    const auto gflop = 2e-9 * static_cast<double>(multiply_adds(*bench.network, step));
    std::printf("%-10s %9.1f %8.1f  ", name_of(step.operation), us,
                us > 0 ? gflop / (1e-6 * us) : 0);
    const network::Shape& shape = bench.network->of(step.output).shape;
    for (std::size_t i = 0; i < shape.size(); ++i)
      std::printf("%s%lld", i ? "x" : "", static_cast<long long>(shape[i]));
    std::printf("\n");
  }
}

Bench prepared(const std::string& path) {
  Bench bench{path, std::make_shared<const Network>(network::read_network(path)), {}, 0};
  const auto began = std::chrono::steady_clock::now();
  bench.cores = std::make_unique<NetworkCpu>(bench.network);
  bench.prepare_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  return bench;
}

std::vector<std::string> files_of_test_data() {
  std::vector<std::string> files;
  if (const char* const data = std::getenv("TANDEM_TEST_DATA"))
    for (const auto& entry : std::filesystem::directory_iterator(std::string(data) + "/models"))
      if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  bool steps = false;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--steps") == 0)
      steps = true;
    else
      files.emplace_back(argv[i]);
  }
  if (files.empty()) files = files_of_test_data();
  if (files.empty()) {
    std::fprintf(stderr, "network_bench: name an ONNX file, or set TANDEM_TEST_DATA\n");
    return 1;
  }
  std::vector<Bench> benches;
  for (const std::string& file : files) benches.push_back(prepared(file));
  for (const Bench& bench : benches) {
    const std::string name = std::filesystem::path(bench.path).stem();
    benchmark::RegisterBenchmark((name + "/one_core").c_str(), one_core, std::cref(bench))
        ->UseManualTime()
        ->Iterations(100)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((name + "/all_cores").c_str(), all_cores, std::cref(bench))
        ->Threads(static_cast<int>(std::thread::hardware_concurrency()))
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  if (steps)
    for (const Bench& bench : benches) print_steps(bench);
  return 0;
}

}  // namespace
}  // namespace tandem::check

int main(int argc, char** argv) { return tandem::check::run(argc, argv); }
