// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <numeric>

#include "tests/kernels/srad/srad_implementation.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

class Srad : public testing::TestWithParam<SradStages> {
 protected:
  void SetUp() override { use_simd_target(GetParam().target); }
  void TearDown() override { use_simd_target(0); }
};
INSTANTIATE_TEST_SUITE_P(All, Srad, testing::ValuesIn(srad_implementations()),
                         ImplementationName());

/// A frame at every stage of one iteration.
struct Frame {
  Frame(int w, int h)
      : width(w),
        height(h),
        luma(w, h),
        image(w, h),
        squares(w, h, 3),
        differences(w, 2 * h, 5),
        coefficient(w, h, 2),
        updated(w, h, 9),
        result(w, h) {}

  int width, height;
  Guarded<uint8_t> luma;
  Guarded<float> image, squares;
  SradStatistics statistics;
  Guarded<float> differences, coefficient, updated;
  Guarded<uint8_t> result;
};

using Pixel = std::function<int(int x, int y)>;

void fill(Guarded<uint8_t>& luma, const Pixel& pixel) {
  for (int y = 0; y < luma.height(); ++y) {
    for (int x = 0; x < luma.width(); ++x) luma.row(y)[x] = static_cast<uint8_t>(pixel(x, y));
  }
}

/// Computes the frame by the reference, stage after stage, so that each stage of another
/// implementation can be given exactly what the reference had.
Frame make_frame(int width, int height, const Pixel& pixel, float lambda = 0.5f) {
  Frame f(width, height);
  const SradStages& reference = srad_reference();
  const Rows all{0, height};
  fill(f.luma, pixel);
  reference.extract(f.luma.plane(), f.image.plane(), all);
  reference.prepare(f.image.plane(), f.squares.plane(), all);
  f.statistics = reference.reduce(f.image.plane(), f.squares.plane(), {all});
  reference.diffuse(f.image.plane(), f.statistics.variation, f.differences.plane(),
                    f.coefficient.plane(), all);
  reference.update(f.image.plane(), f.differences.plane(), f.coefficient.plane(), lambda,
                   f.updated.plane(), all);
  reference.compress(f.updated.plane(), f.result.plane(), all);
  return f;
}

testing::AssertionResult close(const Guarded<float>& expected, const Guarded<float>& found,
                               float tolerance) {
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x) {
      const float wanted = expected.row(y)[x], value = found.row(y)[x];
      if (!(std::abs(value - wanted) <= tolerance)) {
        return testing::AssertionFailure()
               << "(" << x << ", " << y << "): expected " << wanted << ", found " << value;
      }
    }
  }
  return testing::AssertionSuccess();
}

/// Equal but where the exact value lies within 1e-3 of a half.
testing::AssertionResult rounded_alike(const Guarded<float>& image,
                                       const Guarded<uint8_t>& expected,
                                       const Guarded<uint8_t>& found) {
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x) {
      const int wanted = expected.row(y)[x], value = found.row(y)[x];
      const double level = 255 * std::log(static_cast<double>(image.row(y)[x]));
      const bool half = std::abs(level - std::floor(level) - 0.5) < 1e-3;
      if (std::abs(value - wanted) > (half ? 1 : 0)) {
        return testing::AssertionFailure() << "(" << x << ", " << y << "): expected " << wanted
                                           << " of " << level << ", found " << value;
      }
    }
  }
  return testing::AssertionSuccess();
}

/// Each stage alone, from what the reference gives it, in these bands.
void expect_stages(const SradStages& stages, const Frame& f, const std::vector<Rows>& bands,
                   float lambda = 0.5f) {
  SCOPED_TRACE(std::to_string(f.width) + "x" + std::to_string(f.height));
  Frame found(f.width, f.height);
  for (const Rows band : bands) {
    stages.extract(f.luma.plane(), found.image.plane(), band);
    stages.prepare(f.image.plane(), found.squares.plane(), band);
    stages.diffuse(f.image.plane(), f.statistics.variation, found.differences.plane(),
                   found.coefficient.plane(), band);
    stages.update(f.image.plane(), f.differences.plane(), f.coefficient.plane(), lambda,
                  found.updated.plane(), band);
    stages.compress(f.updated.plane(), found.result.plane(), band);
    if (&band != &bands.front()) continue;
    EXPECT_TRUE(found.image.intact_outside(band));
    EXPECT_TRUE(found.squares.intact_outside(band));
    EXPECT_TRUE(found.coefficient.intact_outside(band));
    EXPECT_TRUE(found.updated.intact_outside(band));
    EXPECT_TRUE(found.result.intact_outside(band));
  }
  EXPECT_TRUE(close(f.image, found.image, 1e-6f));
  EXPECT_TRUE(close(f.squares, found.squares, 0));
  EXPECT_TRUE(close(f.differences, found.differences, 0));
  EXPECT_TRUE(close(f.coefficient, found.coefficient, 1e-5f));
  EXPECT_TRUE(close(f.updated, found.updated, 1e-6f));
  EXPECT_TRUE(rounded_alike(f.updated, f.result, found.result));
  EXPECT_TRUE(found.differences.intact());

  const SradStatistics statistics = stages.reduce(f.image.plane(), f.squares.plane(), bands);
  EXPECT_NEAR(statistics.mean, f.statistics.mean, 1e-6);
  // The device adds eight pixels in single precision first: three roundings of 2^-24 in each of two
  // means, one of them squared. Where pixels are alike all eights are rounded alike.
  const double rounding = stages.thread_safe ? 2e-8 : 9 * 0x1p-24;
  EXPECT_NEAR(statistics.variation, f.statistics.variation,
              1e-6 * f.statistics.variation + rounding);
}

Pixel noise(std::mt19937& random) {
  return [&](int, int) { return random_int(random, 0, 255); };
}

TEST_P(Srad, RandomFramesOfAnySize) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(60); ++i) {
    const int width = random_int(random, 1, 150), height = random_int(random, 1, 40);
    expect_stages(GetParam(), make_frame(width, height, noise(random)), {{0, height}});
  }
}

TEST_P(Srad, EveryWidthAroundAVector) {
  std::mt19937 random = generator(2);
  for (int width = 1; width <= 70; ++width)
    expect_stages(GetParam(), make_frame(width, 3, noise(random)), {{0, 3}});
}

TEST_P(Srad, FramesOfOnePixelRowOrColumn) {
  std::mt19937 random = generator(3);
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 50}, {50, 1}})
    expect_stages(GetParam(), make_frame(width, height, noise(random)), {{0, height}});
}

TEST_P(Srad, ExtremeFrames) {
  std::mt19937 random = generator(4);
  const Pixel pixels[] = {
      [](int x, int y) { return (x + y) % 2 * 255; },
      [](int x, int) { return x < 20 ? 0 : 255; },
      [](int x, int y) { return x == 30 && y == 7 ? 255 : 0; },
      [](int x, int y) { return x == 30 && y == 7 ? 0 : 255; },
      [&](int, int) { return 128 + random_int(random, 0, 1); },
      [](int x, int y) { return x == 30 && y == 7 ? 129 : 128; },
  };
  for (const Pixel& pixel : pixels) {
    for (const float lambda : {0.001f, 0.5f, 1.0f})
      expect_stages(GetParam(), make_frame(61, 23, pixel, lambda), {{0, 23}}, lambda);
  }
}

TEST_P(Srad, AConstantFrameHasNoSpeckleAndStaysAsItIs) {
  for (const int level : {0, 1, 37, 128, 255}) {
    const Frame f = make_frame(333, 67, [=](int, int) { return level; });
    const SradStatistics found = GetParam().reduce(f.image.plane(), f.squares.plane(), {{0, 67}});
    EXPECT_EQ(found.variation, 0) << level;
    EXPECT_NEAR(found.mean, std::exp(level / 255.0), 1e-6);
    expect_stages(GetParam(), f, {{0, 67}});
    EXPECT_TRUE(same(f.luma, f.result));
  }
}

TEST_P(Srad, WithoutSpeckleNothingDiffuses) {
  const Frame f = make_frame(40, 9, [](int x, int y) { return 5 * x + y; });
  Frame found(40, 9);
  GetParam().diffuse(f.image.plane(), 0, found.differences.plane(), found.coefficient.plane(),
                     {0, 9});
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 40; ++x) ASSERT_EQ(found.coefficient.row(y)[x], 0);
  }
}

TEST_P(Srad, EveryGreyLevelComesBack) {
  const Frame f = make_frame(256, 1, [](int x, int) { return x; });
  Frame found(256, 1);
  GetParam().extract(f.luma.plane(), found.image.plane(), {0, 1});
  GetParam().compress(found.image.plane(), found.result.plane(), {0, 1});
  EXPECT_TRUE(same(f.luma, found.result));
}

TEST_P(Srad, CompressClampsWhatIsNoLevel) {
  Guarded<float> image(6, 1);
  const float values[] = {1e-30f, 0.5f, 1, 2.7182818f, 2.8f, 1e30f};
  std::copy_n(values, 6, image.row(0));
  Guarded<uint8_t> found(6, 1);
  GetParam().compress(image.plane(), found.plane(), {0, 1});
  const std::vector<int> levels(found.row(0), found.row(0) + 6);
  EXPECT_EQ(levels, (std::vector<int>{0, 0, 0, 255, 255, 255}));
}

TEST_P(Srad, BandsOfEverySplitMakeTheWhole) {
  std::mt19937 random = generator(5);
  const Frame f = make_frame(67, 19, noise(random));
  const SradStatistics whole = GetParam().reduce(f.image.plane(), f.squares.plane(), {{0, 19}});
  for (const std::vector<Rows>& split : every_split(19)) {
    expect_stages(GetParam(), f, split);
    const SradStatistics found = GetParam().reduce(f.image.plane(), f.squares.plane(), split);
    EXPECT_EQ(found.variation, whole.variation) << "the bands must not matter";
    EXPECT_EQ(found.mean, whole.mean);
  }
}

TEST_P(Srad, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(6);
  const Frame f = make_frame(90, 99, noise(random));
  Frame found(90, 99);
  in_threads(99, 6, [&](Rows band) {
    GetParam().diffuse(f.image.plane(), f.statistics.variation, found.differences.plane(),
                       found.coefficient.plane(), band);
    GetParam().compress(f.updated.plane(), found.result.plane(), band);
  });
  EXPECT_TRUE(close(f.coefficient, found.coefficient, 1e-5f));
  EXPECT_TRUE(rounded_alike(f.updated, f.result, found.result));
}

TEST_P(Srad, UpdatesInPlace) {
  std::mt19937 random = generator(7);
  const Frame f = make_frame(83, 12, noise(random));
  Guarded<float> image = f.image;
  for (const Rows band : {Rows{5, 12}, Rows{0, 5}}) {
    GetParam().update(image.plane(), f.differences.plane(), f.coefficient.plane(), 0.5f,
                      image.plane(), band);
  }
  EXPECT_TRUE(close(f.updated, image, 1e-6f));
  EXPECT_TRUE(image.intact());
}

/// The statistics of an image of which the device sums the rows before `split`.
SradStatistics reduce_in_two(const OpenCLDevice& device, const Frame& f, int split) {
  const SradOpenCL kernels(*device.context);
  opencl::Queue queue(device.context);
  Guarded<float> sums(4 * (f.height + 1), 1, 1);
  DeviceCopy image(device.context, queue, f.image.plane()),
      squares(device.context, queue, f.squares.plane());
  DeviceCopy summed(device.context, queue, sums.plane());
  kernels.reduce_first(queue, image.plane(), squares.plane(), summed.span(), split);
  summed.fetch();
  SradSums all;
  for (int i = 0; i < (split > 0 ? kernels.sums_of(split) : 0); ++i) {
    const float* sum = sums.plane().data + 4 * i;
    all.image += double{sum[0]} + sum[1];
    all.squares += double{sum[2]} + sum[3];
  }
  std::vector<SradSums> rows(f.height);
  srad_reduce_simd(f.image.plane(), f.squares.plane(), rows.data(), {split, f.height});
  for (int y = split; y < f.height; ++y) {
    all.image += rows[y].image;
    all.squares += rows[y].squares;
  }
  return srad_statistics(all, f.width, f.height);
}

TEST(SradOpenCLTest, DeviceAndCoresSumAnImageTogether) {
  std::mt19937 random = generator(9);
  for (const OpenCLDevice& device : opencl_devices()) {
    for (const auto& [width, height] : {std::pair{1, 1}, {37, 11}, {458, 50}, {210, 501}}) {
      const Frame f = make_frame(width, height, noise(random));
      for (const int split : {0, 1, height / 3, height - 1, height}) {
        SCOPED_TRACE(device.name + " " + std::to_string(height) + ": " + std::to_string(split));
        const SradStatistics found = reduce_in_two(device, f, split);
        EXPECT_NEAR(found.mean, f.statistics.mean, 1e-5 * f.statistics.mean);
        EXPECT_NEAR(found.variation, f.statistics.variation, 1e-5);
      }
    }
  }
}

/// Iterations on a device, the first one from one image to another, as in a pipeline; `apart` waits
/// after every stage.
std::vector<Guarded<float>> iterate(const OpenCLDevice& device, const Frame& f, int iterations,
                                    bool apart) {
  const auto context = device.context;
  // As in a pipeline, where every element has kernels of its own.
  const SradOpenCL by_prepare(*context), by_reduce(*context), by_diffuse(*context),
      by_update(*context);
  opencl::Queue queue(context);
  const Guarded<float> scratch(4, f.height, 1), mean_and_variation(2, 1, 1);
  std::vector<Guarded<float>> found{f.image,       f.squares,     scratch,  mean_and_variation,
                                    f.differences, f.coefficient, f.updated};
  DeviceCopy image(context, queue, found[0].plane()), squares(context, queue, found[1].plane()),
      sums(context, queue, found[2].plane()), statistics(context, queue, found[3].plane()),
      differences(context, queue, found[4].plane()), coefficient(context, queue, found[5].plane()),
      updated(context, queue, found[6].plane());
  const Rows all{0, f.height};
  const auto stage = [&](auto&& enqueue) {
    enqueue();
    if (apart) queue.finish();
  };
  for (int i = 0; i < iterations; ++i) {
    const opencl::DevicePlane from = i == 0 ? image.plane() : updated.plane();
    stage([&] { by_prepare.prepare(queue, from, squares.plane(), all); });
    stage([&] { by_reduce.reduce(queue, from, squares.plane(), sums.span(), statistics.span()); });
    stage([&] {
      by_diffuse.diffuse(queue, from, statistics.span(), differences.plane(), coefficient.plane(),
                         all);
    });
    stage([&] {
      by_update.update(queue, from, differences.plane(), coefficient.plane(), 0.5f, updated.plane(),
                       all);
    });
  }
  image.fetch();
  updated.fetch();
  squares.fetch();
  statistics.fetch();
  differences.fetch();
  coefficient.fetch();
  found.erase(found.begin() + 2);  // scratch
  return found;
}

TEST(SradOpenCLTest, IterationsThatAreComputedTogetherGiveWhatStagesDo) {
  std::mt19937 random = generator(8);
  for (const OpenCLDevice& device : opencl_devices()) {
    for (const auto& [width, height] : {std::pair{1, 1}, {37, 11}, {458, 50}, {2100, 23}}) {
      SCOPED_TRACE(device.name + " " + std::to_string(width) + "x" + std::to_string(height));
      const Frame f = make_frame(width, height, noise(random));
      for (const int iterations : {1, 2, 3, 4}) {
        const auto apart = iterate(device, f, iterations, true),
                   together = iterate(device, f, iterations, false);
        for (std::size_t i = 0; i < apart.size(); ++i)
          EXPECT_TRUE(same(apart[i], together[i])) << "tensor " << i << " of " << iterations;
      }
    }
  }
}

/// A stage that is left for the next one is done when something else comes next.
TEST(SradOpenCLTest, AnUpdateIsDoneWhateverFollowsIt) {
  std::mt19937 random = generator(9);
  for (const OpenCLDevice& device : opencl_devices()) {
    SCOPED_TRACE(device.name);
    const auto context = device.context;
    const SradOpenCL kernels(*context);
    const Frame f = make_frame(70, 13, noise(random));
    const Rows all{0, f.height};
    Frame found(70, 13);
    opencl::Queue queue(context);
    DeviceCopy image(context, queue, f.image.plane());
    DeviceCopy differences(context, queue, f.differences.plane());
    DeviceCopy coefficient(context, queue, f.coefficient.plane());
    DeviceCopy updated(context, queue, found.updated.plane());
    DeviceCopy squares(context, queue, found.squares.plane());
    DeviceCopy luma(context, queue, found.result.plane());
    const auto update = [&] {
      kernels.update(queue, image.plane(), differences.plane(), coefficient.plane(), 0.5f,
                     updated.plane(), all);
    };
    update();
    kernels.compress(queue, updated.plane(), luma.plane(), all);  // another kernel
    luma.fetch();
    EXPECT_TRUE(rounded_alike(f.updated, f.result, found.result));
    update();
    kernels.prepare(queue, updated.plane(), squares.plane(), all);  // and then nothing
    squares.fetch();
    updated.fetch();
    EXPECT_TRUE(close(f.updated, found.updated, 1e-6f));
    for (int y = 0; y < f.height; ++y) {
      for (int x = 0; x < f.width; ++x) {
        const float value = found.updated.row(y)[x];
        ASSERT_EQ(found.squares.row(y)[x], value * value);
      }
    }
    update();
    kernels.prepare(queue, image.plane(), squares.plane(), all);  // of another image
    squares.fetch();
    EXPECT_EQ(found.squares.row(1)[1], f.image.row(1)[1] * f.image.row(1)[1]);
  }
}

}  // namespace
}  // namespace tandem::check
