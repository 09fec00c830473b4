// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds people with OpenCV's default HOG detector and writes them as JSON lines that `tandem
// evaluate-detector --detections` reads: the yardstick for our own detector.
//
//   hog_people DATASET OUTPUT [name=value ...]
//
// hit=0 scale=1.05 group=2 stride=8 padding=0 are the parameters of detectMultiScale (and its
// defaults). person=1 cuts the margin of 16 pixels above and below a person and the sides off the
// 64x128 window so that aspect=0.4 (width over height) is left (default), person=0 leaves the
// window. With group=0, which gives every window, nms=0.4 drops the weaker of two boxes that
// overlap by more. colour=0 searches the grey picture.
#include <gst/gst.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/objdetect.hpp>
#include <stdexcept>
#include <string>

#include "kernels/vivid_classifier/detections.h"
#include "pipelines/progress.h"
#include "pipelines/training/dataset/dataset.h"
#include "pipelines/training/evaluation/detection_file.h"

namespace {

using Settings = std::map<std::string, double>;

Settings read_settings(int argc, char** argv) {
  Settings settings = {{"hit", 0},    {"scale", 1.05}, {"group", 2}, {"stride", 8}, {"padding", 0},
                       {"person", 1}, {"aspect", 0.4}, {"nms", 0},   {"colour", 1}};
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || !settings.contains(argument.substr(0, equals)))
      throw std::runtime_error("unknown setting '" + argument + "'");
    settings[argument.substr(0, equals)] = std::stod(argument.substr(equals + 1));
  }
  return settings;
}

/// The person in a window: 96 of its 128 rows, in the middle; or the window. Clipped to the frame.
tandem::Detection person_in(const cv::Rect2f& window, const Settings& s, float score,
                            cv::Size frame) {
  cv::Rect2f box = window;
  if (s.at("person") != 0) {
    box.height = window.height * 96 / 128;
    box.width = box.height * static_cast<float>(s.at("aspect"));
    box.x += (window.width - box.width) / 2;
    box.y += (window.height - box.height) / 2;
  }
  box &= cv::Rect2f({0, 0}, cv::Size2f(frame));
  return {box.x, box.y, box.width, box.height, score};
}

std::vector<tandem::Detection> find_people(const cv::HOGDescriptor& hog, const std::string& path,
                                           const Settings& s) {
  cv::Mat image = cv::imread(path, s.at("colour") != 0 ? cv::IMREAD_COLOR : cv::IMREAD_GRAYSCALE);
  if (image.empty()) throw std::runtime_error("'" + path + "' cannot be read");
  std::vector<cv::Rect> windows;
  std::vector<double> weights;
  const int stride = static_cast<int>(s.at("stride")), padding = static_cast<int>(s.at("padding"));
  hog.detectMultiScale(image, windows, weights, s.at("hit"), cv::Size(stride, stride),
                       cv::Size(padding, padding), s.at("scale"), s.at("group"));
  std::vector<tandem::Detection> found;
  for (std::size_t i = 0; i < windows.size(); ++i)
    found.push_back(person_in(windows[i], s, static_cast<float>(weights[i]), image.size()));
  if (s.at("nms") > 0) tandem::suppress_overlaps(found, static_cast<float>(s.at("nms")), 1000);
  return found;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::runtime_error("usage: hog_people DATASET OUTPUT [name=value ...]");
  const Settings settings = read_settings(argc, argv);
  gst_init(nullptr, nullptr);  // reads the sizes of the pictures
  const tandem::Dataset dataset = tandem::read_dataset(argv[1]);
  cv::HOGDescriptor hog;
  hog.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  std::vector<std::vector<tandem::Detection>> found;
  tandem::Progress progress("HOG", dataset.photographs.size());
  for (const tandem::Photograph& photograph : dataset.photographs) {
    found.push_back(find_people(hog, photograph.path, settings));
    progress.advance();
  }
  std::ofstream file(argv[2]);
  file << tandem::detection_lines(dataset.photographs, found);
  if (!file.flush()) throw std::runtime_error(std::string(argv[2]) + " cannot be written");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "hog_people: %s\n", e.what());
  return 1;
}
