// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <stdexcept>

#include "kernels/vivid_classifier/vivid_classifier.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

/// All of stage 3 in one call, as the reference does it. `threads` > 1: the first step in that many
/// bands at once.
using Whole = void(const float* histogram, CellGrid cells, const LinearSvm& svm, Plane<float> score,
                   int threads);
using Classifier = Implementation<Whole>;
using VividClassifier = KernelTest<Whole>;

void simd(const float* histogram, CellGrid cells, const LinearSvm& svm, Plane<float> score,
          int threads) {
  const PackedSvm packed(svm);
  Guarded<float> partial(static_cast<int>(vivid_classifier_partial_size(cells)), 1);
  float* const answers = partial.plane().data;
  in_threads(std::max(0, cells.rows - 1), threads,
             [&](Rows band) { vivid_classifier_rows(histogram, cells, packed, answers, band); });
  vivid_classifier_combine(answers, cells, packed, score);
  EXPECT_TRUE(partial.intact());
}

/// The scores in two bands: the upper half's scratch must not disturb the lower half.
Classifier on(const OpenCLDevice& device) {
  const auto run = [device](const float* histogram, CellGrid cells, const LinearSvm& svm,
                            Plane<float> score, int) {
    const int values = cells.columns * cells.rows * svm.filters;
    std::vector<float> scratch(VividClassifierOpenCL::partial_size(cells));
    const int scratch_size = static_cast<int>(scratch.size());
    opencl::Queue queue(device.context);
    VividClassifierOpenCL kernel(*device.context, svm);
    DeviceCopy in(device.context, queue, Plane<const float>{histogram, values, 1, values});
    DeviceCopy partial(device.context, queue,
                       Plane<float>{scratch.data(), scratch_size, 1, scratch_size});
    DeviceCopy out(device.context, queue, score);
    const int half = score.height / 2;
    for (const Rows band : {Rows{0, half}, Rows{half, score.height}}) {
      kernel.enqueue(queue, in.span(), cells, partial.span(), out.plane(), band);
    }
    partial.fetch();
    out.fetch();
  };
  return {device.name, run, device.fused, false};
}

/// The block rows before one of them on the device, the others on the cores.
Classifier split_on(const OpenCLDevice& device) {
  const auto run = [device](const float* histogram, CellGrid cells, const LinearSvm& svm,
                            Plane<float> score, int threads) {
    const int values = cells.columns * cells.rows * svm.filters;
    const int block_rows = std::max(0, cells.rows - 1);
    const int split = block_rows * (1 + threads % 4) / 5;
    std::vector<float> scratch(VividClassifierOpenCL::partial_size(cells));
    const int scratch_size = static_cast<int>(scratch.size());
    opencl::Queue queue(device.context);
    VividClassifierOpenCL kernel(*device.context, svm);
    DeviceCopy in(device.context, queue, Plane<const float>{histogram, values, 1, values});
    DeviceCopy partial(device.context, queue,
                       Plane<float>{scratch.data(), scratch_size, 1, scratch_size});
    DeviceCopy out(device.context, queue, score);
    kernel.enqueue(queue, in.span(), cells, partial.span(), out.plane(), {0, score.height}, split);
    out.fetch();
    const PackedSvm packed(svm);
    std::vector<float> answers(vivid_classifier_partial_size(cells));
    vivid_classifier_rows(histogram, cells, packed, answers.data(), {split, block_rows});
    vivid_classifier_combine(answers.data(), cells, packed, score, split);
  };
  return {device.name + "_and_cores", run, device.fused, false};
}

std::vector<Classifier> implementations() {
  std::vector<Classifier> all = on_each_simd_target(simd);
  for (const OpenCLDevice& device : opencl_devices()) {
    all.push_back(on(device));
    all.push_back(split_on(device));
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, VividClassifier, testing::ValuesIn(implementations()),
                         ImplementationName());

LinearSvm random_svm(std::mt19937& random, int filters, float scale = 0.05f) {
  std::normal_distribution<float> normal(0, scale);
  LinearSvm svm;
  svm.filters = filters;
  svm.weights.resize(static_cast<std::size_t>(VividWindow::kBlocks) * 4 * filters);
  for (float& w : svm.weights) w = normal(random);
  svm.bias = normal(random);
  return svm;
}

/// Histograms as stage 2 leaves them: few filters hold most votes of a cell.
std::vector<float> random_histogram(std::mt19937& random, CellGrid cells, int filters,
                                    float scale = 1) {
  std::vector<float> histogram(static_cast<std::size_t>(cells.columns) * cells.rows * filters);
  std::uniform_real_distribution<float> votes(0, 8 * scale);
  for (float& h : histogram) h = random() % 3 ? 0 : votes(random);
  return histogram;
}

/// `unit`: what the weights are multiples of when they are not of usual size.
testing::AssertionResult agree(const Guarded<float>& expected, const Guarded<float>& found,
                               float unit = 1) {
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x) {
      const float wanted = expected.row(y)[x], value = found.row(y)[x];
      if (!(std::fabs(value - wanted) <= 1e-4f * unit)) {
        return testing::AssertionFailure()
               << "(" << x << ", " << y << "): expected " << wanted << ", found " << value;
      }
    }
  }
  return testing::AssertionSuccess();
}

Guarded<float> score_of(CellGrid cells) {
  const ScoreGrid grid = ScoreGrid::of(cells);
  return {grid.columns, grid.rows};
}

Guarded<float> reference_score(const std::vector<float>& histogram, CellGrid cells,
                               const LinearSvm& svm) {
  Guarded<float> score = score_of(cells);
  vivid_classifier_ref(histogram.data(), cells, svm, score.plane());
  return score;
}

void expect_agreement(const Classifier& classifier, const std::vector<float>& histogram,
                      CellGrid cells, const LinearSvm& svm, float unit = 1, int threads = 1) {
  Guarded<float> found = score_of(cells);
  classifier.run(histogram.data(), cells, svm, found.plane(), threads);
  EXPECT_TRUE(agree(reference_score(histogram, cells, svm), found, unit))
      << cells.columns << "x" << cells.rows << " cells, " << svm.filters << " filters";
  EXPECT_TRUE(found.intact());
}

TEST_P(VividClassifier, RandomGridsOfAnySize) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(12); ++i) {
    const CellGrid cells{random_int(random, 8, 30), random_int(random, 16, 19)};
    const int filters = random_int(random, 1, 120);
    expect_agreement(GetParam(), random_histogram(random, cells, filters), cells,
                     random_svm(random, filters));
  }
}

TEST_P(VividClassifier, FilterCountsAroundWholeVectors) {
  std::mt19937 random = generator(2);
  for (const int filters : {1, 3, 15, 16, 17, 56, 57, 100, 255}) {
    const CellGrid cells{9, 17};
    expect_agreement(GetParam(), random_histogram(random, cells, filters), cells,
                     random_svm(random, filters));
  }
}

TEST_P(VividClassifier, GridsAroundOneWindow) {
  std::mt19937 random = generator(3);
  const LinearSvm svm = random_svm(random, 7);
  for (const CellGrid cells : {CellGrid{0, 0}, CellGrid{1, 1}, CellGrid{0, 20}, CellGrid{20, 0},
                               CellGrid{7, 16}, CellGrid{8, 15}, CellGrid{8, 16}, CellGrid{8, 17},
                               CellGrid{9, 16}, CellGrid{23, 16}, CellGrid{24, 16}}) {
    expect_agreement(GetParam(), random_histogram(random, cells, 7), cells, svm);
  }
}

TEST_P(VividClassifier, ExtremeHistograms) {
  std::mt19937 random = generator(4);
  const CellGrid cells{12, 17};
  const LinearSvm svm = random_svm(random, 20);
  const std::vector<float> zeros(12 * 17 * 20, 0.0f), full(12 * 17 * 20, 64.0f);
  expect_agreement(GetParam(), zeros, cells, svm);
  expect_agreement(GetParam(), full, cells, svm);
  for (const float scale : {1e-30f, 1e-4f, 1e10f, 1e30f}) {
    expect_agreement(GetParam(), random_histogram(random, cells, 20, scale), cells, svm);
  }
}

TEST_P(VividClassifier, ExtremeWeights) {
  std::mt19937 random = generator(5);
  const CellGrid cells{12, 17};
  const std::vector<float> histogram = random_histogram(random, cells, 20);
  expect_agreement(GetParam(), histogram, cells, random_svm(random, 20, 0));
  for (const float scale : {1e-20f, 1e20f}) {
    expect_agreement(GetParam(), histogram, cells, random_svm(random, 20, 0.05f * scale), scale);
  }
}

TEST_P(VividClassifier, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(6);
  const CellGrid cells{20, 21};
  expect_agreement(GetParam(), random_histogram(random, cells, 33), cells, random_svm(random, 33),
                   1, 6);
}

/// Bands of the first step, which every SIMD target has.
class VividClassifierRows : public testing::TestWithParam<SimdTarget> {
 protected:
  void SetUp() override { use_simd_target(GetParam().target); }
  void TearDown() override { use_simd_target(0); }
};

INSTANTIATE_TEST_SUITE_P(All, VividClassifierRows, testing::ValuesIn(simd_targets()),
                         ImplementationName());

TEST_P(VividClassifierRows, BandsOfEverySplitMakeTheWhole) {
  std::mt19937 random = generator(7);
  const CellGrid cells{13, 19};
  const LinearSvm svm = random_svm(random, 10);
  const PackedSvm packed(svm);
  const std::vector<float> histogram = random_histogram(random, cells, 10);
  const int block_rows = cells.rows - 1;
  const int row_size = static_cast<int>(vivid_classifier_partial_size(cells)) / block_rows;
  Guarded<float> whole(row_size, block_rows, 0);
  vivid_classifier_rows(histogram.data(), cells, packed, whole.plane().data, {0, block_rows});
  for (const std::vector<Rows>& split : every_split(block_rows)) {
    Guarded<float> found(row_size, block_rows, 0);
    for (const Rows band : split) {
      vivid_classifier_rows(histogram.data(), cells, packed, found.plane().data, band);
      if (&band == &split.front()) {
        EXPECT_TRUE(found.intact_outside(band));
      }
    }
    EXPECT_TRUE(same(whole, found));
  }
}

TEST(PackedSvm, RefusesWeightsOfTheWrongSize) {
  std::mt19937 random = generator(8);
  LinearSvm svm = random_svm(random, 3);
  svm.weights.pop_back();
  EXPECT_THROW(PackedSvm{svm}, std::invalid_argument);
  EXPECT_THROW(PackedSvm{LinearSvm{}}, std::invalid_argument);
}

constexpr int kFilters = 100;

struct BenchFrame {
  CellGrid cells;
  LinearSvm svm;
  PackedSvm packed;
  std::vector<float> histogram, partial;
  Guarded<float> score;

  BenchFrame(FrameSize size, std::mt19937 random = std::mt19937(1))
      : cells(CellGrid::of(size.width, size.height)),
        svm(random_svm(random, kFilters)),
        packed(svm),
        histogram(random_histogram(random, cells, kFilters)),
        partial(vivid_classifier_partial_size(cells)),
        score(score_of(cells)) {}

  int block_rows() const { return cells.rows - 1; }
  void run(Rows rows) {
    vivid_classifier_rows(histogram.data(), cells, packed, partial.data(), rows);
  }
  void finish() { vivid_classifier_combine(partial.data(), cells, packed, score.plane()); }
};

void bench_one_core(benchmark::State& state, FrameSize size) {
  BenchFrame frame(size);
  const double block_positions = static_cast<double>(frame.cells.columns - 1) * frame.block_rows();
  const Plane<float> score = frame.score.plane();
  against_peak(
      state, block_positions * VividWindow::kBlocks * 4 * kFilters,
      [&] {
        frame.run({0, frame.block_rows()});
        frame.finish();
      },
      [&] {
        const Plane<float> first_row{score.data, score.width, 1, score.stride};
        vivid_classifier_ref(frame.histogram.data(), frame.cells, frame.svm, first_row);
      },
      1.0 / score.height);
}

void bench_medium_grain(benchmark::State& state, FrameSize size) {
  BenchFrame frame(size);
  medium_grain(state, frame.block_rows(), {[&](Rows rows) { frame.run(rows); }},
               [&] { frame.finish(); });
}

/// From device memory to device memory, and with the histogram copied in and the scores out.
void bench_opencl(benchmark::State& state, FrameSize size, bool copies) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  BenchFrame frame(size);
  opencl::Queue queue(context);
  VividClassifierOpenCL kernel(*context, frame.svm);
  using Access = opencl::Buffer::Access;
  const ScoreGrid grid = ScoreGrid::of(frame.cells);
  opencl::Buffer histogram(context, frame.histogram.size() * sizeof(float)),
      partial(context, VividClassifierOpenCL::partial_size(frame.cells) * sizeof(float)),
      score(context, static_cast<std::size_t>(grid.columns) * grid.rows * sizeof(float));
  std::copy(frame.histogram.begin(), frame.histogram.end(),
            static_cast<float*>(histogram.host(Access::write)));
  const double blocks = static_cast<double>(frame.cells.columns - 1) * frame.block_rows();
  const double answers = blocks * VividWindow::kBlocks, floats = 4;
  const auto windows = static_cast<double>(grid.columns) * grid.rows;
  const auto counts = static_cast<double>(frame.histogram.size());
  on_device(state, queue, copies ? 1 : kKernelBatch,
            {{"vivid_classifier_answers", answers * 4 * kFilters, floats * (counts + answers)},
             {"vivid_classifier_sum", 0, floats * (answers + windows)}},
            [&] {
              if (copies) histogram.host(Access::write);
              kernel.enqueue(
                  queue, {histogram.device(queue, Access::read), 0}, frame.cells,
                  {partial.device(queue, Access::write), 0},
                  {score.device(queue, Access::write), 0, grid.columns, grid.rows, grid.columns},
                  {0, grid.rows});
              if (copies) score.enqueue_download(queue);
            });
}

const int kRegistered = bench_each_target("bench_one_core", kFrameSizes[0], bench_one_core) +
                        bench_each_target("bench_one_core", kFrameSizes[1], bench_one_core);
BENCHMARK_CAPTURE(bench_medium_grain, LD, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_medium_grain, HD, kFrameSizes[1])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, LD_kernel, kFrameSizes[0], false)->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_kernel, kFrameSizes[1], false)->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, LD_copies, kFrameSizes[0], true)->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_copies, kFrameSizes[1], true)->UseManualTime();

}  // namespace
}  // namespace tandem::check
