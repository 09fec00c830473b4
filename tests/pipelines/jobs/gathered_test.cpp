// SPDX-License-Identifier: LGPL-2.1-or-later
// Results that come late, twice, in another order or not at all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "pipelines/jobs/gathered_video.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

std::string line(uint64_t frame, int id = 5, int other_id = 9) {
  return R"({"frame":)" + std::to_string(frame) + R"(,"detections":[{"id":)" + std::to_string(id) +
         R"(,"confidence":0.9312},{"id":)" + std::to_string(other_id) + R"(,"confidence":null}]})" +
         "\n";
}

ResultLines lines(uint64_t first, uint64_t end) {
  ResultLines all{first, end - first, {}};
  for (uint64_t frame = first; frame < end; ++frame) all.text += line(frame);
  return all;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Gathered : public testing::Test {
 protected:
  Gathered() { fs::create_directories(folder_); }
  ~Gathered() override { fs::remove_all(folder_); }

  Video video(std::vector<Part> parts = {{0, 10, {}, 400, 0}, {10, 20, 400, {}, 0}}) const {
    return {3, 1'800'000'000, {"file:///videos/the%20gate.mp4", "vivid", {}}, std::move(parts)};
  }
  std::map<std::string, JobRecord> done() const {
    return {{"3.0", {"w", 10, 1, 1}}, {"3.1", {"w", 20, 1, 1}}};
  }

  const std::string folder_ = testing::TempDir() + "/gathered_" + std::to_string(getpid()) + "_" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Gathered, EachFrameOnceHoweverItComes) {
  const std::string path = folder_ + "/part";
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    fs::remove(path);
    std::mt19937 random(seed);
    std::uniform_int_distribution<uint64_t> any(0, 60);
    auto part = std::make_unique<GatheredPart>(path, 100);
    // Entries of several workers, some of whom begin anew; some entries are lost.
    for (int i = 0; i < 40; ++i) {
      const uint64_t first = any(random);
      part->take(lines(100 + first, 100 + first + any(random) / 8));
      if (any(random) < 20) part->flush();
      if (any(random) < 10) {  // it is killed: what was not flushed comes again, or not
        part = std::make_unique<GatheredPart>(path, 100);
      }
    }
    part->take(lines(100, 200));
    part->flush();
    ASSERT_EQ(part->frames(), 100U);
    ASSERT_EQ(content(path), lines(100, 200).text);
  }
}

TEST_F(Gathered, AHalfLineIsTakenBack) {
  const std::string path = folder_ + "/part";
  std::ofstream(path) << line(5) << line(6).substr(0, 7);
  GatheredPart part(path, 5);
  EXPECT_EQ(part.frames(), 1U);
  part.take(lines(5, 8));
  part.flush();
  EXPECT_EQ(content(path), lines(5, 8).text);
}

TEST_F(Gathered, EntriesThatAreNotWhatTheySayAreLeftOut) {
  GatheredPart part(folder_ + "/part", 0);
  part.take({0, 3, "one line\n"});
  part.take({0, 1, "no end"});
  part.take({0, UINT64_MAX, "x\n"});
  EXPECT_EQ(part.frames(), 0U);
}

TEST_F(Gathered, IdsAreNumberedAnewAndNothingElseChanges) {
  GatheredVideo gathered(video(), folder_);
  gathered.take(1, lines(10, 30));
  EXPECT_FALSE(gathered.complete(done()));
  gathered.take(0, lines(0, 10));
  gathered.flush();
  EXPECT_TRUE(gathered.complete(done()));
  EXPECT_FALSE(gathered.complete({}));
  const std::string path = gathered.write();
  EXPECT_EQ(path, folder_ + "/3-the gate.mp4.jsonl");
  std::string expected;
  for (int frame = 0; frame < 30; ++frame) expected += line(frame, 2 * frame + 1, 2 * frame + 2);
  EXPECT_EQ(content(path), expected);
  gathered.remove_parts();
  EXPECT_FALSE(fs::exists(folder_ + "/.gather"));
}

TEST_F(Gathered, AGatherGoesOnAfterAnother) {
  {
    GatheredVideo first(video(), folder_);
    first.take(0, lines(0, 7));
    first.flush();
  }
  GatheredVideo second(video(), folder_);
  EXPECT_EQ(second.frames(), 7U);
  second.take(0, lines(5, 10));
  second.take(1, lines(10, 30));
  second.flush();
  const std::string path = second.write(), text = content(path);
  // Killed before the video was forgotten.
  GatheredVideo third(video(), folder_);
  EXPECT_EQ(third.write(), path);
  EXPECT_EQ(content(path), text);
}

TEST_F(Gathered, AnotherFileIsNotReplaced) {
  std::ofstream(folder_ + "/3-the gate.mp4.jsonl") << "somebody's\n";
  GatheredVideo gathered(video(), folder_);
  EXPECT_THROW(gathered.write(), std::runtime_error);
  EXPECT_EQ(content(folder_ + "/3-the gate.mp4.jsonl"), "somebody's\n");
}

TEST_F(Gathered, WhatIsDoneAndNotThereIsLost) {
  GatheredVideo gathered(video(), folder_);
  EXPECT_TRUE(gathered.lost({}).empty());
  gathered.take(0, lines(0, 4));
  gathered.take(0, lines(6, 10));  // between them something went
  gathered.take(1, lines(10, 30));
  const std::vector<Job> lost = gathered.lost(done());
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].id, "3.0");
}

TEST_F(Gathered, AWholeVideoHasAsManyFramesAsItsWorkerSays) {
  GatheredVideo gathered(video({{}}), folder_);
  gathered.take(0, lines(0, 7));
  EXPECT_FALSE(gathered.complete({}));
  EXPECT_FALSE(gathered.complete({{"3.0", {"w", 8, 1, 1}}}));
  EXPECT_TRUE(gathered.complete({{"3.0", {"w", 7, 1, 1}}}));
}

TEST(ResultsFile, HasANameThatCanBeAFile) {
  const auto name = [](const char* uri) { return results_file_name({1, 0, {uri, "", {}}, {}}); };
  EXPECT_EQ(name("rtsp://camera:554/"), "1-.jsonl");
  EXPECT_EQ(name("http://server/a%2Fb%0A.mp4"), "1-a%2Fb%0A.mp4.jsonl");
  EXPECT_LE(name(("file:///" + std::string(1000, 'a')).c_str()).size(), 255U);
}

}  // namespace
}  // namespace tandem::test
