// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "kernels/klt_pyramid/klt_pyramid.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"
#include "tests/kernels/support/tensor_plane.h"

namespace tandem::check {
namespace {

using Pyramid = Implementation<decltype(klt_pyramid_simd)>;
using KltPyramidTest = KernelTest<decltype(klt_pyramid_simd)>;

void copy(Plane<const float> from, Plane<float> to) {
  for (int y = 0; y < to.height; ++y) std::copy_n(from.row(y), to.width, to.row(y));
}

/// All rows, whatever is asked for: the device computes frames.
Pyramid on(const OpenCLDevice& device) {
  const auto run = [device](Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows) {
    const KltLayout layout{luma.width, luma.height};
    std::vector<float> dense(layout.floats());
    const auto floats = static_cast<int>(dense.size());
    opencl::Queue queue(device.context);
    KltPyramidOpenCL kernel(*device.context);
    DeviceCopy luma_copy(device.context, queue, luma);
    DeviceCopy pyramid_copy(device.context, queue, Plane<float>{dense.data(), floats, 1, floats});
    kernel.enqueue(queue, luma_copy.plane(), pyramid_copy.span());
    pyramid_copy.fetch();
    const KltPyramid<const float> found = layout.over<const float>(dense.data());
    for (int l = 0; l < KltPyramid<float>::kLevels; ++l) {
      copy(found.levels[l].image, pyramid.levels[l].image);
      copy(found.levels[l].dx, pyramid.levels[l].dx);
      copy(found.levels[l].dy, pyramid.levels[l].dy);
    }
  };
  return {device.name, run, device.fused, false};
}

std::vector<Pyramid> implementations() {
  std::vector<Pyramid> all = on_each_simd_target(klt_pyramid_simd);
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, KltPyramidTest, testing::ValuesIn(implementations()),
                         ImplementationName());

Guarded<uint8_t> luma_of(int width, int height, const std::function<int(int x, int y)>& level) {
  Guarded<uint8_t> luma(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) luma.row(y)[x] = static_cast<uint8_t>(level(x, y));
  }
  return luma;
}

Guarded<uint8_t> random_luma(std::mt19937& random, int width, int height) {
  return luma_of(width, height, [&](int, int) { return static_cast<int>(random() & 255); });
}

/// The six planes of a pyramid, each with guards of its own.
struct Planes {
  std::vector<Guarded<float>> all;

  Planes(int width, int height) {
    const KltLayout layout{width, height};
    for (int i = 0; i < 6; ++i) all.emplace_back(layout.width_of(i / 3), layout.height_of(i / 3));
  }
  KltPyramid<float> pyramid() {
    return {{KltLevel<float>{all[0].plane(), all[1].plane(), all[2].plane()},
             KltLevel<float>{all[3].plane(), all[4].plane(), all[5].plane()}}};
  }
  testing::AssertionResult intact_outside(Rows rows) const {
    const Rows half{(rows.begin + 1) / 2, (rows.end + 1) / 2};
    for (int i = 0; i < 6; ++i) {
      auto intact = all[i].intact_outside(i < 3 ? rows : half);
      if (!intact) return intact << ", plane " << i;
    }
    return testing::AssertionSuccess();
  }
};

testing::AssertionResult agree(const Planes& expected, const Planes& found) {
  for (int i = 0; i < 6; ++i) {
    const Guarded<float>&a = expected.all[i], &b = found.all[i];
    for (int y = 0; y < a.height(); ++y) {
      for (int x = 0; x < a.width(); ++x) {
        if (std::fabs(a.row(y)[x] - b.row(y)[x]) <= 1e-4f) continue;
        return testing::AssertionFailure()
               << "plane " << i << " (" << x << ", " << y << "): expected " << a.row(y)[x]
               << ", found " << b.row(y)[x];
      }
    }
  }
  return testing::AssertionSuccess();
}

Planes reference_of(const Guarded<uint8_t>& luma) {
  Planes planes(luma.width(), luma.height());
  klt_pyramid_ref(luma.plane(), planes.pyramid(), {0, luma.height()});
  return planes;
}

void expect_agreement(const Pyramid& kernel, const Guarded<uint8_t>& luma) {
  Planes found(luma.width(), luma.height());
  const Rows all{0, luma.height()};
  kernel.run(luma.plane(), found.pyramid(), all);
  EXPECT_TRUE(agree(reference_of(luma), found)) << luma.width() << "x" << luma.height();
  EXPECT_TRUE(found.intact_outside(all));
}

TEST_P(KltPyramidTest, RandomFramesOfAnySize) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(60); ++i) {
    const int width = random_int(random, 1, 150), height = random_int(random, 1, 40);
    expect_agreement(GetParam(), random_luma(random, width, height));
  }
}

TEST_P(KltPyramidTest, FramesAroundTheBorders) {
  std::mt19937 random = generator(2);
  for (int size = 1; size <= 12; ++size) {
    expect_agreement(GetParam(), random_luma(random, size, 30));
    expect_agreement(GetParam(), random_luma(random, 70, size));
    expect_agreement(GetParam(), random_luma(random, size, size));
  }
}

TEST_P(KltPyramidTest, ExtremeFrames) {
  const auto check = [&](const std::function<int(int, int)>& level) {
    expect_agreement(GetParam(), luma_of(75, 33, level));
  };
  check([](int, int) { return 0; });
  check([](int, int) { return 255; });
  check([](int x, int y) { return (x + y) % 2 * 255; });
  check([](int x, int) { return x / 4 % 2 * 255; });
  check([](int, int y) { return y / 4 % 2 * 255; });
}

TEST_P(KltPyramidTest, GradientsPointUphill) {
  const Guarded<uint8_t> luma = luma_of(64, 48, [](int x, int y) { return 2 * x + y; });
  Planes found(64, 48);
  GetParam().run(luma.plane(), found.pyramid(), {0, 48});
  EXPECT_NEAR(found.all[1].row(20)[30], 2, 1e-4);
  EXPECT_NEAR(found.all[2].row(20)[30], 1, 1e-4);
  EXPECT_NEAR(found.all[4].row(10)[15], 4, 1e-4);
  EXPECT_NEAR(found.all[5].row(10)[15], 2, 1e-4);
}

TEST_P(KltPyramidTest, BandsOfEverySplitMakeTheWhole) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "computes frames by contract";
  std::mt19937 random = generator(3);
  const Guarded<uint8_t> luma = random_luma(random, 53, 37);
  const Planes expected = reference_of(luma);
  for (const std::vector<Rows>& split : every_split(37)) {
    Planes found(53, 37);
    for (const Rows band : split) {
      GetParam().run(luma.plane(), found.pyramid(), band);
      if (&band == &split.front()) {
        EXPECT_TRUE(found.intact_outside(band));
      }
    }
    EXPECT_TRUE(agree(expected, found));
  }
}

TEST_P(KltPyramidTest, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(4);
  const Guarded<uint8_t> luma = random_luma(random, 90, 61);
  Planes found(90, 61);
  in_threads(61, 6, [&](Rows band) { GetParam().run(luma.plane(), found.pyramid(), band); });
  EXPECT_TRUE(agree(reference_of(luma), found));
}

TEST(KltLayout, RowsBeginAtCacheLinesAndPlanesApart) {
  constexpr std::size_t kLine = 16, kPage = 1024;  // floats
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {600, 416}, {1920, 1080}}) {
    const KltLayout layout{width, height};
    for (int level = 0; level < 2; ++level) {
      EXPECT_EQ(layout.stride_of(level) % kLine, 0u);
      EXPECT_GE(layout.stride_of(level), layout.width_of(level));
      EXPECT_GE(layout.plane_of(level),
                static_cast<std::size_t>(layout.stride_of(level) * layout.height_of(level)));
      EXPECT_EQ(layout.plane_of(level) % kPage, plane_offset(1) / sizeof(float));
    }
    EXPECT_EQ(layout.first(1, 0), layout.first(0, 2) + layout.plane_of(0));
    EXPECT_EQ(layout.floats(), layout.first(1, 2) + layout.plane_of(1));
  }
}

Guarded<uint8_t> bench_luma(FrameSize size) {
  std::mt19937 random(1);
  return luma_of(size.width, size.height, [&](int x, int) {
    return x * 200 / size.width + static_cast<int>(random() % 50);
  });
}

/// A pyramid where the tensor has it.
struct BenchPyramid {
  explicit BenchPyramid(FrameSize size)
      : layout{size.width, size.height}, floats(static_cast<int>(layout.floats()), 1, 1) {}
  KltPyramid<float> planes() { return layout.over(floats.row(0)); }

  const KltLayout layout;
  TensorPlane<float> floats;
};

void bench_one_core(benchmark::State& state, FrameSize size) {
  const Guarded<uint8_t> luma = bench_luma(size);
  BenchPyramid tensor(size);
  const KltPyramid<float> pyramid = tensor.planes();
  const Rows all{0, size.height};
  const std::size_t floats = 3 * (tensor.layout.pixels_of(0) + tensor.layout.pixels_of(1));
  const auto bytes = static_cast<double>(tensor.layout.pixels_of(0) + sizeof(float) * floats);
  against_bandwidth(
      state, bytes, [&] { klt_pyramid_simd(luma.plane(), pyramid, all); },
      [&] { klt_pyramid_ref(luma.plane(), pyramid, all); });
}

void bench_medium_grain(benchmark::State& state, FrameSize size) {
  const Guarded<uint8_t> luma = bench_luma(size);
  BenchPyramid tensor(size);
  const KltPyramid<float> pyramid = tensor.planes();
  medium_grain(state, size.height,
               {[&](Rows rows) { klt_pyramid_simd(luma.plane(), pyramid, rows); }}, [] {});
}

/// The kernels alone, from device memory to device memory.
void bench_opencl(benchmark::State& state, FrameSize size) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  using Access = opencl::Buffer::Access;
  const KltLayout layout{size.width, size.height};
  opencl::Queue queue(context);
  KltPyramidOpenCL kernel(*context);
  opencl::Buffer luma(context, layout.pixels_of(0)),
      pyramid(context, layout.floats() * sizeof(float));
  std::fill_n(static_cast<uint8_t*>(luma.host(Access::write)), luma.size(), uint8_t{9});
  const auto bytes = static_cast<double>(luma.size() + pyramid.size());
  on_device(state, queue, kKernelBatch, {{"", 0, bytes}}, [&] {
    kernel.enqueue(queue,
                   {luma.device(queue, Access::read), 0, size.width, size.height, size.width},
                   {pyramid.device(queue, Access::write), 0});
  });
}

const int kRegistered = bench_each_target("bench_one_core", kFrameSizes[0], bench_one_core) +
                        bench_each_target("bench_one_core", kFrameSizes[1], bench_one_core);
BENCHMARK_CAPTURE(bench_medium_grain, LD, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_medium_grain, HD, kFrameSizes[1])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, LD_kernel, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_kernel, kFrameSizes[1])->UseManualTime();

}  // namespace
}  // namespace tandem::check
