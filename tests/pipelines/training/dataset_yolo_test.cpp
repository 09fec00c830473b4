// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "pipelines/training/dataset/class_names.h"
#include "pipelines/training/dataset/dataset.h"
#include "tests/pipelines/training/folder.h"
#include "tests/pipelines/training/picture_header.h"

namespace tandem {
namespace {

class Yolo : public testing::Test {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);
    folder_.write("images/train/a.jpg", png_header(200, 100));
    folder_.write("classes.txt", "person\ntraffic light\n");
  }
  std::string error(const DatasetOptions& options = {}) const {
    return error_of([&] { read_dataset(folder_.str(), options); });
  }
  const Folder folder_;
};

TEST_F(Yolo, BoxesOfAClassAreRead) {
  folder_.write("images/val/b.jpg", png_header(50, 50));  // shows nothing: it has no file
  folder_.write("labels/train/a.txt", "0 0.5 0.5 0.1 0.4\r\n1 0.05 0.5 0.1 1.0\n\n");
  const Dataset people = read_dataset(folder_.str());
  EXPECT_EQ(people.layout, "YOLO");
  ASSERT_EQ(people.photographs.size(), 2u);
  EXPECT_EQ(people.photographs[0].name, "train/a.jpg");
  EXPECT_TRUE(people.photographs[1].objects.empty());
  ASSERT_EQ(people.photographs[0].objects.size(), 1u);
  const Box box = people.photographs[0].objects[0];
  EXPECT_FLOAT_EQ(box.x, 90);
  EXPECT_FLOAT_EQ(box.y, 30);
  EXPECT_FLOAT_EQ(box.width, 20);
  EXPECT_FLOAT_EQ(box.height, 40);
  EXPECT_EQ(read_dataset(folder_.str() + "/").photographs.at(0).name, "train/a.jpg");
  const Dataset lights = read_dataset(folder_.str(), {.label = "traffic light", .split = "train"});
  ASSERT_EQ(lights.photographs.size(), 1u);
  EXPECT_FLOAT_EQ(lights.photographs[0].objects.at(0).height, 100);
  EXPECT_NE(error({.split = "test"}).find("no photographs"), std::string::npos);
}

TEST_F(Yolo, EachSplitMayHaveItsFolders) {
  const Folder folder;
  folder.write("valid/images/a.jpg", png_header(200, 100));
  folder.write("valid/labels/a.txt", "0 0.5 0.5 0.1 0.4\n");
  folder.write("data.yaml", "nc: 1\nnames: ['person']\n");
  EXPECT_EQ(read_dataset(folder.str(), {.split = "valid"}).photographs.at(0).objects.size(), 1u);
}

TEST_F(Yolo, FilesMayLieBesideThePictures) {
  const Folder folder;
  folder.write("obj.names", "person\n");
  folder.write("a.jpg", png_header(200, 100));
  folder.write("a.txt", "0 0.5 0.5 0.1 0.4\n");
  EXPECT_EQ(read_dataset(folder.str()).photographs.at(0).objects.size(), 1u);
}

TEST_F(Yolo, WithoutNamesTheNumberIsTheLabel) {
  std::filesystem::remove(folder_ / "classes.txt");
  folder_.write("labels/train/a.txt", "7 0.5 0.5 0.1 0.4\n");
  EXPECT_EQ(read_dataset(folder_.str(), {.label = "7"}).photographs[0].objects.size(), 1u);
  EXPECT_NE(error().find("the class 'person' has no number"), std::string::npos);
  EXPECT_NE(error({.label = "3"}).find("its classes are 7 (1)"), std::string::npos);
  std::string lines;
  for (int i = 100; i < 200; ++i) lines += std::to_string(i) + " 0.5 0.5 0.1 0.4\n";
  folder_.write("labels/train/a.txt", lines);
  EXPECT_NE(error({.label = "3"}).find("129 (1) and 70 more: choose"), std::string::npos);
}

TEST_F(Yolo, WhatIsWrongIsNamedByItsLine) {
  for (const char* line :
       {"0 0.5 0.5 0.1 nan", "0 0.5 0.5 0.1 inf", "0 0.5 0.5 0.1 1e999", "0 0.5 0.5 0.1 2147483648",
        "0 0.5 0.5 1e300 0.1", "0 1.5 0.5 0.1 0.1", "0 -0.5 0.5 0.1 0.1", "0 0.5 0.5 0 0.1",
        "0 0.5 0.5 -0.1 0.1", "0 0.5 0.5 0.1", "0 0.1 0.1 0.9 0.1 0.9 0.9", "2 0.5 0.5 0.1 0.1",
        "-1 0.5 0.5 0.1 0.1", "0.5 0.5 0.5 0.1 0.1", "1e300 0.5 0.5 0.1 0.1",
        "person 0.5 0.5 0.1 0.1"}) {
    folder_.write("labels/train/a.txt", "0 0.5 0.5 0.1 0.4\n" + std::string(line) + "\n");
    const std::string message = error();
    EXPECT_NE(message.find("a.txt' line 2: "), std::string::npos) << line << ": " << message;
  }
}

TEST_F(Yolo, APictureThatIsMissingIsNamed) {
  folder_.write("labels/train/a.txt", "0 0.5 0.5 0.1 0.4\n");
  folder_.write("labels/train/z.txt", "0 0.5 0.5 0.1 0.4\n");
  folder_.write("labels/classes.txt", "person\n");  // names no picture
  EXPECT_NE(error().find("z.txt' has no picture"), std::string::npos);
}

TEST(ClassNames, AreReadInEveryForm) {
  const Folder folder;
  const auto names = [&](const std::string& yaml) {
    folder.write("data.yaml", yaml);
    return read_class_names({folder.str()});
  };
  const std::vector<std::string> expected = {"person", "traffic light", "it's, a # sign"};
  EXPECT_EQ(names("nc: 3\nnames: [person, traffic light, \"it's, a # sign\"]\nx: 1\n"), expected);
  EXPECT_EQ(names("names: [\n  person,\n  'traffic light', \"it's, a # sign\",\n]\n"), expected);
  EXPECT_EQ(names("names:\n- person\n- traffic light # red\n- \"it's, a # sign\"\nnc: 3\n"),
            expected);
  EXPECT_EQ(
      names("path: ../coco\nnames: # all\n  0: person\n\n  1: traffic light\n  2: \"it's, a # "
            "sign\"\ndownload: x\n"),
      expected);
  EXPECT_EQ(names("names: {0: person, 1: 'traffic light', 2: \"it's, a # sign\"}\n"), expected);
  EXPECT_TRUE(read_class_names({folder / "absent"}).empty());
}

TEST(ClassNames, ThatCannotBeReadAreNamedByTheirLine) {
  const Folder folder;
  const auto error = [&](const std::string& yaml) {
    folder.write("data.yaml", yaml);
    return error_of([&] { read_class_names({folder.str()}); });
  };
  EXPECT_NE(error("nc: 1\nnames: &x person\n").find("data.yaml' line 2: "), std::string::npos);
  EXPECT_NE(error("names: [a,\nb").find("lacks its ']'"), std::string::npos);
  EXPECT_NE(error("names:\n  0: a\n  2: b\n").find("line 3: expected the name of class 1"),
            std::string::npos);
  EXPECT_NE(error("names:\n  a\n").find("line 2: expected 'NUMBER: NAME'"), std::string::npos);
  EXPECT_NE(error("nc: 3\n").find("names 0 classes"), std::string::npos);
}

}  // namespace
}  // namespace tandem
