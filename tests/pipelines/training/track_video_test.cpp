// SPDX-License-Identifier: LGPL-2.1-or-later
// Objects of a real video against its ground truth, with detection on each frame and on each fifth.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

struct Figures {
  double mota = 0, idf1 = 0;
};

class TracksOfAVideo : public testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("TANDEM_TEST_DATA");
    if (!data) GTEST_SKIP() << "needs TANDEM_TEST_DATA";
    gst_init(nullptr, nullptr);
    video_ = std::string(data) + "/pedestrians-ld";
    folder_ = fresh_folder();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// `rest`: of the stages, behind the first.
  Figures track(int interval, const std::string& rest = "") {
    const std::string found = folder_ + "/found.jsonl";
    play_file("multifilesrc index=1 caps=image/jpeg,framerate=25/1 name=source location=" + video_ +
                  "/img1/%06d.jpg ! jpegdec ! videoconvert ! video/x-raw,format=GRAY8 ! tandembin "
                  "cores=2 adapt=off threads=2 stages=\"vividfilter interval=" +
                  std::to_string(interval) + " ! vividhistogram ! vividclassifier" + rest +
                  "\" ! tandemtrack ! tandemmeta2json ! filesink name=file",
              found);
    const CommandResult result = run_tandem(
        {"evaluate-tracks", "--truth", video_, "--tracks", found, "--json", folder_ + "/figures"});
    EXPECT_EQ(result.status, 0) << result.errors;
    const auto figures = nlohmann::json::parse(read_file(folder_ + "/figures"));
    const auto& only = figures.at("videos").at(0);
    return {only.at("mota"), only.at("idf1")};
  }

  std::string video_, folder_;
};

TEST_F(TracksOfAVideo, DetectionOnEachFifthFrameKeepsNineTenths) {
  const Figures each = track(1), fifth = track(5);
  EXPECT_GE(each.mota, 0.6);
  EXPECT_GE(each.idf1, 0.6);
  EXPECT_GE(fifth.mota, 0.9 * each.mota);
  EXPECT_GE(fifth.idf1, 0.9 * each.idf1);
  const Figures flow = track(5, " ! kltpyramid ! kltfeatures ! kltflow ! klttracks");
  EXPECT_GE(flow.mota, 0.9 * each.mota);
  EXPECT_GE(flow.idf1, 0.9 * each.idf1);
}

}  // namespace
}  // namespace tandem::test
