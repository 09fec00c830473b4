// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/scene_features/scene_features.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

// Without what stops them: callable as the reference is.
void first_simd(Plane<const uint8_t> luma, Half* space, float* bases, Rows rows) {
  scene_first_octave_simd(luma, space, bases, rows);
}
void next_simd(const SceneLayout& layout, float* bases, Half* space) {
  scene_next_octaves_simd(layout, bases, space);
}

/// A whole frame, its first octave in these bands; the device ignores them.
using Function = void(Plane<const uint8_t> luma, Half* space, float* bases,
                      const std::vector<Rows>& bands);
using SceneFeatures = Implementation<Function>;
using SceneFeaturesTest = KernelTest<Function>;

template <typename First, typename Next>
std::function<Function> in_bands(First* first, Next* next) {
  return [=](Plane<const uint8_t> luma, Half* space, float* bases, const std::vector<Rows>& bands) {
    for (const Rows band : bands) first(luma, space, bases, band);
    next({luma.width, luma.height}, bases, space);
  };
}

SceneFeatures on(const OpenCLDevice& device) {
  const auto run = [device](Plane<const uint8_t> luma, Half* space, float*,
                            const std::vector<Rows>&) {
    const SceneLayout layout{luma.width, luma.height};
    const auto values = static_cast<int>(layout.values());
    std::vector<float> scratch(SceneFeaturesOpenCL::scratch_floats(layout));
    const auto scratch_floats = static_cast<int>(scratch.size());
    opencl::Queue queue(device.context);
    SceneFeaturesOpenCL kernel(*device.context);
    DeviceCopy luma_copy(device.context, queue, luma);
    DeviceCopy space_copy(device.context, queue, Plane<Half>{space, values, 1, values});
    DeviceCopy scratch_copy(device.context, queue,
                            Plane<float>{scratch.data(), scratch_floats, 1, scratch_floats});
    kernel.enqueue(queue, luma_copy.plane(), space_copy.span(), scratch_copy.span());
    space_copy.fetch();
    scratch_copy.fetch();
  };
  return {device.name, run, device.fused, false};
}

std::vector<SceneFeatures> implementations() {
  std::vector<SceneFeatures> all;
  for (const SimdTarget& t : simd_targets()) {
    all.push_back({"simd_" + t.name, in_bands(first_simd, next_simd), t.fused, true, t.target});
  }
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, SceneFeaturesTest, testing::ValuesIn(implementations()),
                         ImplementationName());

Guarded<uint8_t> luma_of(int width, int height, const std::function<double(int x, int y)>& level) {
  Guarded<uint8_t> luma(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) luma.row(y)[x] = static_cast<uint8_t>(std::lround(level(x, y)));
  }
  return luma;
}

Guarded<uint8_t> random_luma(std::mt19937& random, int width, int height) {
  return luma_of(width, height, [&](int, int) { return static_cast<int>(random() & 255); });
}

/// What one implementation makes of a frame, with guards around.
struct Space {
  SceneLayout layout;
  Guarded<Half> values;
  Guarded<float> bases;

  explicit Space(SceneLayout l)
      : layout(l),
        values(static_cast<int>(l.values()), 1),
        bases(static_cast<int>(l.base_floats()), 1) {}
  Space(const std::function<Function>& run, const Guarded<uint8_t>& luma,
        const std::vector<Rows>& bands)
      : Space({luma.width(), luma.height()}) {
    run(luma.plane(), values.row(0), bases.row(0), bands);
    EXPECT_TRUE(values.intact());
    EXPECT_TRUE(bases.intact());
  }
  Space(const std::function<Function>& run, const Guarded<uint8_t>& luma)
      : Space(run, luma, {{0, 2 * luma.height()}}) {}

  Plane<const Half> difference(int octave, int d) const {
    return layout.difference(values.row(0), octave, d);
  }
  Plane<const Half> magnitude(int octave, int g) const {
    return layout.magnitude(values.row(0), octave, g);
  }
  Plane<const Half> angle(int octave, int g) const {
    return layout.angle(values.row(0), octave, g);
  }
};

Space reference_of(const Guarded<uint8_t>& luma) {
  return {in_bands(scene_first_octave_ref, scene_next_octaves_ref), luma};
}

/// Where `found` is further from `expected` than tolerance(x, y) says and roundings can part them;
/// `turn`: what counts as none.
template <typename Tolerance>
testing::AssertionResult near(Plane<const Half> expected, Plane<const Half> found, double turn,
                              const Tolerance& tolerance) {
  for (int y = 0; y < expected.height; ++y) {
    for (int x = 0; x < expected.width; ++x) {
      const double a = expected.row(y)[x], b = found.row(y)[x];
      const double apart = turn > 0 ? std::fabs(std::remainder(a - b, turn)) : std::fabs(a - b);
      // Each was rounded by up to half of the distance between halves, 2^-10 of the value.
      const double roundings = std::max(std::fabs(a), std::fabs(b)) * 0x1p-10;
      if (apart <= tolerance(x, y) + roundings) continue;  // and not when it is no number
      return testing::AssertionFailure()
             << "(" << x << ", " << y << "): expected " << a << ", found " << b;
    }
  }
  return testing::AssertionSuccess();
}

void expect_agreement(const Space& expected, const Space& found) {
  const SceneLayout& layout = expected.layout;
  const auto exact = [](int, int) { return 1e-5; };
  for (int o = 0; o < layout.octaves(); ++o) {
    SCOPED_TRACE(testing::Message()
                 << "octave " << o << " of " << layout.width << "x" << layout.height);
    for (int d = 0; d < kSceneDifferences; ++d)
      EXPECT_TRUE(near(expected.difference(o, d), found.difference(o, d), 0, exact)) << d;
    for (int g = 0; g < kSceneGradients; ++g) {
      const Plane<const Half> magnitude = expected.magnitude(o, g), angle = found.angle(o, g);
      EXPECT_TRUE(near(magnitude, found.magnitude(o, g), 0, exact)) << g;
      EXPECT_TRUE(near(expected.angle(o, g), angle, 2 * std::numbers::pi, [&](int x, int y) {
        return 1e-4 + 2e-6 / magnitude.row(y)[x];
      })) << g;
      EXPECT_TRUE(near(angle, angle, 0, [&](int x, int y) {
        return std::fabs(angle.row(y)[x]) <= 3.141593f ? 0 : -1;
      })) << "an angle is beyond pi";
    }
  }
}

void expect_agreement(const SceneFeatures& kernel, const Guarded<uint8_t>& luma) {
  expect_agreement(reference_of(luma), Space(kernel.run, luma));
}

TEST_P(SceneFeaturesTest, RandomFramesOfAnySize) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(16); ++i) {
    const int width = random_int(random, kSceneLeastSide, 90);
    const int height = random_int(random, kSceneLeastSide, 50);
    expect_agreement(GetParam(), random_luma(random, width, height));
  }
}

TEST_P(SceneFeaturesTest, FramesAroundTheSizesOfOctaves) {
  std::mt19937 random = generator(2);
  for (const auto& [width, height] : {std::pair{16, 16},
                                      {16, 33},
                                      {31, 17},
                                      {32, 32},
                                      {33, 70},
                                      {63, 64},
                                      {65, 127},
                                      {129, 66}}) {
    expect_agreement(GetParam(), random_luma(random, width, height));
  }
}

TEST_P(SceneFeaturesTest, ExtremeFrames) {
  const auto check = [&](const std::function<double(int, int)>& level) {
    expect_agreement(GetParam(), luma_of(75, 37, level));
  };
  check([](int, int) { return 0; });
  check([](int, int) { return 255; });
  check([](int x, int y) { return (x + y) % 2 * 255; });
  check([](int x, int) { return x / 4 % 2 * 255; });
  check([](int, int y) { return y / 4 % 2 * 255; });
  check([](int x, int y) { return x == 40 && y == 20 ? 255 : 0; });
}

/// A blur adds variances, that of the means between pixels is 1/2: what is left of a bump of sigma
/// 2 and height 1 is known at every level.
TEST_P(SceneFeaturesTest, DifferencesOfABumpAreThoseOfTheFormula) {
  const auto luma = luma_of(128, 128, [](int x, int y) {
    return 255 * std::exp(-(std::pow(x - 64, 2) + std::pow(y - 64, 2)) / (2 * 2 * 2));
  });
  const Space found(GetParam().run, luma);
  for (int octave = 0; octave < 3; ++octave) {
    const auto height = [&](int level) {  // in pixels of octave 0
      return 16 / (16.5 + std::pow(scene_sigma(level) * (1 << octave), 2) - 1);
    };
    for (int d = 0; d < kSceneDifferences; ++d) {
      EXPECT_NEAR(found.difference(octave, d).row(128 >> octave)[128 >> octave],
                  height(d + 1) - height(d), 1e-3)
          << "octave " << octave << ", difference " << d;
    }
  }
}

TEST_P(SceneFeaturesTest, GradientsPointUphill) {
  const auto luma = luma_of(120, 100, [](int x, int y) { return x + y / 2.0; });
  const Space found(GetParam().run, luma);
  for (int octave = 0; octave < 2; ++octave) {
    const double dx = (1 << octave) / 255.0 / 2, dy = dx / 2;
    for (int g = 0; g < kSceneGradients; ++g) {
      EXPECT_NEAR(found.magnitude(octave, g).row(100 >> octave)[120 >> octave], std::hypot(dx, dy),
                  2e-4);
      EXPECT_NEAR(found.angle(octave, g).row(100 >> octave)[120 >> octave], std::atan2(dy, dx),
                  0.05);
    }
  }
}

TEST_P(SceneFeaturesTest, BandsOfEverySplitMakeTheWhole) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "computes frames by contract";
  std::mt19937 random = generator(3);
  const Guarded<uint8_t> luma = random_luma(random, 33, 65);
  const Space whole(GetParam().run, luma);
  const std::vector<std::vector<Rows>> splits = every_split(130);
  for (std::size_t i = 0; i < splits.size(); i += 8 / repetitions(8)) {
    const Space found(GetParam().run, luma, splits[i]);
    ASSERT_TRUE(same(whole.values, found.values));
    ASSERT_TRUE(same(whole.bases, found.bases));
  }
}

TEST_P(SceneFeaturesTest, ABandWritesItsRowsAlone) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "computes frames by contract";
  std::mt19937 random = generator(4);
  const Guarded<uint8_t> luma = random_luma(random, 40, 61);
  const SceneLayout layout{40, 61};
  constexpr Rows kBand{37, 58};
  const float untouched = std::numeric_limits<float>::infinity();
  std::vector<Half> space(layout.values(), Half(untouched));
  std::vector<float> bases(layout.base_floats(), untouched);
  scene_first_octave_simd(luma.plane(), space.data(), bases.data(), kBand);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const int y = static_cast<int>(i / 80 % 122);
    const bool inside = i < layout.first_of(1) && y >= kBand.begin && y < kBand.end;
    ASSERT_EQ(space[i] != untouched, inside) << "half " << i;
  }
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const int y = 2 * static_cast<int>(i / 40);
    ASSERT_EQ(bases[i] != untouched, y >= kBand.begin && y < kBand.end) << "float " << i;
  }
}

TEST_P(SceneFeaturesTest, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(5);
  const Guarded<uint8_t> luma = random_luma(random, 90, 75);
  const Space whole(GetParam().run, luma);
  Space found(whole.layout);
  in_threads(150, 6, [&](Rows band) {
    scene_first_octave_simd(luma.plane(), found.values.row(0), found.bases.row(0), band);
  });
  scene_next_octaves_simd(found.layout, found.bases.row(0), found.values.row(0));
  EXPECT_TRUE(same(whole.values, found.values));
}

TEST_P(SceneFeaturesTest, ThreadsThatShareAFrameMakeTheWhole) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(7);
  for (const auto& [width, height] : {std::pair{16, 16}, {90, 75}, {64, 300}, {33, 181}}) {
    const Guarded<uint8_t> luma = random_luma(random, width, height);
    const Space whole(GetParam().run, luma);
    for (const int threads : {1, 2, 3, 8, 40}) {
      Space found(whole.layout);
      SharedRows progress;
      in_threads(threads, threads, [&](Rows) {
        scene_features_share(luma.plane(), found.values.row(0), found.bases.row(0), progress);
      });
      ASSERT_TRUE(same(whole.values, found.values)) << threads << " threads, " << height << " rows";
      ASSERT_TRUE(same(whole.bases, found.bases));
    }
  }
}

TEST(SceneFeatures, RowsAreLeftOutOnceItIsStopped) {
  std::mt19937 random = generator(6);
  const Guarded<uint8_t> luma = random_luma(random, 64, 64);
  const SceneLayout layout{64, 64};
  const float untouched = std::numeric_limits<float>::infinity();
  std::vector<Half> space(layout.values(), Half(untouched));
  std::vector<float> bases(layout.base_floats(), 0);
  const std::atomic<bool> stop{true};
  scene_first_octave_simd(luma.plane(), space.data(), bases.data(), {0, 128}, Stop(stop));
  scene_next_octaves_simd(layout, bases.data(), space.data(), Stop(stop));
  EXPECT_EQ(std::count(space.begin(), space.end(), untouched),
            static_cast<std::ptrdiff_t>(space.size()));
}

TEST(SceneFeatures, FramesThatAreTooSmallAreRefused) {
  const Guarded<uint8_t> luma(15, 40);
  EXPECT_THROW(scene_features(luma.plane()), std::invalid_argument);
}

/// Scenes are small pictures.
constexpr FrameSize kScene{"scene", 256, 256};

Guarded<uint8_t> bench_luma(FrameSize size) {
  std::mt19937 random(1);
  return luma_of(size.width, size.height, [&](int x, int) {
    return x * 200 / size.width + static_cast<int>(random() % 50);
  });
}

/// Each level of an octave is blurred down and across, 102 taps in all.
double multiply_adds_of(const SceneLayout& layout) {
  double multiply_adds = 0;
  for (int octave = 0; octave < layout.octaves(); ++octave)
    multiply_adds += 2 * 102.0 * static_cast<double>(layout.pixels_of(octave));
  return multiply_adds;
}

void bench_one_core(benchmark::State& state, FrameSize size) {
  const Guarded<uint8_t> luma = bench_luma(size);
  Space space({size.width, size.height});
  const auto run = [&](auto* first, auto* next) {
    first(luma.plane(), space.values.row(0), space.bases.row(0), Rows{0, 2 * size.height});
    next(space.layout, space.bases.row(0), space.values.row(0));
  };
  against_peak(
      state, multiply_adds_of(space.layout), [&] { run(first_simd, next_simd); },
      [&] { run(scene_first_octave_ref, scene_next_octaves_ref); }, 1);
}

void bench_medium_grain(benchmark::State& state, FrameSize size) {
  const Guarded<uint8_t> luma = bench_luma(size);
  Space space({size.width, size.height});
  SharedRows progress;
  const auto again = [&] { new (&progress) SharedRows; };
  medium_grain(state, SharedRows::kMostThreads, {[&](Rows) {
                 scene_features_share(luma.plane(), space.values.row(0), space.bases.row(0),
                                      progress);
               }},
               again);
}

/// The kernels alone, from device memory to device memory.
void bench_opencl(benchmark::State& state, FrameSize size) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  using Access = opencl::Buffer::Access;
  const SceneLayout layout{size.width, size.height};
  opencl::Queue queue(context);
  SceneFeaturesOpenCL kernel(*context);
  opencl::Buffer luma(context, static_cast<std::size_t>(size.width) * size.height),
      space(context, layout.values() * sizeof(Half)),
      scratch(context, SceneFeaturesOpenCL::scratch_floats(layout) * sizeof(float));
  std::fill_n(static_cast<uint8_t*>(luma.host(Access::write)), luma.size(), uint8_t{9});
  const auto bytes = static_cast<double>(luma.size() + space.size());
  on_device(state, queue, kKernelBatch, {{"", multiply_adds_of(layout), bytes}}, [&] {
    kernel.enqueue(
        queue, {luma.device(queue, Access::read), 0, size.width, size.height, size.width},
        {space.device(queue, Access::write), 0}, {scratch.device(queue, Access::write), 0});
  });
}

const int kRegistered = bench_each_target("bench_one_core", kScene, bench_one_core);
BENCHMARK_CAPTURE(bench_medium_grain, scene, kScene)->UseManualTime();
BENCHMARK_CAPTURE(bench_medium_grain, HD, kFrameSizes[1])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, scene_kernel, kScene)->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_kernel, kFrameSizes[1])->UseManualTime();

}  // namespace
}  // namespace tandem::check
