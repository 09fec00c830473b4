// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/detection_file.h"

#include <gtest/gtest.h>

#include "tests/pipelines/training/folder.h"

namespace tandem {
namespace {

const std::vector<Photograph> kTwo = {{"a.jpg", "", {}, {}}, {"b.jpg", "", {}, {}}};

TEST(DetectionFile, GivesBackWhatWasWritten) {
  const Folder folder;
  const std::string path = folder.write(
      "d.jsonl", detection_lines(kTwo, {{}, {{1.5f, 2, 3, 4, -0.25f}, {5, 6, 7, 8, 9}}}));
  const auto found = read_detections(path, kTwo);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].empty());
  ASSERT_EQ(found[1].size(), 2u);
  EXPECT_FLOAT_EQ(found[1][0].x, 1.5f);
  EXPECT_FLOAT_EQ(found[1][0].score, -0.25f);
  EXPECT_FLOAT_EQ(found[1][1].height, 8);
}

TEST(DetectionFile, LinesMayComeInAnyOrder) {
  const Folder folder;
  const std::string path =
      folder.write("d.jsonl",
                   "{\"image\": \"b.jpg\", \"regions\": [{\"x\":1,\"y\":2,\"w\":3,\"h\":4,"
                   "\"confidence\":5}]}\n{\"image\": \"a.jpg\", \"regions\": []}\n");
  EXPECT_EQ(read_detections(path, kTwo)[1].size(), 1u);
}

TEST(DetectionFile, SaysWhatIsWrong) {
  const Folder folder;
  const auto error = [&](const std::string& text) {
    const std::string path = folder.write("d.jsonl", text);
    return error_of([&] { read_detections(path, kTwo); });
  };
  EXPECT_NE(error("not json\n").find("line 1: is not JSON"), std::string::npos);
  EXPECT_NE(error("{\"image\": \"a.jpg\"}\n").find("regions"), std::string::npos);
  EXPECT_NE(error("{\"image\": \"c.jpg\", \"regions\": []}\n").find("c.jpg"), std::string::npos);
  const auto region = [&](const char* x, const char* w) {
    return error(std::string("{\"image\": \"a.jpg\", \"regions\": [{\"x\": ") + x +
                 ", \"y\": 2, \"w\": " + w + ", \"h\": 4, \"confidence\": 5}]}\n");
  };
  EXPECT_NE(region("1e400", "3").find("line 1: the number 1e400 is too large"), std::string::npos);
  EXPECT_NE(region("1e300", "3").find("line 1: 'x' is 1e+300, too large"), std::string::npos);
  EXPECT_NE(region("1", "-3").find("line 1: a region's 'w'"), std::string::npos);
  const std::string a = "{\"image\": \"a.jpg\", \"regions\": []}\n";
  EXPECT_NE(error(a + a).find("line 2"), std::string::npos);
  EXPECT_NE(error(a).find("no line for image 'b.jpg'"), std::string::npos);
  EXPECT_NE(error_of([&] { read_detections(folder / "absent", kTwo); }).find("opened"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
