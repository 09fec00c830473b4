// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "kernels/klt_flow/klt_flow.h"
#include "kernels/klt_flow/tracks.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

/// Two frames and the features of the first; pyramids as the first stage makes them.
struct Pair {
  KltLayout layout;
  std::vector<float> previous, current;
  std::vector<KltFeature> features;
};

using Function = void(const Pair& pair, const KltFlowSettings& settings, KltVector* vectors,
                      Rows range);
using Flow = Implementation<Function>;
using KltFlow = KernelTest<Function>;

template <auto* kKernel>
void run_on_host(const Pair& pair, const KltFlowSettings& settings, KltVector* vectors,
                 Rows range) {
  kKernel(pair.layout.over(pair.previous.data()), pair.layout.over(pair.current.data()),
          pair.features.data(), settings, vectors, range);
}

template <typename T>
Plane<T> line_of(T* data, std::size_t size) {
  const auto width = static_cast<int>(size);
  return {data, width, 1, width};
}

/// All features, whatever range is asked for: the device follows all.
Flow on(const OpenCLDevice& device) {
  const auto run = [device](const Pair& pair, const KltFlowSettings& settings, KltVector* vectors,
                            Rows) {
    opencl::Queue queue(device.context);
    KltFlowOpenCL kernel(*device.context);
    const auto copy = [&](const std::vector<float>& values) {
      return line_of(values.data(), values.size());
    };
    const std::size_t count = pair.features.size();
    DeviceCopy previous(device.context, queue, copy(pair.previous));
    DeviceCopy current(device.context, queue, copy(pair.current));
    DeviceCopy features(device.context, queue, line_of(&pair.features[0].x, 3 * count));
    DeviceCopy out(device.context, queue, line_of(&vectors[0].x, 5 * count));
    kernel.enqueue(queue, pair.layout, previous.span(), current.span(), features.span(),
                   static_cast<int>(count), settings, out.span());
    out.fetch();
  };
  return {device.name, run, device.fused, false};
}

std::vector<Flow> implementations() {
  std::vector<Flow> all = on_each_simd_target(run_on_host<klt_flow_simd>);
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, KltFlow, testing::ValuesIn(implementations()), ImplementationName());

using Scene = std::function<double(double x, double y)>;

std::vector<float> pyramid_of(const KltLayout& layout, const Scene& scene, double dx, double dy) {
  Guarded<uint8_t> luma(layout.width, layout.height);
  for (int y = 0; y < layout.height; ++y) {
    for (int x = 0; x < layout.width; ++x)
      luma.row(y)[x] = static_cast<uint8_t>(std::lround(scene(x - dx, y - dy)));
  }
  std::vector<float> values(layout.floats());
  klt_pyramid_ref(luma.plane(), layout.over(values.data()), {0, layout.height});
  return values;
}

/// `scene` moves by (dx, dy); features lie everywhere, a few outside.
Pair moved(int width, int height, const Scene& scene, double dx, double dy) {
  Pair pair{{width, height}, {}, {}, {}};
  pair.previous = pyramid_of(pair.layout, scene, 0, 0);
  pair.current = pyramid_of(pair.layout, scene, dx, dy);
  for (int y = -7; y < height + 8; y += 11) {
    for (int x = -7; x < width + 8; x += 13)
      pair.features.push_back({static_cast<float>(x) + 0.25f, static_cast<float>(y), 1});
  }
  return pair;
}

/// Waves of different directions and lengths between 20 and 90 pixels.
Scene waves(std::mt19937& random) {
  std::vector<std::array<double, 3>> all;
  for (int i = 0; i < 12; ++i) {
    const double angle = std::uniform_real_distribution(0.0, 6.28)(random);
    const double length = std::uniform_real_distribution(20.0, 90.0)(random);
    all.push_back({std::cos(angle) * 6.28 / length, std::sin(angle) * 6.28 / length, angle});
  }
  return [all](double x, double y) {
    double sum = 127;
    for (const auto& [wx, wy, phase] : all) sum += 10 * std::sin(wx * x + wy * y + phase);
    return sum;
  };
}

std::vector<KltVector> reference_of(const Pair& pair, const KltFlowSettings& settings) {
  std::vector<KltVector> vectors(pair.features.size());
  run_on_host<klt_flow_ref>(pair, settings, vectors.data(), {0, static_cast<int>(vectors.size())});
  return vectors;
}

bool near(const KltVector& a, const KltVector& b) {
  return a.x == b.x && a.y == b.y && a.found == b.found && std::fabs(a.dx - b.dx) <= 0.01f &&
         std::fabs(a.dy - b.dy) <= 0.01f;
}

/// Features that the reference takes elsewhere when they begin up to 0.001 pixels away: steps
/// through hardly any texture, where rounding decides.
std::vector<bool> unstable(const Pair& pair, const KltFlowSettings& settings,
                           const std::vector<KltVector>& expected) {
  std::vector<bool> unstable(expected.size());
  for (const float away : {-1e-3f, -1e-4f, 1e-4f, 1e-3f}) {
    Pair moved = pair;
    for (KltFeature& feature : moved.features) feature.x += away;
    const std::vector<KltVector> found = reference_of(moved, settings);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const KltVector &e = expected[i], &f = found[i];
      if (e.found != f.found || std::hypot(e.dx - f.dx, e.dy - f.dy) > 20 * std::fabs(away))
        unstable[i] = true;
    }
  }
  return unstable;
}

/// Where a step meets a threshold, one more or less of it is right as well: what the reference does
/// with the threshold moved a little.
void expect_agreement(const Flow& kernel, const Pair& pair, const KltFlowSettings& settings) {
  std::vector<std::vector<KltVector>> right{reference_of(pair, settings)};
  for (const float nudge : {0.998f, 1.002f}) {
    KltFlowSettings nudged = settings;
    nudged.accuracy *= nudge;
    right.push_back(reference_of(pair, nudged));
  }
  const std::vector<bool> skipped = unstable(pair, settings, right[0]);
  const auto count = static_cast<int>(pair.features.size());
  Guarded<KltVector> found(count, 1);
  kernel.run(pair, settings, found.row(0), {0, count});
  EXPECT_LE(std::count(skipped.begin(), skipped.end(), true), count / 4 + 1) << settings.window;
  for (int i = 0; i < count; ++i) {
    if (skipped[i]) continue;
    const KltVector& f = found.row(0)[i];
    const bool agrees =
        std::any_of(right.begin(), right.end(), [&](const auto& r) { return near(r[i], f); });
    EXPECT_TRUE(agrees) << "feature " << i << " at (" << pair.features[i].x << ", "
                        << pair.features[i].y << "): expected (" << right[0][i].dx << ", "
                        << right[0][i].dy << ") " << right[0][i].found << ", found (" << f.dx
                        << ", " << f.dy << ") " << f.found;
  }
  EXPECT_TRUE(found.intact());
}

int found_of(const std::vector<KltVector>& vectors) {
  return static_cast<int>(std::count_if(vectors.begin(), vectors.end(),
                                        [](const KltVector& v) { return v.found > 0; }));
}

TEST_P(KltFlow, FollowsMotion) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(10); ++i) {
    const double dx = std::uniform_real_distribution(-3.0, 3.0)(random);
    const double dy = std::uniform_real_distribution(-3.0, 3.0)(random);
    const Pair pair = moved(160, 120, waves(random), dx, dy);
    const auto count = static_cast<int>(pair.features.size());
    std::vector<KltVector> found(pair.features.size());
    GetParam().run(pair, {12, 20}, found.data(), {0, count});
    EXPECT_GT(found_of(found), count / 5);
    // The stop is at steps of 0.17 pixels. Where the texture has hardly more than one direction a
    // feature may stop too early.
    const auto off = std::count_if(found.begin(), found.end(), [&](const KltVector& v) {
      return v.found > 0 && std::hypot(v.dx - dx, v.dy - dy) > 0.25;
    });
    EXPECT_LE(off, found_of(found) / 20);
  }
}

// Smaller ones have too little texture here: klt_golden_test has a window of 2.
TEST_P(KltFlow, AnyWindow) {
  std::mt19937 random = generator(2);
  const Pair pair = moved(150, 130, waves(random), 1.3, -0.8);
  for (const int window : {3, 4, 5, 7, 8, 9, 12, 16, 17, 20})
    expect_agreement(GetParam(), pair, {window, 15});
}

TEST_P(KltFlow, AnySizeOfFrame) {
  std::mt19937 random = generator(3);
  for (int i = 0; i < repetitions(12); ++i) {
    const int width = random_int(random, 1, 140), height = random_int(random, 1, 100);
    expect_agreement(GetParam(), moved(width, height, waves(random), 1, 1),
                     {random_int(random, 3, 10), random_int(random, 1, 10)});
  }
}

TEST_P(KltFlow, LargeMotionLeavesTheFrame) {
  std::mt19937 random = generator(4);
  expect_agreement(GetParam(), moved(140, 110, waves(random), 15, -12), {8, 20});
}

TEST_P(KltFlow, LosesWhatHasNoTexture) {
  const Pair pair = moved(
      100, 80, [](double, double) { return 200; }, 1, 1);
  expect_agreement(GetParam(), pair, {6, 10});
  // A single bright bar: texture in one direction alone.
  expect_agreement(GetParam(),
                   moved(
                       100, 80, [](double x, double) { return x > 45 && x < 55 ? 255 : 0; }, 1, 0),
                   {6, 10});
}

TEST_P(KltFlow, SkipsEmptyFeatures) {
  std::mt19937 random = generator(5);
  Pair pair = moved(100, 80, waves(random), 1, 0);
  for (KltFeature& feature : pair.features) feature.strength = 0;
  std::vector<KltVector> found(pair.features.size());
  GetParam().run(pair, {6, 10}, found.data(), {0, static_cast<int>(found.size())});
  EXPECT_EQ(found_of(found), 0);
}

TEST_P(KltFlow, RangesOfFeaturesMakeTheWhole) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(6);
  const Pair pair = moved(140, 110, waves(random), 2, 1);
  const auto count = static_cast<int>(pair.features.size());
  Guarded<KltVector> whole(count, 1), parts(count, 1);
  GetParam().run(pair, {8, 10}, whole.row(0), {0, count});
  in_threads(count, 6, [&](Rows range) { GetParam().run(pair, {8, 10}, parts.row(0), range); });
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(std::memcmp(whole.row(0) + i, parts.row(0) + i, sizeof(KltVector)), 0);
  EXPECT_TRUE(parts.intact());
}

TEST(KltTracks, GoOnFromTheNearestEnd) {
  KltTracks tracks;
  KltTrack out[3];
  const KltVector first[] = {{10, 10, 5, 0, 1}, {50, 50, 0, 5, 1}, {90, 90, 1, 1, 0}};
  ASSERT_EQ(tracks.join(first, 3, 3, out), 2);  // the third was lost
  EXPECT_EQ(out[0].id, 1U);
  EXPECT_EQ(out[1].id, 2U);
  EXPECT_EQ(out[1].y, 55);

  // One pixel from the end of track 2, two from that of track 1 but after one that is nearer, and
  // far from both.
  const KltVector second[] = {{50, 56, 1, 0, 1}, {16, 10, 1, 0, 1}, {13, 10, 1, 0, 1}};
  ASSERT_EQ(tracks.join(second, 3, 3, out), 3);
  EXPECT_EQ(out[0].id, 2U);
  EXPECT_EQ(out[0].age, 2U);
  EXPECT_EQ(out[1].id, 1U);
  EXPECT_EQ(out[2].id, 3U);
  EXPECT_EQ(out[2].age, 1U);
}

TEST(KltTracks, EndWithoutAVector) {
  KltTracks tracks;
  KltTrack out;
  const KltVector vector{10, 10, 0, 0, 1}, lost{10, 10, 0, 0, 0};
  ASSERT_EQ(tracks.join(&vector, 1, 3, &out), 1);
  ASSERT_EQ(tracks.join(&lost, 1, 3, &out), 0);
  ASSERT_EQ(tracks.join(&vector, 1, 3, &out), 1);
  EXPECT_EQ(out.id, 2U);
  EXPECT_EQ(out.age, 1U);
}

/// 500 features of frames that moved by a few pixels, window and steps as the benchmark has them.
struct BenchPair {
  Pair pair;
  KltFlowSettings settings;

  explicit BenchPair(FrameSize size)
      : pair{{size.width, size.height}, {}, {}, {}},
        settings(size.height > 1000 ? KltFlowSettings{48, 20} : KltFlowSettings{20, 20}) {
    std::mt19937 random(1);
    const Scene scene = waves(random);
    pair.previous = pyramid_of(pair.layout, scene, 0, 0);
    pair.current = pyramid_of(pair.layout, scene, 2.3, -1.6);
    for (int i = 0; i < 500; ++i) {
      const int margin = 3 * settings.window;
      pair.features.push_back({static_cast<float>(random_int(random, margin, size.width - margin)),
                               static_cast<float>(random_int(random, margin, size.height - margin)),
                               1});
    }
  }
};

/// On each level every pixel of a window once for itself, 17 multiply-adds, and at two pixels on
/// its way, 16: waves that move by 2.8 pixels take no fewer.
double multiply_adds_of(const KltFlowSettings& settings) {
  const double side = 2.0 * settings.window;
  return 500 * 2 * side * side * (17 + 2 * 16);
}

void bench_one_core(benchmark::State& state, FrameSize size) {
  const BenchPair bench(size);
  std::vector<KltVector> vectors(500);
  constexpr int kReferenceFeatures = 10;
  against_peak(
      state, multiply_adds_of(bench.settings),
      [&] {
        run_on_host<klt_flow_simd>(bench.pair, bench.settings, vectors.data(), {0, 500});
      },
      [&] {
        run_on_host<klt_flow_ref>(bench.pair, bench.settings, vectors.data(),
                                  {0, kReferenceFeatures});
      },
      kReferenceFeatures / 500.0);
}

void bench_medium_grain(benchmark::State& state, FrameSize size) {
  const BenchPair bench(size);
  std::vector<KltVector> vectors(500);
  medium_grain(state, 500, {[&](Rows range) {
                 run_on_host<klt_flow_simd>(bench.pair, bench.settings, vectors.data(), range);
               }},
               [] {});
}

/// The kernel alone, from device memory to device memory.
void bench_opencl(benchmark::State& state, FrameSize size) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  const BenchPair bench(size);
  opencl::Queue queue(context);
  KltFlowOpenCL kernel(*context);
  std::vector<KltVector> vectors(500);
  const auto copy = [&](const std::vector<float>& values) {
    return DeviceCopy(context, queue, line_of(values.data(), values.size()));
  };
  DeviceCopy previous = copy(bench.pair.previous), current = copy(bench.pair.current);
  DeviceCopy features(context, queue, line_of(&bench.pair.features[0].x, 3 * 500));
  DeviceCopy out(context, queue, line_of(&vectors[0].x, 5 * 500));
  const auto a = previous.span(), b = current.span(), f = features.span(), o = out.span();
  on_device(state, queue, kKernelBatch, {{"klt_flow", multiply_adds_of(bench.settings), 0}},
            [&] { kernel.enqueue(queue, bench.pair.layout, a, b, f, 500, bench.settings, o); });
}

const int kRegistered = bench_each_target("bench_one_core", kFrameSizes[0], bench_one_core) +
                        bench_each_target("bench_one_core", kFrameSizes[1], bench_one_core);
BENCHMARK_CAPTURE(bench_medium_grain, LD, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_medium_grain, HD, kFrameSizes[1])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, LD_kernel, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_kernel, kFrameSizes[1])->UseManualTime();

}  // namespace
}  // namespace tandem::check
