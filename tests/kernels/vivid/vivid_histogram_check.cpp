// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_histogram/vivid_histogram.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

using Histogram = Implementation<decltype(vivid_histogram_simd)>;
using VividHistogram = KernelTest<decltype(vivid_histogram_simd)>;

Histogram on(const OpenCLDevice& device) {
  const auto run = [device](Plane<const uint8_t> index, Plane<const float> weight, int filters,
                            float* histogram, Rows cell_rows) {
    const CellGrid cells = CellGrid::of(index.width, index.height);
    const Plane<float> plane{histogram, cells.columns * filters, cells.rows,
                             cells.columns * filters};
    opencl::Queue queue(device.context);
    VividHistogramOpenCL kernel(*device.context, filters);
    DeviceCopy index_copy(device.context, queue, index);
    DeviceCopy weight_copy(device.context, queue, weight);
    DeviceCopy histogram_copy(device.context, queue, plane);
    kernel.enqueue(queue, index_copy.plane(), weight_copy.plane(), histogram_copy.span(),
                   cell_rows);
    histogram_copy.fetch();
  };
  return {device.name, run, false, false};
}

/// `fused` means here: adds in the order of the reference, exact.
std::vector<Histogram> implementations() {
  std::vector<Histogram> all;
  // No Highway inside: one target stands for all.
  all.push_back({"simd", vivid_histogram_simd});
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, VividHistogram, testing::ValuesIn(implementations()),
                         ImplementationName());

/// The votes of a frame and what becomes of them: a histogram is a plane of cells by filters.
struct Votes {
  Guarded<uint8_t> index;
  Guarded<float> weight;
  CellGrid cells;

  Votes(int width, int height)
      : index(width, height), weight(width, height), cells(CellGrid::of(width, height)) {}

  Guarded<float> histogram(int filters) const { return {cells.columns * filters, cells.rows, 0}; }
};

Votes make_votes(int width, int height, const std::function<int()>& index,
                 const std::function<float()>& weight) {
  Votes votes(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      votes.index.row(y)[x] = static_cast<uint8_t>(index());
      votes.weight.row(y)[x] = weight();
    }
  }
  return votes;
}

Votes random_votes(std::mt19937& random, int width, int height, int filters) {
  return make_votes(
      width, height, [&] { return random_int(random, 0, filters - 1); },
      [&] { return std::uniform_real_distribution<float>(0, 3)(random); });
}

testing::AssertionResult agree(const Histogram& kernel, const Guarded<float>& expected,
                               const Guarded<float>& found) {
  if (kernel.fused) return same(expected, found);
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x) {
      const float wanted = expected.row(y)[x], value = found.row(y)[x];
      if (!(std::abs(value - wanted) <= 1e-5f * wanted)) {
        return testing::AssertionFailure() << "cell row " << y << ", value " << x << ": expected "
                                           << wanted << ", found " << value;
      }
    }
  }
  return testing::AssertionSuccess();
}

Guarded<float> reference_histogram(const Votes& votes, int filters) {
  Guarded<float> histogram = votes.histogram(filters);
  vivid_histogram_ref(votes.index.plane(), votes.weight.plane(), filters, histogram.plane().data,
                      {0, votes.cells.rows});
  return histogram;
}

void expect_agreement(const Histogram& kernel, const Votes& votes, int filters) {
  Guarded<float> found = votes.histogram(filters);
  kernel.run(votes.index.plane(), votes.weight.plane(), filters, found.plane().data,
             {0, votes.cells.rows});
  EXPECT_TRUE(agree(kernel, reference_histogram(votes, filters), found))
      << votes.index.width() << "x" << votes.index.height() << ", " << filters << " filters";
  EXPECT_TRUE(found.intact());
}

TEST_P(VividHistogram, RandomFramesOfAnySize) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(100); ++i) {
    const int filters = random_int(random, 1, 255);
    const int width = random_int(random, 1, 120), height = random_int(random, 1, 45);
    expect_agreement(GetParam(), random_votes(random, width, height, filters), filters);
  }
}

TEST_P(VividHistogram, FramesAroundOneCell) {
  std::mt19937 random = generator(2);
  for (const int size : {1, 2, 8, 9, 10, 11, 17, 18}) {
    expect_agreement(GetParam(), random_votes(random, size, 18, 5), 5);
    expect_agreement(GetParam(), random_votes(random, 18, size, 5), 5);
  }
}

TEST_P(VividHistogram, ExtremeVotes) {
  std::mt19937 random = generator(3);
  const auto check = [&](const std::function<int()>& index, const std::function<float()>& weight) {
    expect_agreement(GetParam(), make_votes(77, 35, index, weight), 100);
  };
  check([] { return 0; }, [] { return 0.0f; });
  check([] { return 99; }, [] { return 1e30f; });
  check([] { return 7; }, [] { return 1e-40f; });
  check([&] { return random_int(random, 0, 99); }, [&] { return random() % 2 ? 1e10f : 1e-10f; });
}

TEST_P(VividHistogram, VotesForNoFilterAreIgnored) {
  std::mt19937 random = generator(4);
  const Votes votes = make_votes(
      60, 40, [&] { return random_int(random, 0, 255); }, [] { return 1.0f; });
  for (const int filters : {1, 3, 100, 254}) expect_agreement(GetParam(), votes, filters);
}

TEST_P(VividHistogram, BandsOfEverySplitMakeTheWhole) {
  std::mt19937 random = generator(5);
  const Votes votes = random_votes(random, 83, 75, 21);
  const Guarded<float> expected = reference_histogram(votes, 21);
  for (const std::vector<Rows>& split : every_split(votes.cells.rows)) {
    Guarded<float> found = votes.histogram(21);
    for (const Rows band : split) {
      GetParam().run(votes.index.plane(), votes.weight.plane(), 21, found.plane().data, band);
      if (&band == &split.front()) {
        EXPECT_TRUE(found.intact_outside(band));
      }
    }
    EXPECT_TRUE(agree(GetParam(), expected, found));
  }
}

TEST_P(VividHistogram, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(6);
  const Votes votes = random_votes(random, 90, 99, 40);
  Guarded<float> found = votes.histogram(40);
  in_threads(votes.cells.rows, 6, [&](Rows band) {
    GetParam().run(votes.index.plane(), votes.weight.plane(), 40, found.plane().data, band);
  });
  EXPECT_TRUE(agree(GetParam(), reference_histogram(votes, 40), found));
}

/// `spread` filters share the votes: 100 is noise, 1 a flat frame, in which each vote waits for the
/// one before.
template <int spread>
void bench_one_core(benchmark::State& state, FrameSize size) {
  std::mt19937 random(1);
  const Votes votes = make_votes(
      size.width, size.height, [&] { return random_int(random, 0, spread - 1); },
      [&] { return std::uniform_real_distribution<float>(0, 1)(random); });
  Guarded<float> histogram = votes.histogram(100);
  const auto run = [&](const auto& kernel) {
    kernel(votes.index.plane(), votes.weight.plane(), 100, histogram.plane().data,
           Rows{0, votes.cells.rows});
  };
  const double cells = static_cast<double>(votes.cells.rows) * votes.cells.columns;
  against_bandwidth(
      state, 5.0 * size.width * size.height + sizeof(float) * 100 * cells,
      [&] { run(vivid_histogram_simd); }, [&] { run(vivid_histogram_ref); });
}

/// Noise, from device memory to device memory, and with both planes copied in and the histogram
/// out.
void bench_opencl(benchmark::State& state, FrameSize size, bool copies) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  std::mt19937 random(1);
  constexpr int kFilters = 100;
  const CellGrid cells = CellGrid::of(size.width, size.height);
  const std::size_t pixels = static_cast<std::size_t>(size.width) * size.height;
  opencl::Queue queue(context);
  VividHistogramOpenCL kernel(*context, kFilters);
  using Access = opencl::Buffer::Access;
  opencl::Buffer index(context, pixels), weight(context, pixels * sizeof(float)),
      histogram(context,
                static_cast<std::size_t>(cells.columns) * cells.rows * kFilters * sizeof(float));
  const auto write_votes = [&] {
    index.host(Access::write);
    weight.host(Access::write);
  };
  write_votes();
  for (std::size_t i = 0; i < pixels; ++i) {
    static_cast<uint8_t*>(index.host(Access::write))[i] = static_cast<uint8_t>(random() % kFilters);
    static_cast<float*>(weight.host(Access::write))[i] = 1;
  }
  const double bytes = 5.0 * static_cast<double>(pixels) + static_cast<double>(histogram.size());
  on_device(state, queue, copies ? 1 : kKernelBatch, {{"vivid_histogram", 0, bytes}}, [&] {
    if (copies) write_votes();
    kernel.enqueue(queue,
                   {index.device(queue, Access::read), 0, size.width, size.height, size.width},
                   {weight.device(queue, Access::read), 0, size.width, size.height, size.width},
                   {histogram.device(queue, Access::write), 0}, {0, cells.rows});
    if (copies) histogram.enqueue_download(queue);
  });
}

const int kRegistered =
    bench_each_target("bench_one_core/noise", kFrameSizes[0], bench_one_core<100>) +
    bench_each_target("bench_one_core/flat", kFrameSizes[0], bench_one_core<1>) +
    bench_each_target("bench_one_core/noise", kFrameSizes[1], bench_one_core<100>) +
    bench_each_target("bench_one_core/flat", kFrameSizes[1], bench_one_core<1>);
BENCHMARK_CAPTURE(bench_opencl, LD_kernel, kFrameSizes[0], false)->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_kernel, kFrameSizes[1], false)->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, LD_copies, kFrameSizes[0], true)->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_copies, kFrameSizes[1], true)->UseManualTime();

}  // namespace
}  // namespace tandem::check
