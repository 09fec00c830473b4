// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the tracking kernels with OpenCV's pyramidal Lucas-Kanade on a video: the same points
// and window, one core.
//
//   klt_opencv VIDEO [PAIRS [WINDOW FEATURES ITERATIONS]]
//
// OpenCV gets two levels, steps that end at the same size, and pyramids with gradients that were
// built before, as ours are. Prints medians over frame pairs of milliseconds of processor time, and
// the distance between both results over all points that both found.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <opencv2/videoio.hpp>
#include <stdexcept>
#include <vector>

#include "kernels/klt_flow/klt_flow.h"
#include "model/median.h"
#include "tests/kernels/klt/klt_select.h"
#include "tests/kernels/support/bench.h"

namespace {

using tandem::KltFeature;
using tandem::KltFlowSettings;
using tandem::KltLayout;
using tandem::KltVector;

double median_of(std::vector<double> values) { return values.empty() ? 0 : tandem::median(values); }

/// Milliseconds of this thread, with what they are spent on.
struct Times {
  std::vector<double> pyramid, features, flow;

  template <typename Work>
  static void add(std::vector<double>& to, const Work& work) {
    const double start = tandem::check::core_seconds();
    work();
    to.push_back(1e3 * (tandem::check::core_seconds() - start));
  }
};

struct Frame {
  cv::Mat grey;
  std::vector<float> pyramid;
  std::vector<cv::Mat> opencv_pyramid;
};

struct Comparison {
  KltFlowSettings settings;
  int features = 0;
  Times ours, opencv;
  std::vector<double> distances, motions;
  int points = 0, found_by_both = 0, found_by_us = 0, found_by_opencv = 0;

  cv::Size window() const { return {2 * settings.window, 2 * settings.window}; }

  void build(Frame& frame) {
    const KltLayout layout{frame.grey.cols, frame.grey.rows};
    frame.pyramid.resize(layout.floats());
    Times::add(ours.pyramid, [&] {
      tandem::klt_pyramid_simd({frame.grey.data, frame.grey.cols, frame.grey.rows,
                                static_cast<std::ptrdiff_t>(frame.grey.step)},
                               layout.over(frame.pyramid.data()), {0, frame.grey.rows});
    });
    Times::add(opencv.pyramid,
               [&] { cv::buildOpticalFlowPyramid(frame.grey, frame.opencv_pyramid, window(), 1); });
  }

  std::vector<KltFeature> detect(const Frame& frame) {
    const KltLayout layout{frame.grey.cols, frame.grey.rows};
    const auto level = layout.over(frame.pyramid.data()).levels[0];
    std::vector<float> memory(layout.pixels_of(0));
    const tandem::Plane<float> strength{memory.data(), layout.width, layout.height, layout.width};
    std::vector<KltFeature> found(static_cast<std::size_t>(features));
    Times::add(ours.features, [&] {
      tandem::klt_strength_simd(level.dx, level.dy, settings.window, strength, {0, layout.height});
      tandem::klt_select_simd(strength, tandem::KltCandidates::peaks, features, found.data());
    });
    std::vector<cv::Point2f> corners;
    Times::add(opencv.features, [&] {
      cv::goodFeaturesToTrack(frame.grey, corners, features, 0.001, 10, {}, settings.window);
    });
    return found;
  }

  void compare(const Frame& previous, const Frame& current) {
    std::vector<KltFeature> all = detect(previous);
    // Few corners are left after suppression: a grid of points fills up what is to be followed.
    const auto first_empty =
        std::find_if(all.begin(), all.end(), [](const KltFeature& f) { return f.strength <= 0; });
    const auto kept = static_cast<int>(first_empty - all.begin());
    const int margin = 2 * settings.window + 8;
    for (int i = kept; i < features; ++i) {
      all[i] = {static_cast<float>(margin + i * 7919 % (previous.grey.cols - 2 * margin)),
                static_cast<float>(margin + i * 104729 % (previous.grey.rows - 2 * margin)), 1};
    }
    const KltLayout layout{previous.grey.cols, previous.grey.rows};
    std::vector<KltVector> vectors(all.size());
    Times::add(ours.flow, [&] {
      tandem::klt_flow_simd(layout.over(previous.pyramid.data()),
                            layout.over(current.pyramid.data()), all.data(), settings,
                            vectors.data(), {0, features});
    });
    std::vector<cv::Point2f> from, to;
    for (const KltFeature& f : all) from.emplace_back(f.x, f.y);
    std::vector<uchar> status;
    const cv::TermCriteria stop(cv::TermCriteria::COUNT | cv::TermCriteria::EPS,
                                settings.iterations, std::sqrt(settings.accuracy));
    Times::add(opencv.flow, [&] {
      cv::calcOpticalFlowPyrLK(previous.opencv_pyramid, current.opencv_pyramid, from, to, status,
                               cv::noArray(), window(), 1, stop);
    });
    for (int i = 0; i < features; ++i) {
      const KltVector& v = vectors[i];
      ++points;
      found_by_us += v.found > 0;
      found_by_opencv += status[i] != 0;
      if (!(v.found > 0) || !status[i]) continue;
      ++found_by_both;
      distances.push_back(std::hypot(v.x + v.dx - to[i].x, v.y + v.dy - to[i].y));
      motions.push_back(std::hypot(v.dx, v.dy));
    }
  }

  void print() const {
    const auto line = [](const char* what, const std::vector<double>& us,
                         const std::vector<double>& them) {
      std::printf("%-10s %8.2f ms   OpenCV %8.2f ms   ratio %.2f\n", what, median_of(us),
                  median_of(them), median_of(them) / median_of(us));
    };
    line("pyramid", ours.pyramid, opencv.pyramid);
    line("features", ours.features, opencv.features);
    line("flow", ours.flow, opencv.flow);
    const auto within =
        std::count_if(distances.begin(), distances.end(), [](double d) { return d <= 0.5; });
    std::printf(
        "%d points, found by us %d, by OpenCV %d, by both %d; these: end points apart by "
        "%.3f pixels (median), %.1f%% within 0.5; moved by %.2f pixels (median)\n",
        points, found_by_us, found_by_opencv, found_by_both, median_of(distances),
        100.0 * static_cast<double>(within) / std::max<std::size_t>(1, distances.size()),
        median_of(motions));
  }
};

bool read(cv::VideoCapture& video, Frame& frame) {
  cv::Mat picture;
  if (!video.read(picture)) return false;
  cv::cvtColor(picture, frame.grey, cv::COLOR_BGR2GRAY);
  return true;
}

int number(int argc, char** argv, int i, int otherwise) {
  return argc > i ? std::atoi(argv[i]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2)
    throw std::runtime_error("usage: klt_opencv VIDEO [PAIRS [WINDOW FEATURES ITERATIONS]]");
  cv::setNumThreads(1);
  cv::VideoCapture video(argv[1]);
  Comparison comparison;
  const int pairs = number(argc, argv, 2, 20);
  comparison.settings = {number(argc, argv, 3, 20), number(argc, argv, 5, 20)};
  comparison.features = number(argc, argv, 4, 500);
  Frame previous, current;
  if (!read(video, previous)) throw std::runtime_error("the video cannot be read");
  if (std::min(previous.grey.cols, previous.grey.rows) <= 4 * comparison.settings.window + 16)
    throw std::runtime_error("the video is too small for the window");
  comparison.build(previous);
  for (int i = 0; i < pairs && read(video, current); ++i) {
    comparison.build(current);
    comparison.compare(previous, current);
    std::swap(previous, current);
  }
  comparison.print();
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "klt_opencv: %s\n", e.what());
  return 1;
}
