// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

constexpr const char* kEverything = "0";  // a threshold that every window reaches

class RunInterval : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    make_model(folder_);
    make_video(folder_ + "/video.avi", 20, 160, 144);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  CommandResult run(std::vector<std::string> options) {
    std::vector<std::string> words = {"run", "vivid", "--input", folder_ + "/video.avi"};
    words.insert(words.end(), options.begin(), options.end());
    return run_tandem(words);
  }
  std::string metadata_path() const { return folder_ + "/m.jsonl"; }
  std::vector<nlohmann::json> metadata() const {
    std::istringstream lines(read_file(metadata_path()));
    std::vector<nlohmann::json> frames;
    for (std::string line; std::getline(lines, line);)
      frames.push_back(nlohmann::json::parse(line));
    return frames;
  }

  std::string folder_;
};

TEST_F(RunInterval, IntervalComputesEachNthFrame) {
  const CommandResult result =
      run({"--interval", "5", "--metadata", metadata_path(), "--threshold", kEverything});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("vividclassifier 4/0"), std::string::npos) << result.output;
  const std::vector<nlohmann::json> frames = metadata();
  ASSERT_EQ(frames.size(), 20U);
  for (std::size_t i = 0; i < frames.size(); ++i)
    EXPECT_EQ(frames[i].at("detections").empty(), i % 5 != 0) << i;
}

TEST_F(RunInterval, ObjectsAreFollowedInBetween) {
  const CommandResult result = run(
      {"--interval", "5", "--track", "--metadata", metadata_path(), "--threshold", kEverything});
  ASSERT_EQ(result.status, 0) << result.errors;
  int predicted = 0;
  for (const nlohmann::json& frame : metadata()) {
    for (const nlohmann::json& found : frame.at("detections"))
      predicted += found.value("predicted", false) && found.contains("object_id");
  }
  EXPECT_GT(predicted, 0);
}

TEST_F(RunInterval, RefusesIntervalsThatAreNone) {
  for (const char* interval : {"0", "1001", "two"}) {
    const CommandResult result = run({"--interval", interval});
    EXPECT_EQ(result.status, 2) << interval;
    EXPECT_NE(result.errors.find("--interval"), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace tandem::test
