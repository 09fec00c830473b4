// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the scale space of Scene Recognition with what OpenCV's SIFT makes of the same frame
// with OpenCV's own calls, on one core: the Gaussians and their differences, without our gradients.
//
//   scene_opencv [WIDTH HEIGHT [PAIRS]]
//
// Prints medians of processor time over pairs of runs, taken by turns.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <vector>

#include "kernels/scene_features/scene_features.h"
#include "model/median.h"
#include "tests/kernels/support/bench.h"

namespace {

using tandem::SceneLayout;

template <typename Work>
double milliseconds_of(const Work& work) {
  const double start = tandem::check::core_seconds();
  work();
  return 1e3 * (tandem::check::core_seconds() - start);
}

/// Its images live from frame to frame, as ours do.
class OpenCVSpace {
 public:
  explicit OpenCVSpace(const SceneLayout& layout) : octaves_(layout.octaves()) {}

  void compute(const cv::Mat& luma) {
    luma.convertTo(scaled_, CV_32F, 1 / 255.0);
    cv::resize(scaled_, doubled_, {2 * luma.cols, 2 * luma.rows}, 0, 0, cv::INTER_LINEAR);
    for (std::size_t o = 0; o < octaves_.size(); ++o) {
      Octave& octave = octaves_[o];
      if (o == 0) {
        blur(doubled_, octave.levels[0], 0);
      } else {
        const cv::Mat& from = octaves_[o - 1].levels[tandem::kSceneScales];
        cv::resize(from, octave.levels[0], {from.cols / 2, from.rows / 2}, 0, 0, cv::INTER_NEAREST);
      }
      for (int level = 1; level <= tandem::kSceneDifferences; ++level) {
        blur(octave.levels[level - 1], octave.levels[level], level);
        cv::subtract(octave.levels[level], octave.levels[level - 1], octave.differences[level - 1]);
      }
    }
  }

  const cv::Mat& difference(int octave, int d) const { return octaves_[octave].differences[d]; }

 private:
  struct Octave {
    cv::Mat levels[tandem::kSceneDifferences + 1], differences[tandem::kSceneDifferences];
  };

  static void blur(const cv::Mat& from, cv::Mat& to, int level) {
    const double sigma = tandem::scene_blur(level);
    cv::GaussianBlur(from, to, {}, sigma, sigma);
  }

  cv::Mat scaled_, doubled_;
  std::vector<Octave> octaves_;
};

/// The largest difference between both in the finest octave's first plane: they place the pixels of
/// the doubled frame a quarter of a pixel apart.
double apart(const SceneLayout& layout, const std::vector<tandem::Half>& ours,
             const OpenCVSpace& theirs) {
  double most = 0;
  const tandem::Plane<const tandem::Half> plane = layout.difference(ours.data(), 0, 0);
  for (int y = 0; y < plane.height; ++y) {
    const auto* row = theirs.difference(0, 0).ptr<float>(y);
    for (int x = 0; x < plane.width; ++x)
      most = std::max(most, static_cast<double>(std::fabs(plane.row(y)[x] - row[x])));
  }
  return most;
}

}  // namespace

int main(int argc, char** argv) {
  const int width = argc > 2 ? std::atoi(argv[1]) : 256,
            height = argc > 2 ? std::atoi(argv[2]) : 256;
  const int pairs = argc > 3 ? std::atoi(argv[3]) : 101;
  if (std::min(width, height) < tandem::kSceneLeastSide || pairs < 1) {
    std::fprintf(stderr, "usage: scene_opencv [WIDTH HEIGHT [PAIRS]], from 16 16 1\n");
    return 1;
  }
  cv::setNumThreads(1);
  std::mt19937 random(1);
  cv::Mat luma(height, width, CV_8U);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      luma.at<uchar>(y, x) = static_cast<uchar>(x * 200 / width + static_cast<int>(random() % 50));
  }
  cv::GaussianBlur(luma, luma, {}, 1.5);

  const SceneLayout layout{width, height};
  std::vector<tandem::Half> space(layout.values());
  std::vector<float> bases(layout.base_floats());
  OpenCVSpace opencv(layout);
  const auto run = [&] {
    tandem::scene_first_octave_simd(
        {luma.data, width, height, static_cast<std::ptrdiff_t>(luma.step)}, space.data(),
        bases.data(), {0, layout.height_of(0)});
    tandem::scene_next_octaves_simd(layout, bases.data(), space.data());
  };
  run();
  opencv.compute(luma);
  std::vector<double> ours, theirs;
  for (int i = 0; i < pairs; ++i) {
    ours.push_back(milliseconds_of(run));
    theirs.push_back(milliseconds_of([&] { opencv.compute(luma); }));
  }
  std::printf(
      "%dx%d, %d octaves: differences and gradients %.2f ms, OpenCV's differences %.2f ms, "
      "ratio %.2f; differences at most %.4f apart\n",
      width, height, layout.octaves(), tandem::median(ours), tandem::median(theirs),
      tandem::median(theirs) / tandem::median(ours), apart(layout, space, opencv));
  return 0;
}
