// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdlib>

#include "kernels/resize/resize.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

using Resizer = Implementation<decltype(resize_simd)>;
using Resize = KernelTest<decltype(resize_simd)>;

Resizer on(const OpenCLDevice& device) {
  const auto run = [device](Plane<const uint8_t> source, Plane<uint8_t> destination, Rows rows) {
    opencl::Queue queue(device.context);
    ResizeOpenCL resize(*device.context);
    DeviceCopy source_copy(device.context, queue, source);
    DeviceCopy destination_copy(device.context, queue, destination);
    resize.enqueue(queue, source_copy.plane(), destination_copy.plane(), rows);
    destination_copy.fetch();
  };
  return {device.name, run, device.fused, false};
}

std::vector<Resizer> implementations() {
  std::vector<Resizer> all = on_each_simd_target(resize_simd);
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Resize, testing::ValuesIn(implementations()), ImplementationName());

Guarded<uint8_t> image_of(int width, int height, const std::function<int(int x, int y)>& level) {
  Guarded<uint8_t> image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.row(y)[x] = static_cast<uint8_t>(level(x, y));
  }
  return image;
}

Guarded<uint8_t> random_image(std::mt19937& random, int width, int height) {
  return image_of(width, height, [&](int, int) { return random(); });
}

/// Within one grey level everywhere, and off by one in few pixels: means half way between two
/// levels are common when the ratio is a simple fraction, and single precision may miss them. A
/// source of one row or column gives `repeats` equal ones: what is missed in one is missed in all.
testing::AssertionResult agree(const Guarded<uint8_t>& expected, const Guarded<uint8_t>& found,
                               int repeats = 1) {
  int off_by_one = 0;
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x) {
      const int difference = std::abs(expected.row(y)[x] - found.row(y)[x]);
      off_by_one += difference;
      if (difference > 1) {
        return testing::AssertionFailure() << "(" << x << ", " << y << "): expected "
                                           << +expected.row(y)[x] << ", found " << +found.row(y)[x];
      }
    }
  }
  const int distinct = expected.width() * expected.height() / repeats;
  // At 4 to 3 one mean in four lies half way.
  if (off_by_one > repeats * (4 + distinct / 3)) {
    return testing::AssertionFailure() << off_by_one << " pixels are off by one";
  }
  return testing::AssertionSuccess();
}

Guarded<uint8_t> reference(const Guarded<uint8_t>& source, int width, int height) {
  Guarded<uint8_t> destination(width, height);
  resize_ref(source.plane(), destination.plane(), {0, height});
  return destination;
}

void expect_agreement(const Resizer& resizer, const Guarded<uint8_t>& source, int width,
                      int height) {
  Guarded<uint8_t> found(width, height);
  resizer.run(source.plane(), found.plane(), {0, height});
  const int repeats = (source.width() == 1 ? width : 1) * (source.height() == 1 ? height : 1);
  EXPECT_TRUE(agree(reference(source, width, height), found, repeats))
      << source.width() << "x" << source.height() << " to " << width << "x" << height;
  EXPECT_TRUE(found.intact());
}

TEST_P(Resize, RandomSizes) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(150); ++i) {
    const auto size = [&] { return random_int(random, 1, 90); };
    expect_agreement(GetParam(), random_image(random, size(), size()), size(), size());
  }
}

TEST_P(Resize, StepsOfThePyramid) {
  std::mt19937 random = generator(2);
  const Guarded<uint8_t> frame = random_image(random, 300, 208);
  for (double scale = 0.5; scale < 6; scale *= 1.2) {
    expect_agreement(GetParam(), frame, static_cast<int>(300 / scale),
                     static_cast<int>(208 / scale));
  }
}

TEST_P(Resize, ToAndFromOnePixel) {
  std::mt19937 random = generator(3);
  expect_agreement(GetParam(), random_image(random, 1, 1), 1, 1);
  expect_agreement(GetParam(), random_image(random, 1, 1), 40, 3);
  expect_agreement(GetParam(), random_image(random, 401, 33), 1, 1);
  expect_agreement(GetParam(), random_image(random, 401, 33), 1, 70);
}

TEST_P(Resize, TheSameSizeIsACopy) {
  std::mt19937 random = generator(4);
  const Guarded<uint8_t> source = random_image(random, 71, 19);
  Guarded<uint8_t> found(71, 19);
  GetParam().run(source.plane(), found.plane(), {0, 19});
  EXPECT_TRUE(same(source, found));
}

TEST_P(Resize, ExtremeImages) {
  for (const auto& [width, height] : {std::pair{50, 30}, std::pair{150, 90}, std::pair{7, 5}}) {
    expect_agreement(GetParam(), image_of(83, 41, [](int, int) { return 0; }), width, height);
    expect_agreement(GetParam(), image_of(83, 41, [](int, int) { return 255; }), width, height);
    expect_agreement(GetParam(), image_of(83, 41, [](int x, int y) { return (x + y) % 2 * 255; }),
                     width, height);
    expect_agreement(GetParam(), image_of(83, 41, [](int x, int) { return 3 * x; }), width, height);
  }
}

TEST_P(Resize, AFlatImageStaysFlat) {
  const Guarded<uint8_t> source = image_of(123, 45, [](int, int) { return 201; });
  for (const int size : {1, 16, 44, 46, 122, 124, 300}) {
    Guarded<uint8_t> found(size, size);
    GetParam().run(source.plane(), found.plane(), {0, size});
    EXPECT_TRUE(same(image_of(size, size, [](int, int) { return 201; }), found));
  }
}

TEST_P(Resize, BandsOfEverySplitMakeTheWhole) {
  std::mt19937 random = generator(5);
  const Guarded<uint8_t> source = random_image(random, 60, 37);
  for (const int height : {14, 52}) {
    Guarded<uint8_t> whole(45, height);
    GetParam().run(source.plane(), whole.plane(), {0, height});
    for (const std::vector<Rows>& split : every_split(height)) {
      Guarded<uint8_t> found(45, height);
      for (const Rows band : split) {
        GetParam().run(source.plane(), found.plane(), band);
        if (&band == &split.front()) {
          EXPECT_TRUE(found.intact_outside(band));
        }
      }
      EXPECT_TRUE(same(whole, found));
    }
  }
}

TEST_P(Resize, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "one thread at a time by contract";
  std::mt19937 random = generator(6);
  const Guarded<uint8_t> source = random_image(random, 120, 90);
  Guarded<uint8_t> found(100, 75);
  in_threads(75, 6, [&](Rows band) { GetParam().run(source.plane(), found.plane(), band); });
  EXPECT_TRUE(agree(reference(source, 100, 75), found));
}

TEST_P(Resize, MoreSizesThanAreKept) {
  std::mt19937 random = generator(7);
  const Guarded<uint8_t> source = random_image(random, 30, 20);
  for (int round = 0; round < 2; ++round) {
    for (int size = 1; size <= 80; ++size) expect_agreement(GetParam(), source, size, size / 2 + 1);
  }
}

/// The second level of the pyramid. %filter: its time by that which the multiply-adds of stage 1 on
/// the pixels that come out take at the peak rate.
void bench(benchmark::State& state, FrameSize size) {
  const int width = static_cast<int>(size.width / 1.2),
            height = static_cast<int>(size.height / 1.2);
  std::mt19937 random(1);
  const Guarded<uint8_t> source = random_image(random, size.width, size.height);
  Guarded<uint8_t> found(width, height);
  constexpr int kReferenceRows = 16;
  against_reference(
      state,
      [&] {
        resize_simd(source.plane(), found.plane(), {0, height});
      },
      [&] {
        resize_ref(source.plane(), found.plane(), {0, kReferenceRows});
      },
      static_cast<double>(kReferenceRows) / height);
  const double start = core_seconds();
  resize_simd(source.plane(), found.plane(), {0, height});
  const double time = core_seconds() - start;
  const double filter_time = 2e-9 * 900 * width * height / measure_fma_peak_gflops();
  state.SetLabel(
      "%filter of the time of 900 multiply-adds a pixel, as stage 1 has, at the peak of " +
      current_simd_target().name);
  state.counters["%filter"] = 100 * time / filter_time;
}

/// The same from device memory to device memory.
void bench_opencl(benchmark::State& state, FrameSize size) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  const int width = static_cast<int>(size.width / 1.2),
            height = static_cast<int>(size.height / 1.2);
  opencl::Queue queue(context);
  ResizeOpenCL resize(*context);
  opencl::Buffer source(context, static_cast<std::size_t>(size.width) * size.height),
      found(context, static_cast<std::size_t>(width) * height);
  source.host(opencl::Buffer::Access::write);
  const auto bytes = static_cast<double>(source.size() + found.size());
  on_device(state, queue, kKernelBatch, {{"resize", 0, bytes}}, [&] {
    resize.enqueue(queue,
                   {source.device(queue, opencl::Buffer::Access::read), 0, size.width, size.height,
                    size.width},
                   {found.device(queue, opencl::Buffer::Access::write), 0, width, height, width},
                   {0, height});
  });
}

BENCHMARK_CAPTURE(bench, LD, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench, HD, kFrameSizes[1])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, LD_kernel, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD_kernel, kFrameSizes[1])->UseManualTime();

}  // namespace
}  // namespace tandem::check
