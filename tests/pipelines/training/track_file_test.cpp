// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/track_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/pipelines/training/folder.h"

namespace tandem {
namespace {

class TrackFiles : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    return folder_.write(name, text);
  }
  std::string error_of(const std::string& text) {
    try {
      read_found_tracks(file("bad", text), "person");
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "none";
  }

  const Folder folder_;
};

TEST_F(TrackFiles, TheTruthOfASequence) {
  file("gt/gt.txt", "1,4,11,21,30,40,1,-1,-1,-1\n2,4,12,21,30,40,0,-1,-1,-1\n");
  file("seqinfo.ini", "[Sequence]\nimWidth=640\nimHeight=480\n");
  const TrackFile read = read_true_tracks(folder_.str(), "person");
  EXPECT_EQ(read.width, 640);
  EXPECT_EQ(read.height, 480);
  ASSERT_EQ(read.tracks.size(), 2u);
  const IdentifiedBox& first = read.tracks.at(1).at(0);
  EXPECT_EQ(first.id, 4);
  EXPECT_EQ(first.box.x, 10);
  EXPECT_EQ(first.box.height, 40);
  EXPECT_FALSE(first.ignored);
  EXPECT_TRUE(read.tracks.at(2).at(0).ignored);
}

TEST_F(TrackFiles, JsonLinesCountFramesFromZero) {
  TrackFile read = read_found_tracks(
      file("a.jsonl", R"({"frame":0,"width":320,"height":240,"detections":[)"
                      R"({"label":"person","x":5,"y":6,"w":7,"h":8,"object_id":3},)"
                      R"({"label":"person","x":0,"y":0,"w":7,"h":8},)"
                      R"({"label":"car","x":0,"y":0,"w":7,"h":8,"object_id":9}]})"
                      "\n"),
      "person");
  ASSERT_EQ(read.tracks.at(1).size(), 1u);
  EXPECT_EQ(read.tracks.at(1)[0].id, 3);
  scale_to({{}, 640, 480}, read);
  EXPECT_EQ(read.tracks.at(1)[0].box.x, 10);
  EXPECT_EQ(read.tracks.at(1)[0].box.height, 16);
}

TEST_F(TrackFiles, ResultsOfOtherTrackers) {
  const TrackFile read = read_found_tracks(file("a.txt", "3,7,1,1,10,20,0.9,-1,-1,-1\n"), "person");
  EXPECT_EQ(read.tracks.at(3).at(0).id, 7);
}

TEST_F(TrackFiles, ErrorsNameTheLine) {
  EXPECT_NE(error_of("1,2,3\n").find("line 1: expected at least 7 numbers"), std::string::npos);
  EXPECT_NE(error_of("1,2.5,1,1,1,1,1\n").find("line 1: the id is not a whole number"),
            std::string::npos);
  EXPECT_NE(error_of("1,2,1,1,-1,1,1\n").find("line 1: the box has no area"), std::string::npos);
  EXPECT_NE(error_of("{\"frame\":0}\n").find("line 1: "), std::string::npos);
  EXPECT_NE(error_of(R"({"frame":0,"width":1,"height":1,"detections":[)"
                     R"({"label":"person","x":0,"y":0,"w":7,"h":8}]})")
                .find("no 'object_id'"),
            std::string::npos);
  EXPECT_THROW(read_found_tracks(folder_ / "none", "person"), std::runtime_error);
}

}  // namespace
}  // namespace tandem
