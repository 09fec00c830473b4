// SPDX-License-Identifier: LGPL-2.1-or-later
// The published results of the tracking benchmark of the San Diego Vision Benchmark Suite, from
// TANDEM_TEST_DATA/tracking: features of the first frame, followed through some frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_flow/klt_flow.h"
#include "kernels/klt_pyramid/klt_pyramid.h"
#include "tests/kernels/klt/klt_select.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem {
namespace {

/// Of the benchmark's configurations; each says how many of its frames it reads.
struct Preset {
  const char* name;
  int window, features, iterations, frames;
};
void PrintTo(const Preset& preset, std::ostream* out) { *out << preset.name; }

struct Frame {
  int width = 0, height = 0;
  std::vector<uint8_t> grey;
};

/// The green bytes of an uncompressed bitmap of 24 bits a pixel, whose rows lie bottom up.
Frame read_bitmap(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto number = [&](std::size_t at) {
    return at + 4 > bytes.size() ? 0
                                 : bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 |
                                       static_cast<int>(bytes[at + 3]) << 24;
  };
  Frame frame{number(18), number(22), {}};
  const std::size_t pixels = number(10), stride = (3 * frame.width + 3) / 4 * 4;
  if (frame.width <= 0 || frame.height <= 0 || pixels + stride * frame.height > bytes.size() ||
      bytes[28] != 24) {
    ADD_FAILURE() << path << " is not a bitmap of 24 bits a pixel";
    return {};
  }
  for (int y = frame.height - 1; y >= 0; --y) {
    for (int x = 0; x < frame.width; ++x)
      frame.grey.push_back(bytes[pixels + stride * y + 3 * x + 1]);
  }
  return frame;
}

/// Where the features are in the end: a row of x, a row of y.
std::vector<std::vector<float>> read_expected(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::vector<float>> rows;
  for (std::string line; std::getline(file, line);) {
    rows.emplace_back();
    for (char* at = line.data();;) {
      char* end = nullptr;
      const float value = std::strtof(at, &end);
      if (end == at) break;
      rows.back().push_back(value);
      at = end;
    }
  }
  return rows;
}

/// The kernels, as one of their versions; pyramids lie in memory as `layout` says.
struct Version {
  std::string name;
  std::function<void(const Frame&, const KltLayout& layout, float* pyramid)> pyramid;
  std::function<void(const KltLayout& layout, const float* pyramid, int window,
                     std::vector<KltFeature>& features)>
      detect;
  std::function<void(const KltLayout& layout, const float* previous, const float* current,
                     const std::vector<KltFeature>& features, const KltFlowSettings& settings,
                     std::vector<KltVector>& vectors)>
      flow;
};
void PrintTo(const Version& version, std::ostream* out) { *out << version.name; }

template <typename Byte>
Plane<Byte> plane_of(Byte* data, const KltLayout& layout) {
  return {data, layout.width, layout.height, layout.width};
}

template <auto* kPyramid, auto* kStrength, auto* kSelect, auto* kFlow>
Version on_the_cpu(const char* name) {
  return {name,
          [](const Frame& frame, const KltLayout& layout, float* pyramid) {
            kPyramid(plane_of(frame.grey.data(), layout), layout.over(pyramid), {0, layout.height});
          },
          [](const KltLayout& layout, const float* pyramid, int window,
             std::vector<KltFeature>& features) {
            const KltLevel<const float> level = layout.over(pyramid).levels[0];
            std::vector<float> strength(layout.pixels_of(0));
            kStrength(level.dx, level.dy, window, plane_of(strength.data(), layout),
                      {0, layout.height});
            kSelect(plane_of<const float>(strength.data(), layout), KltCandidates::pixels,
                    static_cast<int>(features.size()), features.data());
          },
          [](const KltLayout& layout, const float* previous, const float* current,
             const std::vector<KltFeature>& features, const KltFlowSettings& settings,
             std::vector<KltVector>& vectors) {
            kFlow(layout.over(previous), layout.over(current), features.data(), settings,
                  vectors.data(), {0, static_cast<int>(features.size())});
          }};
}

template <typename T>
Plane<T> line_of(T* data, std::size_t size) {
  const auto width = static_cast<int>(size);
  return {data, width, 1, width};
}

Version on_device(const check::OpenCLDevice& device) {
  using check::DeviceCopy;
  const auto& context = device.context;
  return {device.name,
          [=](const Frame& frame, const KltLayout& layout, float* pyramid) {
            opencl::Queue queue(context);
            KltPyramidOpenCL kernel(*context);
            DeviceCopy luma(context, queue, plane_of(frame.grey.data(), layout));
            DeviceCopy out(context, queue, line_of(pyramid, layout.floats()));
            kernel.enqueue(queue, luma.plane(), out.span());
            out.fetch();
          },
          [=](const KltLayout& layout, const float* pyramid, int window,
              std::vector<KltFeature>& features) {
            const std::size_t pixels = layout.pixels_of(0);
            std::vector<float> memory(7 * pixels);
            std::vector<uint32_t> words(KltFeaturesOpenCL::selection_scratch());
            opencl::Queue queue(context);
            KltFeaturesOpenCL kernel(*context);
            DeviceCopy dx(context, queue, layout.over(pyramid).levels[0].dx);
            DeviceCopy dy(context, queue, layout.over(pyramid).levels[0].dy);
            DeviceCopy strength(context, queue, plane_of(memory.data(), layout));
            DeviceCopy sums(context, queue, line_of(&memory[pixels], 6 * pixels));
            DeviceCopy search(context, queue, line_of(words.data(), words.size()));
            DeviceCopy out(context, queue, line_of(&features[0].x, 3 * features.size()));
            kernel.enqueue_strength(queue, dx.plane(), dy.plane(), window, strength.plane(),
                                    sums.span());
            kernel.enqueue_select(queue, strength.plane(), KltCandidates::pixels,
                                  static_cast<int>(features.size()), out.span(), search.span());
            out.fetch();
          },
          [=](const KltLayout& layout, const float* previous, const float* current,
              const std::vector<KltFeature>& features, const KltFlowSettings& settings,
              std::vector<KltVector>& vectors) {
            const std::size_t count = features.size();
            opencl::Queue queue(context);
            KltFlowOpenCL kernel(*context);
            DeviceCopy before(context, queue, line_of(previous, layout.floats()));
            DeviceCopy now(context, queue, line_of(current, layout.floats()));
            DeviceCopy from(context, queue, line_of(&features[0].x, 3 * count));
            DeviceCopy out(context, queue, line_of(&vectors[0].x, 5 * count));
            kernel.enqueue(queue, layout, before.span(), now.span(), from.span(),
                           static_cast<int>(count), settings, out.span());
            out.fetch();
          }};
}

struct Pyramid {
  KltLayout layout;
  std::vector<float> values;

  // The benchmark differentiates left minus right: its steps lead away from the motion, and the
  // published places are those where they led. Negated gradients do the same; strengths, and all
  // else that they are used for, are products of two.
  Pyramid(const Version& version, const Frame& frame)
      : layout{frame.width, frame.height}, values(layout.floats()) {
    version.pyramid(frame, layout, values.data());
    for (int level = 0; level < KltPyramid<float>::kLevels; ++level) {
      for (std::size_t i = 0; i < 2 * layout.plane_of(level); ++i)
        values[layout.first(level, 1) + i] *= -1;
    }
  }
};

class KltGolden : public testing::TestWithParam<std::tuple<Version, Preset>> {};

TEST_P(KltGolden, FollowsAsPublished) {
  const auto& [version, preset] = GetParam();
  const char* data = std::getenv("TANDEM_TEST_DATA");
  const auto folder = std::filesystem::path(data ? data : "") / "tracking" / preset.name;
  if (!data || !exists(folder))
    GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/tracking/" << preset.name << " (SD-VBS)";
  const auto expected = read_expected(folder / "expected_C.txt");
  ASSERT_GE(expected.size(), 2u);

  Pyramid previous(version, read_bitmap(folder / "1.bmp"));
  std::vector<KltFeature> features(preset.features);
  version.detect(previous.layout, previous.values.data(), preset.window, features);
  for (int n = 1; n <= preset.frames; ++n) {
    const Pyramid current(version, read_bitmap(folder / (std::to_string(n) + ".bmp")));
    ASSERT_EQ(current.values.size(), previous.values.size());
    std::vector<KltVector> vectors(features.size());
    const KltFlowSettings settings{preset.window, preset.iterations};
    version.flow(previous.layout, previous.values.data(), current.values.data(), features, settings,
                 vectors);
    features.clear();
    for (const KltVector& v : vectors)
      if (v.found > 0) features.push_back({v.x + v.dx, v.y + v.dy, 1});
    previous = current;
  }

  ASSERT_EQ(features.size(), expected[0].size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    EXPECT_NEAR(features[i].x, expected[0][i], 0.01) << i;
    EXPECT_NEAR(features[i].y, expected[1][i], 0.01) << i;
  }
}

constexpr Preset kPresets[] = {{"sim", 2, 200, 2, 4},
                               {"sim_fast", 2, 100, 2, 4},
                               {"sqcif", 8, 500, 15, 2},
                               {"qcif", 12, 400, 15, 4}};
std::vector<Version> versions() {
  std::vector<Version> all{
      on_the_cpu<klt_pyramid_ref, klt_strength_ref, klt_select_ref, klt_flow_ref>("reference"),
      on_the_cpu<klt_pyramid_simd, klt_strength_simd, klt_select_simd, klt_flow_simd>("simd")};
  for (const check::OpenCLDevice& device : check::opencl_devices())
    all.push_back(on_device(device));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, KltGolden,
                         testing::Combine(testing::ValuesIn(versions()),
                                          testing::ValuesIn(kPresets)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace tandem
