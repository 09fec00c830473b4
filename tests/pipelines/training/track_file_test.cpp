// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/track_file.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

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

TEST_F(TrackFiles, NumbersThatAreNoneAreErrors) {
  const auto line_with = [](const std::string& frame, const std::string& box) {
    return R"({"frame":)" + frame +
           R"(,"width":640,"height":480,"detections":[{"label":"person",)" + box + "}]}\n";
  };
  const std::string box = R"("x":1,"y":2,"w":3,"h":4)", with_id = R"("object_id":1,)" + box;
  EXPECT_EQ(error_of(line_with("0", with_id)), "none");
  const std::pair<std::string, const char*> cases[] = {
      {"1,1,nan,1,10,20,1\n", "line 1: column 3 is 'nan'"},
      {"1,1,1,1,inf,20,1\n", "line 1: column 5 is 'inf'"},
      {line_with("NaN", with_id), "line 1: is not JSON"},
      {line_with("2147483647", with_id), "line 1: 'frame' is 2147483647, not a whole number"},
      {line_with("-1", with_id), "line 1: 'frame' is -1"},
      {line_with("1e300", with_id), "line 1: 'frame' is 1e+300"},
      {line_with("null", with_id), "line 1: 'frame' is null"},
      {line_with("0", R"("object_id":"a",)" + box), "line 1: 'object_id' is \"a\""},
      {line_with("0", R"("object_id":1e30,)" + box), "line 1: 'object_id' is 1e+30"},
      {line_with("0", R"("object_id":1,"x":null,"y":2,"w":3,"h":4)"),
       "line 1: type must be number"},
      {line_with("0", R"("object_id":1,"x":1,"y":2,"w":-3,"h":4)"), "line 1: the box has no area"},
      {line_with("0", R"("object_id":1,"x":1,"y":2,"h":4)"), "line 1: key 'w' not found"},
  };
  for (const auto& [text, says] : cases)
    EXPECT_NE(error_of(text).find(says), std::string::npos) << text << error_of(text);
}

// One object cannot be in two places.
TEST_F(TrackFiles, AnIdComesOnceInAFrame) {
  EXPECT_NE(error_of("1,7,1,1,10,20,1\n2,7,1,1,10,20,1\n2,7,50,1,10,20,1\n")
                .find("line 3: frame 2 has the id 7 already"),
            std::string::npos);
  const std::string line = R"({"frame":0,"width":640,"height":480,"detections":[)"
                           R"({"label":"person","object_id":7,"x":1,"y":2,"w":3,"h":4}]})"
                           "\n";
  EXPECT_NE(error_of(line + line).find("line 2: frame 0 has the object_id 7 already"),
            std::string::npos);
}

TEST_F(TrackFiles, TheTruthIsNoJson) {
  try {
    read_true_tracks(file("a.jsonl", " {\"frame\":0}\n"), "person");
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("is JSON"), std::string::npos) << e.what();
  }
}

TEST_F(TrackFiles, AFileWithoutBoxesIsOne) {
  EXPECT_TRUE(read_found_tracks(file("empty", ""), "person").tracks.empty());
}

}  // namespace
}  // namespace tandem
