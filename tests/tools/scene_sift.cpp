// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares our keypoints and descriptors with OpenCV's SIFT in the same classifier: the same words,
// bags, SVMs and folds.
//
//   scene_sift FOLDER [CONTRAST]
//
// FOLDER holds one folder of pictures for each class; CONTRAST is the least size of a keypoint for
// both. Prints cross-validated accuracy, and processor time a picture on one core, from pixels to
// descriptors.
#include <gst/gst.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include "pipelines/training/scenes/scene_trainer.h"
#include "tests/kernels/support/bench.h"

namespace {

using tandem::GreyImage;
using tandem::SceneDescriptor;

/// As cv::SIFT describes it, which keeps what exceeds a third of its threshold for 3 scales.
std::vector<SceneDescriptor> opencv_descriptors(const GreyImage& picture, float contrast) {
  const cv::Mat luma(picture.height, picture.width, CV_8UC1,
                     const_cast<uint8_t*>(picture.pixels.data()));
  const auto sift =
      cv::SIFT::create(0, tandem::kSceneScales, double{contrast} * tandem::kSceneScales);
  std::vector<cv::KeyPoint> keypoints;
  cv::Mat values;
  sift->detectAndCompute(luma, cv::noArray(), keypoints, values);
  std::vector<SceneDescriptor> descriptors(keypoints.size());
  for (std::size_t i = 0; i < keypoints.size(); ++i) {
    const cv::KeyPoint& k = keypoints[i];
    SceneDescriptor& d = descriptors[i];
    d.x = k.pt.x;
    d.y = k.pt.y;
    d.sigma = k.size / 2;
    d.angle = k.angle * std::numbers::pi_v<float> / 180;
    std::copy_n(values.ptr<float>(static_cast<int>(i)), tandem::kSceneDescriptorSize, d.values);
    tandem::root_of_shares(d.values);
  }
  return descriptors;
}

struct Result {
  double accuracy, milliseconds, descriptors;
};

Result judge(const tandem::SceneFolder& folder, const tandem::SceneTrainingOptions& options,
             const tandem::DescribePicture& describe) {
  std::mutex mutex;
  double seconds = 0;
  std::size_t pictures = 0, descriptors = 0;
  const auto timed = [&](const GreyImage& picture) {
    const double start = tandem::check::core_seconds();
    auto found = describe(picture);
    const double taken = tandem::check::core_seconds() - start;
    const std::lock_guard lock(mutex);
    seconds += taken;
    descriptors += found.size();
    ++pictures;
    return found;
  };
  const auto scenes = tandem::load_scenes(folder, timed);
  const auto margins = tandem::cross_validate_scenes(scenes, folder.labels, options);
  const tandem::Confusion confusion(scenes, margins, static_cast<int>(folder.labels.size()));
  const auto count = static_cast<double>(pictures);
  return {confusion.accuracy(), 1e3 * seconds / count, static_cast<double>(descriptors) / count};
}

void print(const char* name, const Result& result) {
  std::printf("%-8s %5.1f%%  %6.2f ms  %5.0f descriptors\n", name, 100 * result.accuracy,
              result.milliseconds, result.descriptors);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) {
    std::fputs("usage: scene_sift FOLDER [CONTRAST]\n", stderr);
    return 2;
  }
  gst_init(nullptr, nullptr);
  cv::setNumThreads(1);
  tandem::SceneTrainingOptions options;
  if (argc > 2) options.contrast = static_cast<float>(std::atof(argv[2]));
  const tandem::SceneFolder folder = tandem::read_scene_folder(argv[1]);
  std::printf("accuracy, %d folds; time and descriptors a picture\n", options.folds);
  print("ours", judge(folder, options, tandem::scene_describer(options.contrast)));
  print("OpenCV", judge(folder, options, [&](const GreyImage& picture) {
          return opencv_descriptors(picture, options.contrast);
        }));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "scene_sift: %s\n", e.what());
  return 1;
}
