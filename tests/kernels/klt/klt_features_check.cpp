// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <memory>

#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_features/suppress.h"
#include "tests/kernels/klt/klt_select.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

using Strength = Implementation<decltype(klt_strength_simd)>;
using Select = Implementation<decltype(klt_select_simd)>;
using KltStrength = KernelTest<decltype(klt_strength_simd)>;
using KltSelect = KernelTest<decltype(klt_select_simd)>;

/// All rows, whatever is asked for: the device computes frames.
Strength strength_on(const OpenCLDevice& device) {
  const auto run = [device](Plane<const float> dx, Plane<const float> dy, int window,
                            Plane<float> strength, Rows) {
    opencl::Queue queue(device.context);
    KltFeaturesOpenCL kernel(*device.context);
    std::vector<float> memory(6 * static_cast<std::size_t>(dx.width) * dx.height);
    const auto floats = static_cast<int>(memory.size());
    DeviceCopy dx_copy(device.context, queue, dx), dy_copy(device.context, queue, dy);
    DeviceCopy strength_copy(device.context, queue, strength);
    DeviceCopy scratch(device.context, queue, Plane<float>{memory.data(), floats, 1, floats});
    kernel.enqueue_strength(queue, dx_copy.plane(), dy_copy.plane(), window, strength_copy.plane(),
                            scratch.span());
    strength_copy.fetch();
    scratch.fetch();
  };
  return {device.name, run, device.fused, false};
}

/// All selections on one queue: each finds what the one before it has left there.
Select select_on(const OpenCLDevice& device) {
  const auto all = std::make_shared<opencl::Queue>(device.context);
  const auto run = [device, all](Plane<const float> strength, KltCandidates candidates, int count,
                                 KltFeature* features) {
    opencl::Queue& queue = *all;
    KltFeaturesOpenCL kernel(*device.context);
    std::vector<uint32_t> memory(KltFeaturesOpenCL::selection_scratch());
    const auto words = static_cast<int>(memory.size());
    DeviceCopy strength_copy(device.context, queue, strength);
    DeviceCopy out(device.context, queue, Plane<float>{&features[0].x, 3 * count, 1, 3 * count});
    DeviceCopy scratch(device.context, queue, Plane<uint32_t>{memory.data(), words, 1, words});
    kernel.enqueue_select(queue, strength_copy.plane(), candidates, count, out.span(),
                          scratch.span());
    out.fetch();
    scratch.fetch();
  };
  return {device.name, run, device.fused, false};
}

template <typename Function, typename On>
std::vector<Implementation<Function>> implementations(Function* simd, const On& on) {
  std::vector<Implementation<Function>> all = on_each_simd_target(simd);
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, KltStrength,
                         testing::ValuesIn(implementations(klt_strength_simd, strength_on)),
                         ImplementationName());
INSTANTIATE_TEST_SUITE_P(All, KltSelect,
                         testing::ValuesIn(implementations(klt_select_simd, select_on)),
                         ImplementationName());

struct Gradients {
  Guarded<float> dx, dy;
  Gradients(int width, int height, const std::function<float(int x, int y)>& x_of,
            const std::function<float(int x, int y)>& y_of)
      : dx(width, height), dy(width, height) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        dx.row(y)[x] = x_of(x, y);
        dy.row(y)[x] = y_of(x, y);
      }
    }
  }
  int width() const { return dx.width(); }
  int height() const { return dx.height(); }
};

Gradients random_gradients(std::mt19937& random, int width, int height) {
  // Multiples of 2^-11 below 2^7, as those of 8-bit frames.
  const auto any = [&](int, int) {
    return static_cast<float>(random_int(random, -(1 << 18), 1 << 18)) / 2048;
  };
  return {width, height, any, any};
}

/// To 1e-5 of xx + yy, which an upper bound stands for: what all pixels of the frame add up to.
testing::AssertionResult agree(const Gradients& gradients, int window,
                               const Guarded<float>& expected, const Guarded<float>& found) {
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x) {
      double trace = 0;
      const bool scanned = x >= window && x < expected.width() - window && y >= window &&
                           y < expected.height() - window;
      for (int v = 0; scanned && v < window; ++v) {
        for (int u = 0; u < window; ++u) {
          const double gx = gradients.dx.row(y - (window + 1) / 2 + v)[x - (window + 1) / 2 + u];
          const double gy = gradients.dy.row(y - (window + 1) / 2 + v)[x - (window + 1) / 2 + u];
          trace += gx * gx + gy * gy;
        }
      }
      if (std::fabs(expected.row(y)[x] - found.row(y)[x]) <= 1e-5 * trace) continue;
      return testing::AssertionFailure() << "(" << x << ", " << y << "): expected "
                                         << expected.row(y)[x] << ", found " << found.row(y)[x];
    }
  }
  return testing::AssertionSuccess();
}

Guarded<float> reference_of(const Gradients& gradients, int window) {
  Guarded<float> strength(gradients.width(), gradients.height());
  klt_strength_ref(gradients.dx.plane(), gradients.dy.plane(), window, strength.plane(),
                   {0, gradients.height()});
  return strength;
}

void expect_agreement(const Strength& kernel, const Gradients& gradients, int window) {
  Guarded<float> found(gradients.width(), gradients.height());
  kernel.run(gradients.dx.plane(), gradients.dy.plane(), window, found.plane(),
             {0, gradients.height()});
  EXPECT_TRUE(agree(gradients, window, reference_of(gradients, window), found))
      << gradients.width() << "x" << gradients.height() << ", window " << window;
  EXPECT_TRUE(found.intact());
}

TEST_P(KltStrength, RandomFramesOfAnySize) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(30); ++i) {
    const int width = random_int(random, 1, 120), height = random_int(random, 1, 60);
    expect_agreement(GetParam(), random_gradients(random, width, height),
                     random_int(random, 1, 20));
  }
}

TEST_P(KltStrength, FramesAroundOneWindow) {
  std::mt19937 random = generator(2);
  for (const int window : {1, 2, 5, 8}) {
    for (int size = std::max(1, 2 * window - 1); size <= 2 * window + 2; ++size) {
      expect_agreement(GetParam(), random_gradients(random, size, 40), window);
      expect_agreement(GetParam(), random_gradients(random, 40, size), window);
    }
  }
}

TEST_P(KltStrength, ExtremeFrames) {
  const auto check = [&](const std::function<float(int, int)>& dx,
                         const std::function<float(int, int)>& dy) {
    expect_agreement(GetParam(), {70, 45, dx, dy}, 7);
  };
  const auto none = [](int, int) { return 0.0f; };
  const auto strong = [](int, int) { return 127.5f; };
  check(none, none);
  check(strong, none);
  check(strong, strong);
  check([](int x, int) { return x < 30 ? 127.5f : 0.001f; },
        [](int, int y) { return y < 20 ? -127.5f : 0.001f; });
}

TEST_P(KltStrength, BandsOfEverySplitMakeTheWhole) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "computes frames by contract";
  std::mt19937 random = generator(3);
  const Gradients gradients = random_gradients(random, 41, 31);
  Guarded<float> whole(41, 31);
  GetParam().run(gradients.dx.plane(), gradients.dy.plane(), 5, whole.plane(), {0, 31});
  for (const std::vector<Rows>& split : every_split(31)) {
    Guarded<float> found(41, 31);
    for (const Rows band : split) {
      GetParam().run(gradients.dx.plane(), gradients.dy.plane(), 5, found.plane(), band);
      if (&band == &split.front()) {
        EXPECT_TRUE(found.intact_outside(band));
      }
    }
    EXPECT_TRUE(same(whole, found));  // exactly, or features would depend on the number of cores
  }
}

TEST_P(KltStrength, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(4);
  const Gradients gradients = random_gradients(random, 80, 60);
  Guarded<float> found(80, 60);
  in_threads(60, 6, [&](Rows band) {
    GetParam().run(gradients.dx.plane(), gradients.dy.plane(), 6, found.plane(), band);
  });
  EXPECT_TRUE(agree(gradients, 6, reference_of(gradients, 6), found));
}

Guarded<float> plane_of(int width, int height, const std::function<float(int x, int y)>& value) {
  Guarded<float> plane(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) plane.row(y)[x] = value(x, y);
  }
  return plane;
}

void expect_selection(const Select& kernel, const Guarded<float>& strength,
                      KltCandidates candidates, int count) {
  Guarded<KltFeature> expected(count, 1), found(count, 1);
  klt_select_ref(strength.plane(), candidates, count, expected.row(0));
  kernel.run(strength.plane(), candidates, count, found.row(0));
  for (int i = 0; i < count; ++i) {
    const KltFeature &e = expected.row(0)[i], &f = found.row(0)[i];
    ASSERT_TRUE(e.x == f.x && e.y == f.y && e.strength == f.strength)
        << "feature " << i << " of " << count << ": expected (" << e.x << ", " << e.y << ") "
        << e.strength << ", found (" << f.x << ", " << f.y << ") " << f.strength;
  }
  EXPECT_TRUE(found.intact());
}

void expect_selection(const Select& kernel, const Guarded<float>& strength, int count) {
  expect_selection(kernel, strength, KltCandidates::pixels, count);
  expect_selection(kernel, strength, KltCandidates::peaks, count);
}

TEST_P(KltSelect, RandomStrengths) {
  std::mt19937 random = generator(5);
  std::uniform_real_distribution<float> exponent(-20, 20);
  for (int i = 0; i < repetitions(20); ++i) {
    const int width = random_int(random, 1, 200), height = random_int(random, 1, 90);
    const auto strength =
        plane_of(width, height, [&](int, int) { return std::exp(exponent(random)); });
    expect_selection(GetParam(), strength, random_int(random, 1, 600));
  }
}

TEST_P(KltSelect, EqualStrengthsInReadingOrder) {
  std::mt19937 random = generator(6);
  expect_selection(GetParam(), plane_of(130, 70, [](int, int) { return 3.0f; }), 400);
  expect_selection(GetParam(), plane_of(130, 70, [](int x, int) { return x % 2 ? 1.0f : 0; }), 77);
  const auto few =
      plane_of(101, 53, [&](int, int) { return static_cast<float>(random_int(random, 0, 3)); });
  for (const int count : {1, 2, 100, 1500, kKltMostFeatures})
    expect_selection(GetParam(), few, count);
}

TEST_P(KltSelect, RisingAndFallingStrengths) {
  expect_selection(GetParam(), plane_of(90, 80, [](int x, int y) { return 1 + x + 90.0f * y; }),
                   50);
  expect_selection(GetParam(), plane_of(90, 80, [](int x, int y) { return 9000 - x - 90.0f * y; }),
                   50);
}

/// What some rows have says nothing about the others.
TEST_P(KltSelect, StrengthInFewRows) {
  std::mt19937 random = generator(7);
  for (const int of_16 : {0, 5}) {
    const auto strength = plane_of(150, 100, [&](int, int y) {
      const bool strong = y % 16 == of_16;
      return static_cast<float>(random_int(random, 0, 1000)) + (strong ? 5000.0f : 0);
    });
    for (const int count : {20, 200, 800}) expect_selection(GetParam(), strength, count);
  }
}

TEST_P(KltSelect, NoTextureNoFeatures) {
  expect_selection(GetParam(), plane_of(64, 48, [](int, int) { return 0.0f; }), 20);
  expect_selection(GetParam(), plane_of(64, 48, [](int, int) { return -1.0f; }), 20);
  expect_selection(GetParam(), plane_of(1, 1, [](int, int) { return 1.0f; }), 20);
}

TEST_P(KltSelect, PeaksAndNoneOfTheirSlopes) {
  // Four hills 30 pixels apart, one a plateau, and one that the frame's corner cuts.
  const auto hills = plane_of(61, 61, [](int x, int y) {
    const int dx = std::abs((x + 15) % 30 - 15), dy = std::abs((y + 15) % 30 - 15);
    const float level = 20.0f - dx - dy;
    return x > 15 && x < 45 && y > 15 && y < 45 ? std::min(level, 18.0f) : level;
  });
  KltFeature found[30] = {};
  GetParam().run(hills.plane(), KltCandidates::peaks, 30, found);
  const auto first_empty =
      std::find_if(found, found + 30, [](const KltFeature& f) { return f.strength <= 0; });
  ASSERT_EQ(first_empty - found, 9);
  EXPECT_EQ(found[0].x, 0);
  EXPECT_EQ(found[0].y, 0);
  EXPECT_EQ(found[8].strength, 18);  // the plateau: its first pixel in reading order
  EXPECT_EQ(found[8].x, 30);
  EXPECT_EQ(found[8].y, 28);
}

TEST(SuppressNeighbours, DropsUpToTenPixels) {
  KltFeature features[] = {{50, 50, 9}, {60, 50, 8}, {61, 50, 7}, {44, 58, 6}, {43, 58, 5}};
  ASSERT_EQ(suppress_neighbours(features, 5), 3);  // 10 pixels away goes, 11 stays
  EXPECT_EQ(features[1].x, 61);
  EXPECT_EQ(features[2].x, 43);  // 6^2 + 8^2 goes, 7^2 + 8^2 stays
}

/// A frame of noise over a ramp, window and features as the benchmark has them for its size.
struct BenchFrame {
  Gradients gradients;
  Guarded<float> strength;
  int window;

  explicit BenchFrame(FrameSize size)
      : gradients([&] {
          std::mt19937 random(1);
          return random_gradients(random, size.width, size.height);
        }()),
        strength(size.width, size.height),
        window(size.height > 1000 ? 48 : 20) {}
  void run(Rows rows) {
    klt_strength_simd(gradients.dx.plane(), gradients.dy.plane(), window, strength.plane(), rows);
  }
};

void bench_one_core(benchmark::State& state, FrameSize size) {
  BenchFrame frame(size);
  constexpr int kReferenceRows = 2;
  // Reads dx and dy, writes the strength.
  against_bandwidth(
      state, 3.0 * sizeof(float) * size.width * size.height,
      [&] {
        frame.run({0, size.height});
      },
      [&] {
        klt_strength_ref(frame.gradients.dx.plane(), frame.gradients.dy.plane(), frame.window,
                         frame.strength.plane(), {100, 100 + kReferenceRows});
      },
      static_cast<double>(kReferenceRows) / size.height);
}

void bench_select(benchmark::State& state, FrameSize size) {
  BenchFrame frame(size);
  frame.run({0, size.height});
  std::vector<KltFeature> features(500);
  against_reference(
      state,
      [&] { klt_select_simd(frame.strength.plane(), KltCandidates::peaks, 500, features.data()); },
      [&] { klt_select_ref(frame.strength.plane(), KltCandidates::peaks, 500, features.data()); },
      1);
}

void bench_medium_grain(benchmark::State& state, FrameSize size) {
  BenchFrame frame(size);
  Guarded<float> greatest(klt_blocks(size.width), size.height);
  std::vector<KltFeature> features(500);
  medium_grain(state, size.height, {[&](Rows rows) {
                 frame.run(rows);
                 klt_greatest_simd(frame.strength.plane(), greatest.plane(), rows);
               }},
               [&] {
                 klt_select_in_blocks_simd(frame.strength.plane(), greatest.plane(),
                                           KltCandidates::peaks, 500, features.data());
               });
}

/// Both kernels, from device memory to device memory.
void bench_opencl(benchmark::State& state, FrameSize size) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  using Access = opencl::Buffer::Access;
  const auto pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  opencl::Queue queue(context);
  KltFeaturesOpenCL kernel(*context);
  const int window = size.height > 1000 ? 48 : 20;
  opencl::Buffer gradients(context, 2 * pixels * sizeof(float)),
      strength(context, pixels * sizeof(float)), features(context, 3 * 500 * sizeof(float)),
      sums(context, 6 * pixels * sizeof(float)),
      keys(context, KltFeaturesOpenCL::selection_scratch() * sizeof(uint32_t));
  std::mt19937 random(1);
  auto* values = static_cast<float*>(gradients.host(Access::write));
  std::generate_n(values, 2 * pixels, [&] { return static_cast<float>(random() % 256); });
  const auto plane = [&](opencl::Buffer& buffer, std::size_t first) {
    return opencl::DevicePlane{buffer.device(queue, Access::read_write), first, size.width,
                               size.height, size.width};
  };
  // Reads two planes and writes one, then reads that once.
  const double plane_bytes = 4.0 * static_cast<double>(pixels);
  on_device(state, queue, kKernelBatch, {{"", 0, 4 * plane_bytes}}, [&] {
    kernel.enqueue_strength(queue, plane(gradients, 0), plane(gradients, pixels), window,
                            plane(strength, 0), {sums.device(queue, Access::write), 0});
    kernel.enqueue_select(queue, plane(strength, 0), KltCandidates::peaks, 500,
                          {features.device(queue, Access::write), 0},
                          {keys.device(queue, Access::write), 0});
  });
}

const int kRegistered = bench_each_target("bench_one_core", kFrameSizes[0], bench_one_core) +
                        bench_each_target("bench_one_core", kFrameSizes[1], bench_one_core);
BENCHMARK_CAPTURE(bench_select, LD, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_select, HD, kFrameSizes[1])->UseManualTime();
BENCHMARK_CAPTURE(bench_medium_grain, LD, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_medium_grain, HD, kFrameSizes[1])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, LD_kernel, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_kernel, kFrameSizes[1])->UseManualTime();

}  // namespace
}  // namespace tandem::check
