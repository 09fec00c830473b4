// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <memory>

#include "kernels/network_input/network_input.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

using network::InputTransform;
using network::ModelInfo;
using network::NetworkInputOpenCL;
using network::YuvFrame;
using InputMaker = Implementation<decltype(network::network_input_simd)>;
using NetworkInput = KernelTest<decltype(network::network_input_simd)>;

/// The memory of a chroma plane: interleaved samples lie two bytes apart.
Plane<const uint8_t> bytes_of(const Plane<const uint8_t>& plane, int step) {
  return {plane.data, step * (plane.width - 1) + 1, plane.height, plane.stride};
}

InputMaker on(const OpenCLDevice& device) {
  const auto run = [device](const YuvFrame& frame, const InputTransform& transform, float* input,
                            Rows rows) {
    const network::Placement& p = transform.placement;
    opencl::Queue queue(device.context);
    NetworkInputOpenCL kernel(*device.context, transform);
    DeviceCopy luma(device.context, queue, frame.luma);
    NetworkInputOpenCL::Frame planes{luma.plane(), {}, {}, frame.chroma_step};
    std::unique_ptr<DeviceCopy<const uint8_t>> chroma[2];
    if (frame.u.data) {
      const Plane<const uint8_t> sources[2] = {frame.u, frame.v};
      opencl::DevicePlane* const copies[2] = {&planes.u, &planes.v};
      for (int i = 0; i < 2; ++i) {
        chroma[i] = std::make_unique<DeviceCopy<const uint8_t>>(
            device.context, queue, bytes_of(sources[i], frame.chroma_step));
        *copies[i] = chroma[i]->plane();
        copies[i]->width = sources[i].width;
      }
    }
    DeviceCopy out(
        device.context, queue,
        Plane<float>{input, p.input_width, transform.channels * p.input_height, p.input_width});
    kernel.enqueue(queue, planes, out.span(), rows);
    out.fetch();
  };
  return {device.name, run, device.fused, false};
}

std::vector<InputMaker> implementations() {
  std::vector<InputMaker> all = on_each_simd_target(network::network_input_simd);
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, NetworkInput, testing::ValuesIn(implementations()),
                         ImplementationName());

enum class Chroma { none, planar, interleaved };

/// A frame whose chroma has 1 / across by 1 / down as many samples.
class Picture {
 public:
  Picture(int width, int height, Chroma chroma, int across, int down,
          const std::function<int()>& level)
      : chroma_(chroma),
        chroma_width_((width + across - 1) / across),
        chroma_height_((height + down - 1) / down),
        luma_(width, height),
        first_(chroma_width_ * (chroma == Chroma::interleaved ? 2 : 1), chroma_height_),
        second_(chroma_width_, chroma_height_) {
    for (Guarded<uint8_t>* plane : {&luma_, &first_, &second_})
      for (int y = 0; y < plane->height(); ++y)
        for (int x = 0; x < plane->width(); ++x) plane->row(y)[x] = static_cast<uint8_t>(level());
  }

  YuvFrame frame() const {
    YuvFrame frame{luma_.plane(), {}, {}};
    if (chroma_ == Chroma::none) return frame;
    const Plane<const uint8_t> first = first_.plane();
    frame.u = {first.data, chroma_width_, chroma_height_, first.stride};
    frame.v = second_.plane();
    if (chroma_ == Chroma::planar) return frame;
    frame.chroma_step = 2;
    frame.v = {first.data + 1, chroma_width_, chroma_height_, first.stride};
    return frame;
  }

  InputTransform::Frame layout(const network::YuvMatrix& matrix = {}) const {
    if (chroma_ == Chroma::none) return {luma_.width(), luma_.height(), 0, 0, matrix};
    return {luma_.width(), luma_.height(), chroma_width_, chroma_height_, matrix};
  }

 private:
  const Chroma chroma_;
  const int chroma_width_, chroma_height_;
  Guarded<uint8_t> luma_, first_, second_;
};

constexpr network::YuvMatrix kVideoOfHd{0.2126, 0.0722, 16, 219, 128, 224};  // BT.709

ModelInfo info_of(ModelInfo::Colors colors, ModelInfo::Fit fit) {
  ModelInfo info;
  info.colors = colors;
  info.fit = fit;
  info.mean = {103.53f, 116.28f, 123.675f};
  info.deviation = {57.375f, 57.12f, 58.395f};
  info.padding = 114;
  return info;
}

/// All channels lie one after the other in a plane of rows as wide as the input.
Guarded<float> room_for(const InputTransform& transform) {
  const network::Placement& p = transform.placement;
  return {p.input_width, transform.channels * p.input_height, 0};
}

testing::AssertionResult agree(const InputTransform& transform, const Guarded<float>& expected,
                               const Guarded<float>& found) {
  for (int y = 0; y < expected.height(); ++y) {
    const int channel = y / transform.placement.input_height;
    const float tolerance =
        1e-3f * std::abs(transform.maps[static_cast<std::size_t>(channel)].scale);
    for (int x = 0; x < expected.width(); ++x) {
      const float wanted = expected.row(y)[x], value = found.row(y)[x];
      if (!(std::abs(value - wanted) <= tolerance)) {
        return testing::AssertionFailure() << "channel " << channel << ", (" << x << ", "
                                           << y % transform.placement.input_height << "): expected "
                                           << wanted << ", found " << value;
      }
    }
  }
  return testing::AssertionSuccess();
}

Guarded<float> reference(const YuvFrame& frame, const InputTransform& transform) {
  Guarded<float> input = room_for(transform);
  network::network_input_ref(frame, transform, input.plane().data,
                             {0, transform.placement.input_height});
  return input;
}

void expect_agreement(const InputMaker& maker, const Picture& picture,
                      const InputTransform& transform) {
  const network::Placement& p = transform.placement;
  SCOPED_TRACE(testing::Message() << p.frame_width << "x" << p.frame_height << " to "
                                  << p.input_width << "x" << p.input_height << ", "
                                  << transform.channels << " channels");
  Guarded<float> found = room_for(transform);
  maker.run(picture.frame(), transform, found.plane().data, {0, p.input_height});
  EXPECT_TRUE(agree(transform, reference(picture.frame(), transform), found));
  EXPECT_TRUE(found.intact());
}

TEST_P(NetworkInput, RandomFramesOfEveryFormat) {
  std::mt19937 random = generator(1);
  for (int i = 0; i < repetitions(120); ++i) {
    const auto side = [&] { return random_int(random, 1, 90); };
    const auto chroma = static_cast<Chroma>(random_int(random, 0, 2));
    const Picture picture(side(), side(), chroma, 1 << random_int(random, 0, 2),
                          1 << random_int(random, 0, 1), [&] { return random(); });
    const auto colors = static_cast<ModelInfo::Colors>(random_int(random, 0, 2));
    const auto fit = static_cast<ModelInfo::Fit>(random_int(random, 0, 1));
    const InputTransform transform(info_of(colors, fit), random_int(random, 0, 4) ? 3 : 1, side(),
                                   side(),
                                   picture.layout(i % 2 ? kVideoOfHd : network::YuvMatrix{}));
    expect_agreement(GetParam(), picture, transform);
  }
}

TEST_P(NetworkInput, ToAndFromOnePixel) {
  std::mt19937 random = generator(2);
  for (const Chroma chroma : {Chroma::none, Chroma::planar, Chroma::interleaved}) {
    const Picture one(1, 1, chroma, 2, 2, [&] { return random(); });
    const Picture line(301, 1, chroma, 2, 2, [&] { return random(); });
    for (const Picture* picture : {&one, &line}) {
      for (const int side : {1, 40}) {
        const ModelInfo info = info_of(ModelInfo::Colors::rgb, ModelInfo::Fit::letterbox);
        expect_agreement(GetParam(), *picture, {info, 3, side, side, picture->layout()});
      }
    }
  }
}

TEST_P(NetworkInput, AFrameOf4K) {
  std::mt19937 random = generator(3);
  const Picture picture(3840, 2160, Chroma::interleaved, 2, 2, [&] { return random(); });
  expect_agreement(GetParam(), picture,
                   {info_of(ModelInfo::Colors::bgr, ModelInfo::Fit::letterbox), 3, 97, 61,
                    picture.layout(kVideoOfHd)});
}

TEST_P(NetworkInput, ColorsBeyondTheRangeAreClamped) {
  for (const int level : {0, 1, 255}) {
    const Picture picture(20, 10, Chroma::planar, 2, 2, [&] { return level; });
    const ModelInfo info = info_of(ModelInfo::Colors::rgb, ModelInfo::Fit::stretch);
    expect_agreement(GetParam(), picture, {info, 3, 17, 5, picture.layout(kVideoOfHd)});
  }
}

TEST_P(NetworkInput, BandsOfEverySplitMakeTheWhole) {
  std::mt19937 random = generator(4);
  const Picture picture(57, 31, Chroma::interleaved, 2, 2, [&] { return random(); });
  const InputTransform transform(info_of(ModelInfo::Colors::rgb, ModelInfo::Fit::letterbox), 3, 23,
                                 19, picture.layout());
  const Guarded<float> expected = reference(picture.frame(), transform);
  for (const std::vector<Rows>& split : every_split(19)) {
    Guarded<float> found = room_for(transform);
    for (const Rows band : split)
      GetParam().run(picture.frame(), transform, found.plane().data, band);
    EXPECT_TRUE(agree(transform, expected, found));
    EXPECT_TRUE(found.intact());
  }
}

TEST_P(NetworkInput, BandsFromManyThreads) {
  if (!GetParam().thread_safe) GTEST_SKIP() << "each call copies the whole input back";
  std::mt19937 random = generator(5);
  const Picture picture(90, 99, Chroma::planar, 2, 1, [&] { return random(); });
  const InputTransform transform(info_of(ModelInfo::Colors::bgr, ModelInfo::Fit::stretch), 3, 64,
                                 64, picture.layout());
  Guarded<float> found = room_for(transform);
  in_threads(64, 6, [&](Rows band) {
    GetParam().run(picture.frame(), transform, found.plane().data, band);
  });
  EXPECT_TRUE(agree(transform, reference(picture.frame(), transform), found));
}

/// The input of a frame of one colour, as one value a channel.
std::array<float, 3> color_of(std::array<int, 3> yuv, ModelInfo::Colors colors,
                              const network::YuvMatrix& matrix) {
  uint8_t planes[3][4];
  YuvFrame frame;
  for (std::size_t i = 0; i < 3; ++i) {
    std::fill_n(planes[i], 4, static_cast<uint8_t>(yuv[i]));
    (i == 0 ? frame.luma : i == 1 ? frame.u : frame.v) = {planes[i], 2, 2, 2};
  }
  ModelInfo info;
  info.colors = colors;
  const InputTransform transform(info, 3, 1, 1, {2, 2, 2, 2, matrix});
  std::array<float, 3> color{};
  network::network_input_ref(frame, transform, color.data(), {0, 1});
  return color;
}

TEST(NetworkInputReference, HasTheColorsOfTheStandards) {
  using Colors = ModelInfo::Colors;
  const network::YuvMatrix sd{0.299, 0.114, 16, 219, 128, 224};
  const auto expect_color = [](std::array<float, 3> found, std::array<float, 3> wanted) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[c], wanted[c], 1.5) << "channel " << c;
  };
  // The bars of ITU-R BT.601 and BT.709 at full amplitude, as 8-bit codes.
  expect_color(color_of({82, 90, 240}, Colors::rgb, sd), {255, 0, 0});
  expect_color(color_of({145, 54, 34}, Colors::rgb, sd), {0, 255, 0});
  expect_color(color_of({41, 240, 110}, Colors::rgb, sd), {0, 0, 255});
  expect_color(color_of({63, 102, 240}, Colors::rgb, kVideoOfHd), {255, 0, 0});
  expect_color(color_of({63, 102, 240}, Colors::bgr, kVideoOfHd), {0, 0, 255});
  expect_color(color_of({32, 240, 118}, Colors::rgb, kVideoOfHd), {0, 0, 255});
  expect_color(color_of({235, 128, 128}, Colors::rgb, sd), {255, 255, 255});
  expect_color(color_of({16, 128, 128}, Colors::rgb, sd), {0, 0, 0});
  expect_color(color_of({126, 240, 16}, Colors::luma, sd), {128, 128, 128});
  expect_color(color_of({126, 128, 128}, Colors::rgb, {}), {126, 126, 126});
}

TEST(NetworkInputReference, PadsAndNormalises) {
  const Picture picture(4, 2, Chroma::none, 1, 1, [] { return 100; });
  ModelInfo info = info_of(ModelInfo::Colors::luma, ModelInfo::Fit::letterbox);
  info.mean = {10, 20, 30};
  info.deviation = {2, 4, 5};
  const InputTransform transform(info, 3, 8, 8, picture.layout());
  const Guarded<float> input = reference(picture.frame(), transform);
  for (int c = 0; c < 3; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    for (int y = 0; y < 8; ++y) {
      const float level = y < 2 || y >= 6 ? 114 : 100;
      EXPECT_NEAR(input.row(8 * c + y)[3], (level - info.mean[channel]) / info.deviation[channel],
                  1e-4);
    }
  }
}

TEST(Placement, KeepsTheShapeAndIsUndone) {
  using Fit = ModelInfo::Fit;
  const network::Placement wide = network::place_frame(1920, 1080, 416, 416, Fit::letterbox);
  EXPECT_EQ(wide, (network::Placement{1920, 1080, 416, 416, 0, 91, 416, 234}));
  const network::Placement tall = network::place_frame(100, 1000, 300, 200, Fit::letterbox);
  EXPECT_EQ(tall, (network::Placement{100, 1000, 300, 200, 140, 0, 20, 200}));
  const network::Placement all = network::place_frame(100, 1000, 300, 200, Fit::stretch);
  EXPECT_EQ(all, (network::Placement{100, 1000, 300, 200, 0, 0, 300, 200}));
  const network::Placement thin = network::place_frame(1, 5000, 30, 30, Fit::letterbox);
  EXPECT_EQ(thin.width, 1);
  const Detection box = network::to_frame(wide, {104, 91 + 58.5f, 208, 117, 0.5f, 3});
  EXPECT_FLOAT_EQ(box.x, 480);
  EXPECT_FLOAT_EQ(box.y, 270);
  EXPECT_FLOAT_EQ(box.width, 960);
  EXPECT_FLOAT_EQ(box.height, 540);
  EXPECT_EQ(box.label, 3);
}

/// NV12 to 3 x 416 x 416, letterboxed; luma alone or colours.
struct BenchCase {
  Picture picture;
  InputTransform transform;

  BenchCase(FrameSize size, ModelInfo::Colors colors)
      : picture(size.width, size.height, Chroma::interleaved, 2, 2,
                [random = std::mt19937(1)]() mutable { return random(); }),
        transform(info_of(colors, ModelInfo::Fit::letterbox), 3, 416, 416,
                  picture.layout(kVideoOfHd)) {}
};

template <ModelInfo::Colors colors>
void bench_one_core(benchmark::State& state, FrameSize size) {
  const BenchCase bench(size, colors);
  Guarded<float> input = room_for(bench.transform);
  const YuvFrame frame = bench.picture.frame();
  constexpr int kShare = 8;  // the reference computes every eighth of the rows
  against_reference(
      state,
      [&] {
        network::network_input_simd(frame, bench.transform, input.plane().data, {0, 416});
      },
      [&] {
        network::network_input_ref(frame, bench.transform, input.plane().data,
                                   {208, 208 + 416 / kShare});
      },
      1.0 / kShare);
}

void bench_opencl(benchmark::State& state, FrameSize size) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  const BenchCase bench(size, ModelInfo::Colors::rgb);
  opencl::Queue queue(context);
  const NetworkInputOpenCL kernel(*context, bench.transform);
  const auto width = static_cast<std::size_t>(size.width);
  const std::size_t pixels = width * static_cast<std::size_t>(size.height);
  using Access = opencl::Buffer::Access;
  opencl::Buffer luma(context, pixels), chroma(context, pixels / 2),
      input(context, std::size_t{3} * 416 * 416 * sizeof(float));
  std::fill_n(static_cast<uint8_t*>(luma.host(Access::write)), pixels, uint8_t{100});
  std::fill_n(static_cast<uint8_t*>(chroma.host(Access::write)), pixels / 2, uint8_t{100});
  const double bytes = 1.5 * static_cast<double>(pixels) + static_cast<double>(input.size());
  on_device(state, queue, kKernelBatch, {{"network_input", 0, bytes}}, [&] {
    void* const y = luma.device(queue, Access::read);
    void* const uv = chroma.device(queue, Access::read);
    const int half_width = size.width / 2, half_height = size.height / 2;
    kernel.enqueue(queue,
                   {{y, 0, size.width, size.height, size.width},
                    {uv, 0, half_width, half_height, size.width},
                    {uv, 1, half_width, half_height, size.width},
                    2},
                   {input.device(queue, Access::write), 0}, {0, 416});
  });
}

constexpr FrameSize kUhd{"UHD", 3840, 2160};
const int kRegistered =
    bench_each_target("bench_one_core/luma", kFrameSizes[1],
                      bench_one_core<ModelInfo::Colors::luma>) +
    bench_each_target("bench_one_core/colors", kFrameSizes[0],
                      bench_one_core<ModelInfo::Colors::rgb>) +
    bench_each_target("bench_one_core/colors", kFrameSizes[1],
                      bench_one_core<ModelInfo::Colors::rgb>) +
    bench_each_target("bench_one_core/colors", kUhd, bench_one_core<ModelInfo::Colors::rgb>);
BENCHMARK_CAPTURE(bench_opencl, LD, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_opencl, HD, kFrameSizes[1])->UseManualTime();

}  // namespace
}  // namespace tandem::check
