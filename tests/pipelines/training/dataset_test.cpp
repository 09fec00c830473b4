// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/pipelines/training/folder.h"

namespace tandem {
namespace {

TEST(PennFudan, BoxesAreReadAndCountedFromZero) {
  const Folder folder;
  folder.write("images/b.jpg", "");
  folder.write("images/a.png", "");
  folder.write("annotations/a.txt",
               "Image filename : \"a.png\"\n"
               "Bounding box for object 1 \"PASpersonWalking\" (Xmin, Ymin) - (Xmax, Ymax) : (160, "
               "182) - (302, 431)\n");
  folder.write("annotations/b.txt", "# nobody\n");
  const Dataset dataset = read_dataset(folder.str());
  EXPECT_EQ(dataset.layout, "Penn-Fudan");
  ASSERT_EQ(dataset.photographs.size(), 2u);
  EXPECT_EQ(dataset.photographs[0].name, "a.png");
  ASSERT_EQ(dataset.photographs[0].people.size(), 1u);
  const Box box = dataset.photographs[0].people[0];
  EXPECT_FLOAT_EQ(box.x, 159);
  EXPECT_FLOAT_EQ(box.y, 181);
  EXPECT_FLOAT_EQ(box.width, 143);
  EXPECT_FLOAT_EQ(box.height, 250);
  EXPECT_TRUE(dataset.photographs[1].people.empty());
}

TEST(PennFudan, AMissingAnnotationIsNamed) {
  const Folder folder;
  folder.write("images/a.jpg", "");
  folder.write("annotations/b.txt", "");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("a.txt"), std::string::npos);
}

TEST(PennFudan, ABrokenBoxIsNamedByItsLine) {
  const Folder folder;
  folder.write("images/a.jpg", "");
  folder.write("annotations/a.txt", "\nBounding box for object 1 \"x\" : (3, 4) - (1, 9)\n");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("line 2"), std::string::npos);
}

TEST(MotChallenge, TenColumnsAreReadByTheirFlag) {
  const Folder folder;
  folder.write("img1/000001.jpg", "");
  folder.write("img1/000002.jpg", "");
  folder.write("gt/gt.txt",
               "1,1,88,99,61.5,218.5,1,4.4,5.5,0\n"
               "1,2,10,10,20,40,0,4.4,5.5,0\r\n"
               "\n"
               "2,1,84,99,61,218,1,4,5,0\n"
               "7,1,84,99,61,218,1,4,5,0\n");  // a frame that is not there
  const Dataset dataset = read_dataset(folder.str());
  EXPECT_EQ(dataset.layout, "MOTChallenge");
  ASSERT_EQ(dataset.photographs.size(), 2u);
  ASSERT_EQ(dataset.photographs[0].people.size(), 1u);
  EXPECT_FLOAT_EQ(dataset.photographs[0].people[0].x, 87);
  EXPECT_FLOAT_EQ(dataset.photographs[0].people[0].height, 218.5f);
  EXPECT_EQ(dataset.photographs[0].ignored.size(), 1u);
  EXPECT_EQ(dataset.photographs[1].people.size(), 1u);
}

TEST(MotChallenge, NineColumnsAreReadByTheirClass) {
  const Folder folder;
  folder.write("frames/000001.jpg", "");
  folder.write("seqinfo.ini", "[Sequence]\nimDir=frames\r\nimWidth=100\nimHeight=50\n");
  folder.write(
      "gt/gt.txt",
      "1,1,-4,41,10,20,1,1,0.9\n"  // a pedestrian in the lower left corner, cut by the frame
      "1,2,1,1,10,20,0,1,0.9\n"    // one that is not to be considered
      "1,3,1,1,10,20,1,7,0.9\n"    // a static person
      "1,4,1,1,10,20,1,3,0.9\n");  // a car
  const Dataset dataset = read_dataset(folder.str());
  ASSERT_EQ(dataset.photographs.size(), 1u);
  EXPECT_EQ(dataset.photographs[0].people.size(), 1u);
  EXPECT_EQ(dataset.photographs[0].ignored.size(), 2u);
  const Box box = dataset.photographs[0].people[0];
  EXPECT_FLOAT_EQ(box.x, 0);
  EXPECT_FLOAT_EQ(box.width, 5);
  EXPECT_FLOAT_EQ(box.height, 10);
}

TEST(MotChallenge, ABrokenLineIsNamed) {
  const Folder folder;
  folder.write("img1/000001.jpg", "");
  folder.write("gt/gt.txt", "1,1,88,99,61,218,1,1,1,1\n1,1,88,nonsense,61,218,1\n");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("line 2"), std::string::npos);
}

TEST(Dataset, AFolderOfNeitherLayoutSaysWhatIsExpected) {
  const Folder folder;
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("gt/gt.txt"), std::string::npos);
}

TEST(Dataset, WithoutPhotographsIsRefused) {
  const Folder folder;
  folder.write("gt/gt.txt", "");
  folder.write("img1/readme.txt", "");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("no photographs"),
            std::string::npos);
}

TEST(Dataset, RealFoldersAreRead) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (!data || !std::filesystem::is_directory(std::string(data) + "/pennfudan"))
    GTEST_SKIP() << "TANDEM_TEST_DATA names no folder with pennfudan";
  std::size_t people = 0;
  const Dataset penn = read_dataset(std::string(data) + "/pennfudan");
  for (const Photograph& p : penn.photographs) people += p.people.size();
  EXPECT_EQ(penn.photographs.size(), 120u);
  EXPECT_EQ(people, 301u);
  people = 0;
  const Dataset mot = read_dataset(std::string(data) + "/pedestrians-ld");
  for (const Photograph& p : mot.photographs) people += p.people.size();
  EXPECT_EQ(mot.photographs.size(), 179u);
  EXPECT_EQ(people, 1156u);
}

}  // namespace
}  // namespace tandem
