// SPDX-License-Identifier: LGPL-2.1-or-later
// Detectors of people, whole: video, network and boxes against ground truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "kernels/util/detection.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 8;

struct Detector {
  const char* name;
  const char* info;
  bool device = false;  // or the cores
};

/// Boxes of frames from 1 on, as MOTChallenge has them.
std::map<int, std::vector<Detection>> ground_truth(const std::string& path) {
  std::map<int, std::vector<Detection>> truth;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::ranges::replace(line, ',', ' ');
    int frame = 0, id = 0;
    Detection box;
    std::istringstream(line) >> frame >> id >> box.x >> box.y >> box.width >> box.height;
    truth[frame].push_back(box);
  }
  return truth;
}

bool finds(const Detection& a, const Detection& b) { return overlap(a, b) >= 0.5f; }

class People : public testing::TestWithParam<Detector> {};

TEST_P(People, AreFoundInAVideo) {
  const char* const data = std::getenv("TANDEM_TEST_DATA");
  if (!data) GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/models, pedestrians-ld";
  const std::string name = GetParam().name, video = std::string(data) + "/pedestrians-ld";
  const std::string model = temporary_folder() + "/" + name + ".onnx";
  std::filesystem::remove(model);
  std::filesystem::create_symlink(std::string(data) + "/models/" + name + ".onnx", model);
  std::string labels = "x0";
  for (int i = 1; i < (name[0] == 'n' ? 80 : 23); ++i) labels += ",x" + std::to_string(i);
  labels.replace(labels.find(name[0] == 'n' ? "x0" : "x3"), 2, "person");
  std::ofstream(model + ".modelinfo") << GetParam().info << "labels=" << labels << "\n";

  const bool device = GetParam().device;
  if (device && !have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const auto stream =
      Stream::of("multifilesrc location=" + video +
                 "/img1/%06d.jpg start-index=1 stop-index=" + std::to_string(kFrames) +
                 " caps=image/jpeg,framerate=25/1 ! jpegdec ! videoconvert "
                 "! video/x-raw,format=I420 ! " +
                 bin_of("dnninput model=" + model + " ! dnnstage model=" + model +
                            " ! dnnboxes model=" + model + " labels=person",
                        device ? "mapping=ggc" : "mapping=ccc") +
                 " ! appsink name=sink");
  stream->play();
  const std::vector<Result> results = stream->pull_all();
  ASSERT_EQ(results.size(), static_cast<std::size_t>(kFrames));
  auto truth = ground_truth(video + "/gt/gt.txt");
  int people = 0, found = 0, boxes = 0, right = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<Detection> all;
    for (const Box& box : results[i].boxes) {
      EXPECT_EQ(box.label, "person");
      all.push_back({static_cast<float>(box.x), static_cast<float>(box.y),
                     static_cast<float>(box.width), static_cast<float>(box.height)});
    }
    const std::vector<Detection>& wanted = truth[static_cast<int>(i) + 1];
    const auto count = [](const auto& some, const auto& others) {
      return static_cast<int>(std::ranges::count_if(some, [&](const Detection& one) {
        return std::ranges::any_of(others, [&](const Detection& d) { return finds(one, d); });
      }));
    };
    people += static_cast<int>(wanted.size());
    boxes += static_cast<int>(all.size());
    found += count(wanted, all);
    right += count(all, wanted);
  }
  // Rounding moves single detections across the threshold. Found were 24 and 28 of 59 people, and
  // all boxes were right.
  EXPECT_GE(found, people / 3) << "of " << people;
  EXPECT_GE(right, boxes * 9 / 10) << "of " << boxes;
}

constexpr char kNanoDet[] =
    "[tandem]\ndecoder=nanodet\nscores=sigmoid\ncolors=bgr\nmean=103.53,116.28,123.675\n"
    "deviation=57.375,57.12,58.395\n";
constexpr char kSsd[] = "[tandem]\ndecoder=ssd\nscores=sigmoid\nmean=127.5\ndeviation=127.5\n";

INSTANTIATE_TEST_SUITE_P(All, People,
                         testing::Values(Detector{"nanodet-416", kNanoDet},
                                         Detector{"nanodet-416", kNanoDet, true},
                                         Detector{"ssd-mobilenetv2-300", kSsd},
                                         Detector{"ssd-mobilenetv2-300", kSsd, true}),
                         [](const auto& detector) {
                           return std::string(detector.param.name[0] == 'n' ? "NanoDet" : "Ssd") +
                                  (detector.param.device ? "OnADevice" : "OnTheCores");
                         });

}  // namespace
}  // namespace tandem::test
