// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <numbers>

#include "kernels/scene_classifier/scene_classifier.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/implementation.h"

namespace tandem::check {
namespace {

constexpr float kContrast = 0.0015f;

/// SIMD on one target; all three kernels are its own.
class SceneClassifier : public testing::TestWithParam<SimdTarget> {
 protected:
  void SetUp() override { use_simd_target(GetParam().target); }
  void TearDown() override { use_simd_target(0); }
};

INSTANTIATE_TEST_SUITE_P(All, SceneClassifier, testing::ValuesIn(simd_targets()),
                         ImplementationName());

struct Scene {
  SceneLayout layout;
  std::vector<Half> space;

  Rows all() const { return {0, layout.height_of(0)}; }
};

/// A picture of value(x, y) in [0, 255].
template <typename Value>
Scene scene_of(int width, int height, Value value) {
  std::vector<uint8_t> luma;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      luma.push_back(static_cast<uint8_t>(std::clamp<double>(value(x, y), 0, 255)));
  return {{width, height}, scene_features({luma.data(), width, height, width})};
}

/// Blobs and edges of all sizes.
Scene random_scene(std::mt19937& random, int width, int height) {
  std::vector<std::array<double, 5>> blobs;
  for (int i = 0; i < width * height / 60; ++i) {
    blobs.push_back({std::uniform_real_distribution(0.0, double(width))(random),
                     std::uniform_real_distribution(0.0, double(height))(random),
                     std::uniform_real_distribution(1.0, 6.0)(random),
                     std::uniform_real_distribution(1.0, 6.0)(random),
                     std::uniform_real_distribution(-70.0, 70.0)(random)});
  }
  std::vector<double> sums(static_cast<std::size_t>(width * height), 128);
  for (const auto& [bx, by, sx, sy, height_of_blob] : blobs) {
    for (int y = std::max(0, int(by - 18)); y < std::min(height, int(by + 18)); ++y)
      for (int x = std::max(0, int(bx - 18)); x < std::min(width, int(bx + 18)); ++x) {
        const double u = (x - bx) / sx, v = (y - by) / sy;
        sums[y * width + x] += height_of_blob * std::exp(-(u * u + v * v) / 2);
      }
  }
  return scene_of(width, height, [&](int x, int y) { return sums[y * width + x]; });
}

std::vector<SceneKeypoint> keypoints_of(const Scene& scene, Rows rows) {
  std::vector<SceneKeypoint> found;
  scene_keypoints_simd(scene.layout, scene.space.data(), kContrast, rows, found);
  return found;
}

bool same_extremum(const SceneKeypoint& a, const SceneKeypoint& b) {
  return a.octave == b.octave && a.gradient == b.gradient && a.column == b.column &&
         a.row == b.row && a.x == b.x && a.y == b.y && a.sigma == b.sigma;
}

TEST_P(SceneClassifier, FindsTheReferencesKeypoints) {
  std::mt19937 random = generator(1);
  for (const auto& [width, height] : {std::pair{64, 48}, {131, 77}, {16, 16}, {17, 40}}) {
    const Scene scene = random_scene(random, width, height);
    std::vector<SceneKeypoint> wanted;
    scene_keypoints_ref(scene.layout, scene.space.data(), kContrast, scene.all(), wanted);
    const std::vector<SceneKeypoint> found = keypoints_of(scene, scene.all());
    if (width > 60) {
      EXPECT_GT(wanted.size(), 5U);
    }
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(same_extremum(found[i], wanted[i])) << i;
  }
}

TEST_P(SceneClassifier, BandsHoldEachKeypointOnce) {
  std::mt19937 random = generator(2);
  const Scene scene = random_scene(random, 80, 64);
  const std::vector<SceneKeypoint> whole = keypoints_of(scene, scene.all());
  for (const int height : {1, 7, 64}) {
    std::vector<SceneKeypoint> found;
    for (int y = 0; y < scene.all().end; y += height) {
      const Rows band{y, std::min(y + height, scene.all().end)};
      for (const SceneKeypoint& k : keypoints_of(scene, band)) {
        EXPECT_GE(k.row << k.octave, band.begin);
        EXPECT_LT(k.row << k.octave, band.end);
        found.push_back(k);
      }
    }
    ASSERT_EQ(found.size(), whole.size());
    for (const SceneKeypoint& k : whole)
      EXPECT_EQ(std::count_if(found.begin(), found.end(),
                              [&](const SceneKeypoint& f) { return same_extremum(f, k); }),
                1);
  }
}

// Lowe's section 5: a Gaussian blob of standard deviation s has its strongest difference of
// Gaussians near scale s.
TEST_P(SceneClassifier, FindsBlobsWhereTheyAreAndAsLargeAsTheyAre) {
  for (const double size : {2.0, 3.5, 6.0}) {
    for (const double sign : {-1.0, 1.0}) {
      const double cx = 61.3, cy = 44.8;
      const Scene scene = scene_of(128, 96, [&](int x, int y) {
        const double square = (x - cx) * (x - cx) + (y - cy) * (y - cy);
        return 127.5 + sign * 100 * std::exp(-square / (2 * size * size));
      });
      const SceneKeypoint* nearest = nullptr;
      const std::vector<SceneKeypoint> found = keypoints_of(scene, scene.all());
      const auto distance = [&](const SceneKeypoint& k) {
        return std::hypot(k.in_frame(k.x) - cx, k.in_frame(k.y) - cy);
      };
      for (const SceneKeypoint& k : found)
        if (!nearest || distance(k) < distance(*nearest)) nearest = &k;
      ASSERT_TRUE(nearest);
      EXPECT_LT(distance(*nearest), 0.5) << size;
      EXPECT_NEAR(nearest->in_frame(nearest->sigma) / size, 1, 0.3) << size;
    }
  }
}

TEST_P(SceneClassifier, FindsNothingInGrey) {
  const Scene scene = scene_of(64, 64, [](int, int) { return 128; });
  EXPECT_TRUE(keypoints_of(scene, scene.all()).empty());
}

TEST_P(SceneClassifier, FindsNothingOnAStraightEdge) {
  const Scene scene = scene_of(96, 96, [](int x, int) { return x < 48 ? 40 : 200; });
  EXPECT_TRUE(keypoints_of(scene, scene.all()).empty());
}

TEST_P(SceneClassifier, DescribesAsTheReferenceDoes) {
  std::mt19937 random = generator(3);
  for (const auto& [width, height] : {std::pair{96, 64}, {24, 33}}) {
    const Scene scene = random_scene(random, width, height);
    for (const SceneKeypoint& keypoint : keypoints_of(scene, scene.all())) {
      for (const float angle : {0.0f, 0.3f, 1.5707963f, 4.0f, 6.28f}) {
        float wanted[kSceneDescriptorSize], found[kSceneDescriptorSize];
        scene_descriptor_ref(scene.layout, scene.space.data(), keypoint, angle, wanted);
        scene_descriptor_simd(scene.layout, scene.space.data(), keypoint, angle, found);
        float squares = 0;
        for (int i = 0; i < kSceneDescriptorSize; ++i) {
          ASSERT_NEAR(found[i], wanted[i], 1e-3f);
          squares += found[i] * found[i];
        }
        EXPECT_NEAR(squares, 1, 1e-4f);
      }
    }
  }
}

/// The scale space of the picture turned by 90 degrees: pixel (x, y) comes to (height - 1 - y, x).
Scene turned(const Scene& scene) {
  Scene turned{{scene.layout.height, scene.layout.width}, std::vector<Half>(scene.layout.values())};
  const auto turn = [](Plane<const Half> from, Plane<Half> to, bool angles) {
    for (int y = 0; y < from.height; ++y)
      for (int x = 0; x < from.width; ++x) {
        float value = from.row(y)[x];
        constexpr float kQuarter = std::numbers::pi_v<float> / 2;
        if (angles) value += value > kQuarter ? -3 * kQuarter : kQuarter;
        to.row(x)[from.height - 1 - y] = Half(value);
      }
  };
  for (int o = 0; o < scene.layout.octaves(); ++o) {
    for (int d = 0; d < kSceneDifferences; ++d)
      turn(scene.layout.difference(scene.space.data(), o, d),
           turned.layout.difference(turned.space.data(), o, d), false);
    for (int g = 0; g < kSceneGradients; ++g) {
      turn(scene.layout.magnitude(scene.space.data(), o, g),
           turned.layout.magnitude(turned.space.data(), o, g), false);
      turn(scene.layout.angle(scene.space.data(), o, g),
           turned.layout.angle(turned.space.data(), o, g), true);
    }
  }
  return turned;
}

/// Descriptors of all keypoints, in the order of keypoints and directions.
std::vector<float> descriptors_of(const Scene& scene, const std::vector<SceneKeypoint>& keypoints) {
  std::vector<float> all;
  for (const SceneKeypoint& k : keypoints) {
    float angles[kSceneMostAngles];
    const int count = scene_angles(scene.layout, scene.space.data(), k, angles);
    for (int i = 0; i < count; ++i) {
      all.resize(all.size() + kSceneDescriptorSize);
      scene_descriptor_simd(scene.layout, scene.space.data(), k, angles[i],
                            all.data() + all.size() - kSceneDescriptorSize);
    }
  }
  return all;
}

std::vector<float> random_values(std::mt19937& random, int count) {
  std::vector<float> values;
  std::uniform_real_distribution<float> value(0, 0.2f);
  for (int i = 0; i < count * kSceneDescriptorSize; ++i) values.push_back(value(random));
  return values;
}

std::vector<int32_t> words_of(const SceneVocabulary& vocabulary, const std::vector<float>& values) {
  std::vector<int32_t> words(values.size() / kSceneDescriptorSize);
  scene_nearest_simd(vocabulary, values.data(), static_cast<int>(words.size()),
                     kSceneDescriptorSize, words.data());
  return words;
}

// The scale space is turned, not the picture: its pixels are doubled and halved from the top left.
// Halves round the angle that is turned: now and then a second direction is at its limit, or a
// descriptor between two words.
TEST_P(SceneClassifier, TurningByNinetyDegreesGivesTheSameWords) {
  constexpr int kPictures = 10;
  std::mt19937 random = generator(4);
  int described = 0, apart = 0;
  for (int picture = 0; picture < kPictures; ++picture) {
    const Scene scene = random_scene(random, 96, 96);
    const std::vector<float> values = descriptors_of(scene, keypoints_of(scene, scene.all()));
    const Scene other = turned(scene);
    const std::vector<float> others = descriptors_of(other, keypoints_of(other, other.all()));
    ASSERT_GT(values.size(), 20U * kSceneDescriptorSize);
    described += static_cast<int>(values.size() / kSceneDescriptorSize);
    // Every seventh descriptor is a word: far apart, so that rounding takes none from its word.
    std::vector<float> words;
    for (std::size_t i = 0; i < values.size(); i += 7 * kSceneDescriptorSize)
      words.insert(words.end(), values.begin() + static_cast<std::ptrdiff_t>(i),
                   values.begin() + static_cast<std::ptrdiff_t>(i) + kSceneDescriptorSize);
    const SceneVocabulary vocabulary(words);
    std::vector<int> counts(vocabulary.words), other_counts(vocabulary.words);
    for (const int32_t word : words_of(vocabulary, values)) ++counts[word];
    for (const int32_t word : words_of(vocabulary, others)) ++other_counts[word];
    for (int w = 0; w < vocabulary.words; ++w) apart += std::abs(counts[w] - other_counts[w]);
  }
  EXPECT_LE(apart, described / 100) << "of " << described;
}

TEST_P(SceneClassifier, AnglesTurnWithThePicture) {
  constexpr double kTurn = 2 * std::numbers::pi;
  for (const double wanted : {0.1, 1.0, 2.5, 4.0, 6.0}) {
    // A blob on a slope: brighter towards `wanted`.
    const Scene scene = scene_of(96, 96, [&](int x, int y) {
      const double u = x - 47.6, v = y - 48.2;
      return 120 + 1.0 * (u * std::cos(wanted) + v * std::sin(wanted)) -
             60 * std::exp(-(u * u + v * v) / 18);
    });
    bool seen = false;
    for (const SceneKeypoint& k : keypoints_of(scene, scene.all())) {
      if (std::hypot(k.in_frame(k.x) - 47.6, k.in_frame(k.y) - 48.2) > 3) continue;
      float angles[kSceneMostAngles];
      const int count = scene_angles(scene.layout, scene.space.data(), k, angles);
      for (int i = 0; i < count; ++i) {
        EXPECT_GE(angles[i], 0);
        EXPECT_LE(angles[i], static_cast<float>(kTurn));
        seen = seen || std::fabs(std::remainder(angles[i] - wanted, kTurn)) < 0.3;
      }
    }
    EXPECT_TRUE(seen) << wanted;
  }
}

TEST_P(SceneClassifier, TheWordIsTheNearest) {
  std::mt19937 random = generator(5);
  for (const int words : {1, 2, 31, 32, 33, 100}) {
    const SceneVocabulary vocabulary(random_values(random, words));
    for (const int count : {1, 3, 4, 9}) {
      const std::vector<float> values = random_values(random, count);
      std::vector<int32_t> wanted(count);
      scene_nearest_ref(vocabulary, values.data(), count, kSceneDescriptorSize, wanted.data());
      const auto distance = [&](int i, int word) {
        double sum = 0;
        for (int k = 0; k < kSceneDescriptorSize; ++k)
          sum += std::pow(values[i * kSceneDescriptorSize + k] - vocabulary.at(word, k), 2);
        return sum;
      };
      const std::vector<int32_t> found = words_of(vocabulary, values);
      for (int i = 0; i < count; ++i) {
        ASSERT_GE(found[i], 0);
        ASSERT_LT(found[i], words);
        EXPECT_LE(distance(i, found[i]), distance(i, wanted[i]) + 1e-5);
      }
    }
  }
}

TEST_P(SceneClassifier, OfEqualWordsTheFirstIsTaken) {
  std::mt19937 random = generator(6);
  const std::vector<float> one = random_values(random, 1);
  std::vector<float> words;
  for (int i = 0; i < 70; ++i) words.insert(words.end(), one.begin(), one.end());
  EXPECT_EQ(words_of(SceneVocabulary(words), one), std::vector<int32_t>{0});
}

struct BenchScene {
  Scene scene;
  std::vector<SceneKeypoint> keypoints;
  std::vector<float> values;
  SceneVocabulary vocabulary;

  static const BenchScene& get() {
    static const BenchScene made = [] {
      std::mt19937 random(1);
      BenchScene b{random_scene(random, 256, 256), {}, {}, {}};
      b.keypoints = keypoints_of(b.scene, b.scene.all());
      b.values = descriptors_of(b.scene, b.keypoints);
      b.vocabulary = SceneVocabulary(random_values(random, 400));
      return b;
    }();
    return made;
  }
};

void bench_keypoints(benchmark::State& state) {
  const BenchScene& b = BenchScene::get();
  std::vector<SceneKeypoint> found;
  const auto run = [&](auto* kernel) {
    found.clear();
    kernel(b.scene.layout, b.scene.space.data(), kContrast, b.scene.all(), found);
  };
  against_reference(
      state, [&] { run(scene_keypoints_simd); }, [&] { run(scene_keypoints_ref); }, 1);
  state.counters["keypoints"] = static_cast<double>(b.keypoints.size());
}

void bench_descriptors(benchmark::State& state) {
  const BenchScene& b = BenchScene::get();
  float out[kSceneDescriptorSize];
  const auto run = [&](auto* kernel) {
    for (const SceneKeypoint& k : b.keypoints)
      kernel(b.scene.layout, b.scene.space.data(), k, 0.5f, out);
  };
  against_reference(
      state, [&] { run(scene_descriptor_simd); }, [&] { run(scene_descriptor_ref); }, 1);
}

void bench_nearest(benchmark::State& state) {
  const BenchScene& b = BenchScene::get();
  std::vector<int32_t> words(b.values.size() / kSceneDescriptorSize);
  const auto count = static_cast<int>(words.size());
  const auto run = [&](auto* kernel) {
    kernel(b.vocabulary, b.values.data(), count, kSceneDescriptorSize, words.data());
  };
  against_peak(
      state, double(count) * kSceneDescriptorSize * b.vocabulary.words,
      [&] { run(scene_nearest_simd); }, [&] { run(scene_nearest_ref); }, 1);
}

BENCHMARK(bench_keypoints)->UseManualTime();
BENCHMARK(bench_descriptors)->UseManualTime();
BENCHMARK(bench_nearest)->UseManualTime();

}  // namespace
}  // namespace tandem::check
