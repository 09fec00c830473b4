// SPDX-License-Identifier: LGPL-2.1-or-later
// Results that come late, twice, in another order or not at all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "pipelines/jobs/gather/gathered_video.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

const std::string kGateIdentity = "0123456789abcdef0123456789abcdef";

std::string id(int part) { return "3." + std::to_string(part) + "@" + kGateIdentity; }

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
    return {3, kGateIdentity, {"file:///videos/the%20gate.mp4", "vivid", {}}, std::move(parts)};
  }
  std::map<std::string, JobRecord> done() const {
    return {{id(0), {"w", 10, 1, 1}}, {id(1), {"w", 20, 1, 1}}};
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
  EXPECT_NE(part.take({0, 3, line(0)}), "");
  EXPECT_NE(part.take({0, 1, line(0) + line(1)}), "");
  EXPECT_NE(part.take({0, 1, line(0).substr(0, 20)}), "");
  EXPECT_NE(part.take({0, UINT64_MAX, line(0)}), "");
  EXPECT_EQ(part.frames(), 0U);
  EXPECT_EQ(part.take(lines(0, 4)), "");
  // As many lines as frames are new, and not theirs.
  EXPECT_NE(part.take({0, 7, line(4) + line(5) + line(6)}), "");
  EXPECT_EQ(part.take({9, 1, "of a gap"}), "");
  EXPECT_EQ(part.frames(), 4U);
}

TEST_F(Gathered, IdsAreNumberedAnewAndNothingElseChanges) {
  GatheredVideo gathered(video(), folder_);
  gathered.take(1, lines(10, 30));
  EXPECT_FALSE(gathered.complete(done()));
  gathered.take(0, lines(0, 10));
  gathered.flush();
  EXPECT_TRUE(gathered.complete(done()));
  EXPECT_FALSE(gathered.complete({}));
  const std::string path = gathered.write("q");
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
  const std::string path = second.write("q"), text = content(path);
  // Killed before the video was forgotten.
  GatheredVideo third(video(), folder_);
  EXPECT_EQ(third.write("q"), path);
  EXPECT_EQ(content(path), text);
}

TEST_F(Gathered, AnotherFileIsNotReplaced) {
  std::ofstream(folder_ + "/3-the gate.mp4.jsonl") << "somebody's\n";
  GatheredVideo gathered(video(), folder_);
  EXPECT_THROW(gathered.write("q"), std::runtime_error);
  EXPECT_EQ(content(folder_ + "/3-the gate.mp4.jsonl"), "somebody's\n");
}

TEST_F(Gathered, WhatIsDoneAndNotThereIsLost) {
  GatheredVideo gathered(video(), folder_);
  EXPECT_EQ(gathered.damage(0, {}), "");
  gathered.take(0, lines(0, 4));
  gathered.take(0, lines(6, 10));  // between them something went
  gathered.take(1, lines(10, 30));
  EXPECT_EQ(gathered.damage(0, done()), "4 lines have come of 10 frames");
  EXPECT_EQ(gathered.damage(1, done()), "");
}

TEST_F(Gathered, AWholeVideoHasAsManyFramesAsItsWorkerSays) {
  GatheredVideo gathered(video({{}}), folder_);
  gathered.take(0, lines(0, 7));
  EXPECT_FALSE(gathered.complete({}));
  EXPECT_FALSE(gathered.complete({{id(0), {"w", 8, 1, 1}}}));
  EXPECT_TRUE(gathered.complete({{id(0), {"w", 7, 1, 1}}}));
}

// A gather that was stopped woke up and wrote once more what another had written meanwhile.
TEST_F(Gathered, MoreLinesThanFramesAreDamage) {
  {
    GatheredVideo first(video(), folder_);
    first.take(0, lines(0, 10));
    first.take(1, lines(10, 30));
    first.flush();
  }
  const std::string part = folder_ + "/.gather/3-" + kGateIdentity + "/0";
  std::ofstream(part, std::ios::app) << lines(5, 10).text;
  GatheredVideo second(video(), folder_);
  EXPECT_FALSE(second.complete(done()));
  EXPECT_EQ(second.damage(0, done()), "15 lines have come of 10 frames");
  EXPECT_EQ(second.damage(1, done()), "");
  second.drop(0);
  EXPECT_EQ(second.damage(0, done()), "0 lines have come of 10 frames");
  second.take(0, lines(0, 10));
  second.flush();
  EXPECT_TRUE(second.complete(done()));
  // And it comes while the second one has counted.
  std::ofstream(part, std::ios::app) << line(9);
  EXPECT_EQ(second.write("q"), "");
  EXPECT_NE(second.damage(0, done()), "");
  second.drop(0);
  second.take(0, lines(0, 4));
  second.flush();
  std::ofstream(part, std::ios::app) << line(4);
  second.take(0, lines(4, 10));
  second.flush();
  EXPECT_NE(second.damage(0, done()).find("another program"), std::string::npos);
  second.drop(0);
  second.take(0, lines(0, 10));
  second.flush();
  EXPECT_FALSE(second.write("q").empty());
}

TEST_F(Gathered, AJobOfNoFramesIsNotDone) {
  GatheredVideo gathered(video({{}}), folder_);
  EXPECT_FALSE(gathered.complete({{id(0), {"w", 0, 1, 1}}}));
  EXPECT_NE(gathered.damage(0, {{id(0), {"w", 0, 1, 1}}}), "");
}

TEST_F(Gathered, VideosOfOneNumberKeepApart) {
  Video other = video();
  other.identity[0] = 'f';
  GatheredVideo first(video(), folder_), second(other, folder_);
  first.take(0, lines(0, 10));
  first.flush();
  EXPECT_EQ(GatheredVideo(video(), folder_).frames(), 10U);
  EXPECT_EQ(GatheredVideo(other, folder_).frames(), 0U);
}

TEST_F(Gathered, PartsOfVideosThatAreGoneAreRemoved) {
  GatheredVideo written(video(), folder_);
  written.take(0, lines(0, 10));
  written.take(1, lines(10, 30));
  written.flush();
  Video other = video();
  other.identity[0] = 'f';
  other.analysis.uri += "2";
  GatheredVideo unfinished(other, folder_);
  written.write("q");
  const std::string parts = folder_ + "/.gather/3-";
  remove_gathered_parts(folder_, "another queue", {});
  remove_gathered_parts(folder_, "q", {video()});
  EXPECT_TRUE(fs::exists(parts + kGateIdentity));
  remove_gathered_parts(folder_, "q", {});
  EXPECT_FALSE(fs::exists(parts + kGateIdentity));
  EXPECT_TRUE(fs::exists(parts + other.identity));
}

TEST(ResultsFile, HasANameThatCanBeAFile) {
  const auto name = [](const char* uri) { return results_file_name({1, "", {uri, "", {}}, {}}); };
  EXPECT_EQ(name("rtsp://camera:554/"), "1-.jsonl");
  EXPECT_EQ(name("http://server/a%2Fb%0A.mp4"), "1-a%2Fb%0A.mp4.jsonl");
  EXPECT_LE(name(("file:///" + std::string(1000, 'a')).c_str()).size(), 255U);
}

}  // namespace
}  // namespace tandem::test
