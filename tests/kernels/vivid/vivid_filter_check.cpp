// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "kernels/vivid_filter/vivid_filter.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

using Filter = Implementation<decltype(vivid_filter_simd)>;
using VividFilter = KernelTest<decltype(vivid_filter_simd)>;

Filter on(const OpenCLDevice& device) {
  const auto run = [device](Plane<const uint8_t> luma, const FilterBank& bank, Plane<uint8_t> index,
                            Plane<float> weight, Rows rows) {
    opencl::Queue queue(device.context);
    VividFilterOpenCL filter(*device.context, bank);
    DeviceCopy luma_copy(device.context, queue, luma);
    DeviceCopy index_copy(device.context, queue, index);
    DeviceCopy weight_copy(device.context, queue, weight);
    filter.enqueue(queue, luma_copy.plane(), index_copy.plane(), weight_copy.plane(), rows);
    index_copy.fetch();
    weight_copy.fetch();
  };
  return {device.name, run, device.fused, false};
}

std::vector<Filter> implementations() {
  std::vector<Filter> all = on_each_simd_target(vivid_filter_simd);
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, VividFilter, testing::ValuesIn(implementations()),
                         ImplementationName());

FilterBank random_bank(std::mt19937& random, int count, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  FilterBank bank{count, std::vector<float>(9 * count)};
  for (float& c : bank.coefficients) c = normal(random);
  return bank;
}

Guarded<uint8_t> random_luma(std::mt19937& random, int width, int height) {
  Guarded<uint8_t> luma(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) luma.row(y)[x] = static_cast<uint8_t>(random());
  }
  return luma;
}

Guarded<uint8_t> luma_of(int width, int height, const std::function<int(int x, int y)>& level) {
  Guarded<uint8_t> luma(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) luma.row(y)[x] = static_cast<uint8_t>(level(x, y));
  }
  return luma;
}

struct Votes {
  Guarded<uint8_t> index;
  Guarded<float> weight;
  Votes(int width, int height) : index(width, height), weight(width, height) {}
};

Votes reference_votes(const Guarded<uint8_t>& luma, const FilterBank& bank) {
  Votes votes(luma.width(), luma.height());
  vivid_filter_ref(luma.plane(), bank, votes.index.plane(), votes.weight.plane(),
                   {0, luma.height()});
  return votes;
}

/// The sum of the magnitudes that make the response of filter k at (x, y): what its rounding error
/// is relative to.
double magnitude_of(const Guarded<uint8_t>& luma, const FilterBank& bank, int k, int x, int y) {
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    const double intensity = luma.row(y + i / 3 - 1)[x + i % 3 - 1] / 255.0;
    sum += std::fabs(bank.coefficients[9 * k + i]) * intensity;
  }
  return sum;
}

double response_of(const Guarded<uint8_t>& luma, const FilterBank& bank, int k, int x, int y) {
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    sum += bank.coefficients[9 * k + i] * (luma.row(y + i / 3 - 1)[x + i % 3 - 1] / 255.0);
  }
  return std::fabs(sum);
}

/// Without fused multiply-adds: weights to 1e-5, and a filter that answers as strongly to 1e-5.
testing::AssertionResult close(const Guarded<uint8_t>& luma, const FilterBank& bank,
                               const Votes& expected, const Votes& found) {
  for (int y = 0; y < luma.height(); ++y) {
    for (int x = 0; x < luma.width(); ++x) {
      const int k = found.index.row(y)[x];
      const double weight = found.weight.row(y)[x], wanted = expected.weight.row(y)[x];
      const bool border = x == 0 || y == 0 || x == luma.width() - 1 || y == luma.height() - 1;
      if (border ? k == 0 && weight == 0 : k < bank.count) {
        if (border) continue;
        const double magnitude = std::max(magnitude_of(luma, bank, k, x, y),
                                          magnitude_of(luma, bank, expected.index.row(y)[x], x, y));
        if (std::fabs(weight - wanted) <= 1e-5 * magnitude &&
            std::fabs(response_of(luma, bank, k, x, y) - wanted) <= 1e-5 * magnitude) {
          continue;
        }
      }
      return testing::AssertionFailure()
             << "(" << x << ", " << y << "): filter " << k << " with " << weight << ", expected "
             << +expected.index.row(y)[x] << " with " << wanted;
    }
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult agree(const Filter& filter, const Guarded<uint8_t>& luma,
                               const FilterBank& bank, const Votes& expected, const Votes& found) {
  if (!filter.fused) return close(luma, bank, expected, found);
  const testing::AssertionResult index = same(expected.index, found.index);
  return index ? same(expected.weight, found.weight) : index;
}

void expect_agreement(const Filter& filter, const Guarded<uint8_t>& luma, const FilterBank& bank) {
  const Votes expected = reference_votes(luma, bank);
  Votes found(luma.width(), luma.height());
  filter.run(luma.plane(), bank, found.index.plane(), found.weight.plane(), {0, luma.height()});
  EXPECT_TRUE(agree(filter, luma, bank, expected, found))
      << luma.width() << "x" << luma.height() << ", " << bank.count << " filters";
  EXPECT_TRUE(found.index.intact());
  EXPECT_TRUE(found.weight.intact());
}

TEST_P(VividFilter, RandomFramesOfAnySize) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(60); ++i) {
    const int width = random_int(random, 1, 150), height = random_int(random, 1, 12);
    const FilterBank bank = random_bank(random, random_int(random, 1, 255));
    expect_agreement(GetParam(), random_luma(random, width, height), bank);
  }
}

TEST_P(VividFilter, EveryWidthFromOne) {
  std::mt19937 random = generator(2);
  const FilterBank bank = random_bank(random, 5);
  for (int width = 1; width <= 70; ++width) {
    expect_agreement(GetParam(), random_luma(random, width, 4), bank);
  }
  for (int height = 1; height <= 3; ++height) {
    expect_agreement(GetParam(), random_luma(random, 1, height), bank);
    expect_agreement(GetParam(), random_luma(random, 40, height), bank);
  }
}

TEST_P(VividFilter, ExtremeFrames) {
  std::mt19937 random = generator(3);
  const FilterBank bank = random_bank(random, 100);
  const auto check = [&](const std::function<int(int, int)>& level) {
    expect_agreement(GetParam(), luma_of(75, 11, level), bank);
  };
  check([](int, int) { return 0; });
  check([](int, int) { return 255; });
  check([](int x, int y) { return (x + y) % 2 * 255; });
  check([](int x, int) { return x * 3; });
  check([](int, int y) { return y * 23; });
  check([](int x, int y) { return x + 75 * y; });  // all 256 levels
}

TEST_P(VividFilter, ExtremeCoefficients) {
  std::mt19937 random = generator(4);
  const Guarded<uint8_t> luma = random_luma(random, 37, 6);
  for (const float scale : {1e30f, 1e-30f, 0.0f}) {
    expect_agreement(GetParam(), luma, random_bank(random, 17, scale));
  }
}

TEST_P(VividFilter, TheLowestOfEqualFiltersWins) {
  std::mt19937 random = generator(5);
  const FilterBank base = random_bank(random, 7);
  FilterBank bank{35, {}};
  for (int copy = 0; copy < 5; ++copy) {
    const float sign = copy % 2 ? -1.0f : 1.0f;  // |r| is the same
    for (const float c : base.coefficients) bank.coefficients.push_back(sign * c);
  }
  const Guarded<uint8_t> luma = random_luma(random, 66, 9);
  expect_agreement(GetParam(), luma, bank);
  Votes found(66, 9);
  GetParam().run(luma.plane(), bank, found.index.plane(), found.weight.plane(), {0, 9});
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 66; ++x) EXPECT_LT(found.index.row(y)[x], 7);
  }
}

TEST_P(VividFilter, BandsOfEverySplitMakeTheWhole) {
  std::mt19937 random = generator(6);
  const Guarded<uint8_t> luma = random_luma(random, 53, 13);
  const FilterBank bank = random_bank(random, 9);
  const Votes expected = reference_votes(luma, bank);
  for (const std::vector<Rows>& split : every_split(13)) {
    Votes found(53, 13);
    for (const Rows band : split) {
      GetParam().run(luma.plane(), bank, found.index.plane(), found.weight.plane(), band);
      if (&band == &split.front()) {
        EXPECT_TRUE(found.index.intact_outside(band));
        EXPECT_TRUE(found.weight.intact_outside(band));
      }
    }
    EXPECT_TRUE(agree(GetParam(), luma, bank, expected, found));
    EXPECT_TRUE(found.index.intact());
    EXPECT_TRUE(found.weight.intact());
  }
}

TEST_P(VividFilter, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(7);
  const Guarded<uint8_t> luma = random_luma(random, 90, 40);
  const FilterBank bank = random_bank(random, 20);
  const Votes expected = reference_votes(luma, bank);
  Votes found(90, 40);
  in_threads(40, 6, [&](Rows band) {
    GetParam().run(luma.plane(), bank, found.index.plane(), found.weight.plane(), band);
  });
  EXPECT_TRUE(agree(GetParam(), luma, bank, expected, found));
}

/// 100 filters on a natural-looking frame: noise over a ramp.
struct BenchFrame {
  Guarded<uint8_t> luma;
  FilterBank bank;
  Votes votes;

  explicit BenchFrame(FrameSize size)
      : luma(size.width, size.height, 0), votes(size.width, size.height) {
    std::mt19937 random(1);
    bank = random_bank(random, 100);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        luma.row(y)[x] = static_cast<uint8_t>(x * 200 / size.width + random() % 50);
      }
    }
  }
  void run(Rows rows) {
    vivid_filter_simd(luma.plane(), bank, votes.index.plane(), votes.weight.plane(), rows);
  }
};

void bench_one_core(benchmark::State& state, FrameSize size) {
  BenchFrame frame(size);
  constexpr int kReferenceRows = 16;
  against_peak(
      state, 900.0 * (size.width - 2) * (size.height - 2),
      [&] {
        frame.run({0, size.height});
      },
      [&] {
        vivid_filter_ref(frame.luma.plane(), frame.bank, frame.votes.index.plane(),
                         frame.votes.weight.plane(), {1, 1 + kReferenceRows});
      },
      static_cast<double>(kReferenceRows) / size.height);
}

void bench_medium_grain(benchmark::State& state, FrameSize size) {
  BenchFrame frame(size);
  medium_grain(state, size.height, {[&](Rows rows) { frame.run(rows); }}, [] {});
}

/// The kernel alone, and with the frame copied in and both planes copied out.
void bench_opencl(benchmark::State& state, FrameSize size, bool copies) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  BenchFrame frame(size);
  const std::size_t pixels = static_cast<std::size_t>(size.width) * size.height;
  opencl::Queue queue(context);
  VividFilterOpenCL filter(*context, frame.bank);
  opencl::Buffer luma(context, pixels), index(context, pixels),
      weight(context, pixels * sizeof(float));
  const auto plane = [&](opencl::Buffer& buffer, opencl::Buffer::Access access) {
    return opencl::DevicePlane{buffer.device(queue, access), 0, size.width, size.height,
                               size.width};
  };
  const auto upload = [&] {
    const Plane<uint8_t> source = frame.luma.plane();
    luma.enqueue_upload_rows(queue, source.data, source.width, source.height, source.stride);
  };
  upload();
  const double multiply_adds = 9.0 * frame.bank.count * (size.width - 2) * (size.height - 2);
  on_device(state, queue, copies ? 1 : kKernelBatch,
            {{"vivid_filter", multiply_adds, 6.0 * static_cast<double>(pixels)}}, [&] {
              if (copies) upload();
              filter.enqueue(queue, plane(luma, opencl::Buffer::Access::read),
                             plane(index, opencl::Buffer::Access::write),
                             plane(weight, opencl::Buffer::Access::write), {0, size.height});
              if (copies) index.enqueue_download(queue);
              if (copies) weight.enqueue_download(queue);
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
