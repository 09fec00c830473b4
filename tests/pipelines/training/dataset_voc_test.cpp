// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <sstream>

#include "pipelines/training/dataset/dataset.h"
#include "tests/pipelines/training/folder.h"
#include "tests/pipelines/training/picture_header.h"

namespace tandem {
namespace {

std::string box(const std::string& name, const std::string& sides, const std::string& more = "") {
  static const char* const names[] = {"xmin", "ymin", "xmax", "ymax"};
  std::string xml = "<object>\n<name>" + name + "</name>\n" + more + "<bndbox>\n";
  std::istringstream stream(sides);
  for (const char* side : names) {
    std::string value;
    stream >> value;
    xml += std::string("<") + side + ">" + value + "</" + side + ">\n";
  }
  return xml + "</bndbox>\n</object>\n";
}

class Voc : public testing::Test {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);
    folder_.write("JPEGImages/a.jpg", png_header(400, 300));
  }
  void write(const std::string& objects, const std::string& name = "a") const {
    folder_.write("Annotations/" + name + ".xml",
                  "<annotation>\n<filename>a.jpg</filename>\n<size><width>400</width>"
                  "<height>300</height><depth>3</depth></size>\n" +
                      objects + "</annotation>\n");
  }
  std::string error() const {
    return error_of([&] { read_dataset(folder_.str()); });
  }
  void expect(const std::string& objects, const std::string& words) const {
    write(objects);
    const std::string message = error();
    EXPECT_NE(message.find("a.xml"), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  }

  const Folder folder_;
};

TEST_F(Voc, BoxesOfAClassAreRead) {
  // As in VOC2012: parts have names and boxes too.
  const std::string part =
      "<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax>"
      "</bndbox></part>\n";
  write(box("person", "11 21 30 60.5", part) + box("dog", "1 1 400 300") +
        box("person", "1 1 10 10", "<difficult>1</difficult>") +
        box("<![CDATA[caf\xc3\xa9 & bar]]>", "1 1 2 2"));
  const Dataset people = read_dataset(folder_.str());
  EXPECT_EQ(people.layout, "PASCAL VOC");
  ASSERT_EQ(people.photographs.size(), 1u);
  EXPECT_EQ(people.photographs[0].name, "a.jpg");
  ASSERT_EQ(people.photographs[0].objects.size(), 1u);
  EXPECT_EQ(people.photographs[0].ignored.size(), 1u);
  const Box found = people.photographs[0].objects[0];
  EXPECT_FLOAT_EQ(found.x, 10);
  EXPECT_FLOAT_EQ(found.y, 20);
  EXPECT_FLOAT_EQ(found.width, 20);
  EXPECT_FLOAT_EQ(found.height, 40.5f);
  const Dataset dogs = read_dataset(folder_.str(), {.label = "dog"});
  EXPECT_FLOAT_EQ(dogs.photographs[0].objects.at(0).width, 400);
  EXPECT_EQ(
      read_dataset(folder_.str(), {.label = "caf\xc3\xa9 & bar"}).photographs[0].objects.size(),
      1u);
  EXPECT_NE(error_of([&] {
              read_dataset(folder_.str(), {.label = "cat"});
            }).find("dog (1), person (2): choose one with --label"),
            std::string::npos);
}

TEST_F(Voc, ASplitIsReadFromItsList) {
  folder_.write("JPEGImages/b.jpg", png_header(400, 300));
  write(box("person", "1 1 10 10"));
  write(box("person", "1 1 10 10"), "b");
  folder_.write("ImageSets/Main/val.txt", "b -1\n");
  const Dataset part = read_dataset(folder_.str(), {.split = "val"});
  ASSERT_EQ(part.photographs.size(), 1u);
  EXPECT_EQ(part.photographs[0].name, "b.jpg");
  EXPECT_NE(error_of([&] { read_dataset(folder_.str(), {.split = "no"}); }).find("no.txt"),
            std::string::npos);
}

TEST_F(Voc, FilesMayLieBesideThePictures) {
  const Folder folder;
  folder.write("a.png", png_header(400, 300));
  folder.write("a.xml",
               "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<annotation><size><width>0</width>"
               "</size>" +
                   box("person", "1 1 10 10") + "</annotation>");
  EXPECT_EQ(read_dataset(folder.str()).photographs.at(0).objects.size(), 1u);
}

TEST_F(Voc, ABoxIsComparedWithThePicture) {
  for (const char* sides : {"1 1 10 2147483648", "1 1 1e9 10", "500 1 600 10", "-90 1 10 10",
                            "1 1 10 1e300", "10 1 1 10"})
    expect(box("person", sides), "line 4: the box ");
  for (const char* sides :
       {"nan 1 10 10", "1 inf 10 10", "1 1 1e999 10", "1 1 10 ten", "1 1 10 0x10", "1 1 10 1,5"})
    expect(box("person", sides), ": the element 'object/bndbox/");
  folder_.write("JPEGImages/a.jpg", png_header(200, 300));
  expect(box("person", "1 1 10 10"), "line 3: the picture is said to be of 400x300 pixels");
}

TEST_F(Voc, AnElementThatIsMissingOrThereTwiceIsNamed) {
  expect("<object>\n<name>person</name></object>",
         "line 4: the element 'object' has no 'bndbox/xmin'");
  expect(
      "<object><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></object>",
      "has no 'name'");
  expect(box("person", "1 1 10 10", "<name>dog</name>\n"), "line 6: ");
  expect(box("person", "1 1 10 10", "<name>dog</name>\n"), "'name' occurs twice");
}

TEST_F(Voc, WhatIsNoXmlIsNamedByItsLine) {
  const auto expect_text = [&](const std::string& text, const std::string& words) {
    folder_.write("Annotations/a.xml", text);
    const std::string message = error();
    EXPECT_NE(message.find("a.xml' line "), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expect_text("", "is not XML");
  expect_text("<annotation>\n<object>\n", "elements still open");
  expect_text("<annotation>\n</object>\n", "line 2: ");
  expect_text("<html></html>", "'html', not 'annotation'");
  expect_text("<annotation>\n<object><name>\xff</name></object></annotation>", "line 2: ");
  expect_text("<annotation>&evil;</annotation>", "line 1: ");
  std::string deep = "<annotation>";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  expect_text(deep, "nested more than 64 levels");
}

TEST_F(Voc, APictureThatIsMissingIsNamed) {
  write("", "z");
  EXPECT_NE(error().find("z.xml' has no picture"), std::string::npos);
}

}  // namespace
}  // namespace tandem
