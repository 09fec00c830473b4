// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/srad/srad_implementation.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"
#include "tests/kernels/support/tensor_plane.h"

namespace tandem::check {
namespace {

constexpr FrameSize kUltrasound{"US", 458, 502};

/// A frame at every stage, its planes as the tensors have them.
struct BenchFrame {
  BenchFrame(int w, int h)
      : luma(w, h, 0),
        image(w, h, 0),
        squares(w, h, 1),
        differences(w, 2 * h, 2),
        coefficient(w, h, 3),
        updated(w, h, 4),
        sums(static_cast<std::size_t>(h)) {
    std::mt19937 random(1);
    for (int y = 0; y < h; ++y) {
      for (int x = 0; x < w; ++x)
        luma.row(y)[x] = static_cast<uint8_t>(x / 16 + y / 8 + random() % 50);
    }
    srad_extract_ref(luma.plane(), image.plane(), all());
    srad_prepare_ref(image.plane(), squares.plane(), all());
    srad_reduce_ref(image.plane(), squares.plane(), sums.data(), all());
    statistics = srad_combine(sums.data(), w, h);
    srad_diffuse_ref(image.plane(), statistics.variation, differences.plane(), coefficient.plane(),
                     all());
    srad_update_ref(image.plane(), differences.plane(), coefficient.plane(), 0.5f, updated.plane(),
                    all());
  }
  Rows all() const { return {0, image.height()}; }
  double pixels() const { return static_cast<double>(image.width()) * image.height(); }

  Guarded<uint8_t> luma;
  TensorPlane<float> image, squares, differences, coefficient, updated;
  std::vector<SradSums> sums;
  SradStatistics statistics;
};

/// A stage of the CPU: what it moves and how it is called.
struct Stage {
  double bytes_a_pixel;
  void (*simd)(BenchFrame&, Rows);
  void (*reference)(BenchFrame&, Rows);
  /// What is left when the bands are done.
  void (*finish)(BenchFrame&) = [](BenchFrame&) {};
};

const Stage kExtract{
    5, [](BenchFrame& f, Rows rows) { srad_extract_simd(f.luma.plane(), f.image.plane(), rows); },
    [](BenchFrame& f, Rows rows) { srad_extract_ref(f.luma.plane(), f.image.plane(), rows); }};
const Stage kPrepare{
    8,
    [](BenchFrame& f, Rows rows) { srad_prepare_simd(f.image.plane(), f.squares.plane(), rows); },
    [](BenchFrame& f, Rows rows) { srad_prepare_ref(f.image.plane(), f.squares.plane(), rows); }};
const Stage kReduce{8,
                    [](BenchFrame& f, Rows rows) {
                      srad_reduce_simd(f.image.plane(), f.squares.plane(), f.sums.data(), rows);
                    },
                    [](BenchFrame& f, Rows rows) {
                      srad_reduce_ref(f.image.plane(), f.squares.plane(), f.sums.data(), rows);
                    },
                    [](BenchFrame& f) {
                      f.statistics = srad_combine(f.sums.data(), f.image.width(), f.image.height());
                    }};
const Stage kDiffuse{16,
                     [](BenchFrame& f, Rows rows) {
                       srad_diffuse_simd(f.image.plane(), f.statistics.variation,
                                         f.differences.plane(), f.coefficient.plane(), rows);
                     },
                     [](BenchFrame& f, Rows rows) {
                       srad_diffuse_ref(f.image.plane(), f.statistics.variation,
                                        f.differences.plane(), f.coefficient.plane(), rows);
                     }};
const Stage kUpdate{20,
                    [](BenchFrame& f, Rows rows) {
                      srad_update_simd(f.image.plane(), f.differences.plane(),
                                       f.coefficient.plane(), 0.5f, f.updated.plane(), rows);
                    },
                    [](BenchFrame& f, Rows rows) {
                      srad_update_ref(f.image.plane(), f.differences.plane(), f.coefficient.plane(),
                                      0.5f, f.updated.plane(), rows);
                    }};
const Stage kCompress{
    5,
    [](BenchFrame& f, Rows rows) { srad_compress_simd(f.updated.plane(), f.luma.plane(), rows); },
    [](BenchFrame& f, Rows rows) { srad_compress_ref(f.updated.plane(), f.luma.plane(), rows); }};

void one_core(benchmark::State& state, const Stage& stage, FrameSize size) {
  BenchFrame frame(size.width, size.height);
  const auto run = [&](void (*rows)(BenchFrame&, Rows)) {
    rows(frame, frame.all());
    stage.finish(frame);
  };
  against_bandwidth(
      state, stage.bytes_a_pixel * frame.pixels(), [&] { run(stage.simd); },
      [&] { run(stage.reference); });
}

void two_cores(benchmark::State& state, const Stage& stage, FrameSize size) {
  BenchFrame frame(size.width, size.height);
  medium_grain(state, size.height, {[&](Rows rows) { stage.simd(frame, rows); }},
               [&] { stage.finish(frame); });
}

/// All six stages from luma to luma, stages 2 to 5 once, on one core.
void whole_frame(benchmark::State& state, FrameSize size) {
  BenchFrame frame(size.width, size.height);
  const Stage* const stages[] = {&kExtract, &kPrepare, &kReduce, &kDiffuse, &kUpdate, &kCompress};
  const auto run = [&](auto rows) {
    for (const Stage* stage : stages) {
      (stage->*rows)(frame, frame.all());
      stage->finish(frame);
    }
  };
  double bytes = 0;
  for (const Stage* stage : stages) bytes += stage->bytes_a_pixel;
  against_bandwidth(
      state, bytes * frame.pixels(), [&] { run(&Stage::simd); }, [&] { run(&Stage::reference); });
}

/// Stages 2 to 5 on the device, from device memory to device memory: the time of one iteration
/// among
/// 20. The profile is of `profiled` iterations: of one, or of as many as show what is computed
/// together.
void opencl_iteration(benchmark::State& state, FrameSize size, int profiled) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  using Access = opencl::Buffer::Access;
  const std::size_t bytes = sizeof(float) * size.width * size.height;
  opencl::Queue queue(context);
  const SradOpenCL kernels(*context);
  opencl::Buffer image(context, bytes), squares(context, bytes), differences(context, 2 * bytes),
      coefficient(context, bytes), sums(context, size.height * 16u), statistics(context, 8);
  BenchFrame frame(size.width, size.height);
  std::copy_n(frame.image.row(0), bytes / sizeof(float),
              static_cast<float*>(image.host(Access::write)));
  const auto plane = [&](opencl::Buffer& buffer, int planes = 1) {
    return opencl::DevicePlane{buffer.device(queue, Access::read_write), 0, size.width,
                               planes * size.height, size.width};
  };
  const auto span = [&](opencl::Buffer& buffer) {
    return opencl::DeviceSpan{buffer.device(queue, Access::read_write)};
  };
  const Rows all{0, size.height};
  const double pixel_bytes = 4.0 * size.width * size.height;
  const std::vector<DeviceWork> work{
      {"srad_prepare", 0, 2 * pixel_bytes},       {"srad_reduce", 0, 2 * pixel_bytes},
      {"srad_reduce_blocks", 0, 2 * pixel_bytes}, {"srad_diffuse", 0, 4 * pixel_bytes},
      {"srad_update", 0, 5 * pixel_bytes},        {"srad_iterate", 0, 2 * pixel_bytes * profiled}};
  on_device(state, queue, kKernelBatch / profiled, work, [&] {
    for (int i = 0; i < profiled; ++i) {
      kernels.prepare(queue, plane(image), plane(squares), all);
      kernels.reduce(queue, plane(image), plane(squares), span(sums), span(statistics));
      kernels.diffuse(queue, plane(image), span(statistics), plane(differences, 2),
                      plane(coefficient), all);
      kernels.update(queue, plane(image), plane(differences, 2), plane(coefficient), 0.5f,
                     plane(image), all);
    }
  });
}

#define TANDEM_SRAD_BENCH(stage)                                                      \
  BENCHMARK_CAPTURE(one_core, stage##_US, k##stage, kUltrasound)->UseManualTime();    \
  BENCHMARK_CAPTURE(one_core, stage##_HD, k##stage, kFrameSizes[1])->UseManualTime(); \
  BENCHMARK_CAPTURE(two_cores, stage##_HD, k##stage, kFrameSizes[1])->UseManualTime()

TANDEM_SRAD_BENCH(Extract);
TANDEM_SRAD_BENCH(Prepare);
TANDEM_SRAD_BENCH(Reduce);
TANDEM_SRAD_BENCH(Diffuse);
TANDEM_SRAD_BENCH(Update);
TANDEM_SRAD_BENCH(Compress);
const int kRegistered = bench_each_target("whole_frame", kUltrasound, whole_frame) +
                        bench_each_target("whole_frame", kFrameSizes[1], whole_frame);
BENCHMARK_CAPTURE(opencl_iteration, US, kUltrasound, 1)->UseManualTime();
BENCHMARK_CAPTURE(opencl_iteration, HD, kFrameSizes[1], 1)->UseManualTime();
BENCHMARK_CAPTURE(opencl_iteration, US_20_iterations, kUltrasound, 20)->UseManualTime();
BENCHMARK_CAPTURE(opencl_iteration, HD_20_iterations, kFrameSizes[1], 20)->UseManualTime();

}  // namespace
}  // namespace tandem::check
