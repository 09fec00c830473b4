// SPDX-License-Identifier: LGPL-2.1-or-later
// The published results of the tracking benchmark of the San Diego Vision Benchmark Suite, from
// TANDEM_TEST_DATA/tracking: features of the first frame, followed through some frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_flow/klt_flow.h"
#include "kernels/klt_pyramid/klt_pyramid.h"

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

/// The kernels, as one of their versions.
struct Version {
  const char* name;
  decltype(&klt_pyramid_ref) pyramid;
  decltype(&klt_strength_ref) strength;
  decltype(&klt_select_ref) select;
  decltype(&klt_flow_ref) flow;
};
void PrintTo(const Version& version, std::ostream* out) { *out << version.name; }

struct Pyramid {
  KltLayout layout;
  std::vector<float> values;
  KltPyramid<const float> planes() const { return layout.over(values.data()); }

  // The benchmark differentiates left minus right: its steps lead away from the motion, and the
  // published places are those where they led. Negated gradients do the same; strengths, and all
  // else that they are used for, are products of two.
  Pyramid(const Version& version, const Frame& frame)
      : layout{frame.width, frame.height}, values(layout.floats()) {
    version.pyramid({frame.grey.data(), frame.width, frame.height, frame.width},
                    layout.over(values.data()), {0, frame.height});
    for (int level = 0; level < KltPyramid<float>::kLevels; ++level) {
      for (std::size_t i = 0; i < 2 * layout.pixels_of(level); ++i)
        values[layout.first(level, 1) + i] *= -1;
    }
  }
};

std::vector<KltFeature> detect(const Version& version, const Pyramid& pyramid,
                               const Preset& preset) {
  const KltLevel<const float> level = pyramid.planes().levels[0];
  std::vector<float> strength(pyramid.layout.pixels_of(0));
  const Plane<float> plane{strength.data(), level.dx.width, level.dx.height, level.dx.width};
  version.strength(level.dx, level.dy, preset.window, plane, {0, plane.height});
  std::vector<KltFeature> features(preset.features);
  version.select(plane, KltCandidates::pixels, preset.features, features.data());
  return features;
}

class KltGolden : public testing::TestWithParam<std::tuple<Version, Preset>> {};

TEST_P(KltGolden, FollowsAsPublished) {
  const auto& [version, preset] = GetParam();
  const char* data = std::getenv("TANDEM_TEST_DATA");
  const auto folder = std::filesystem::path(data ? data : "") / "tracking" / preset.name;
  if (!data || !exists(folder))
    GTEST_SKIP() << "TANDEM_TEST_DATA names no folder with tracking/" << preset.name;
  const auto expected = read_expected(folder / "expected_C.txt");
  ASSERT_GE(expected.size(), 2u);

  Pyramid previous(version, read_bitmap(folder / "1.bmp"));
  std::vector<KltFeature> features = detect(version, previous, preset);
  for (int n = 1; n <= preset.frames; ++n) {
    const Pyramid current(version, read_bitmap(folder / (std::to_string(n) + ".bmp")));
    ASSERT_EQ(current.values.size(), previous.values.size());
    std::vector<KltVector> vectors(features.size());
    const KltFlowSettings settings{preset.window, preset.iterations};
    version.flow(previous.planes(), current.planes(), features.data(), settings, vectors.data(),
                 {0, static_cast<int>(features.size())});
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
const Version kVersions[] = {
    {"reference", klt_pyramid_ref, klt_strength_ref, klt_select_ref, klt_flow_ref},
    {"simd", klt_pyramid_simd, klt_strength_simd, klt_select_simd, klt_flow_simd},
};

INSTANTIATE_TEST_SUITE_P(
    All, KltGolden, testing::Combine(testing::ValuesIn(kVersions), testing::ValuesIn(kPresets)),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).name;
    });

}  // namespace
}  // namespace tandem
