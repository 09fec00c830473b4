// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset/dataset.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/pipelines/training/folder.h"
#include "tests/pipelines/training/picture_header.h"

namespace tandem {
namespace {

class PennFudan : public testing::Test {
  void SetUp() override { gst_init(nullptr, nullptr); }
};
class MotChallenge : public PennFudan {};
class AnyDataset : public PennFudan {};

TEST_F(PennFudan, BoxesAreReadAndCountedFromZero) {
  const Folder folder;
  folder.write("images/b.jpg", png_header(400, 500));
  folder.write("images/a.png", png_header(400, 500));
  folder.write("annotations/a.txt",
               "Image filename : \"a.png\"\n"
               "Bounding box for object 1 \"PASpersonWalking\" (Xmin, Ymin) - (Xmax, Ymax) : (160, "
               "182) - (302, 431)\n");
  folder.write("annotations/b.txt", "# nobody\n");
  const Dataset dataset = read_dataset(folder.str());
  EXPECT_EQ(dataset.layout, "Penn-Fudan");
  ASSERT_EQ(dataset.photographs.size(), 2u);
  EXPECT_EQ(dataset.photographs[0].name, "a.png");
  ASSERT_EQ(dataset.photographs[0].objects.size(), 1u);
  const Box box = dataset.photographs[0].objects[0];
  EXPECT_FLOAT_EQ(box.x, 159);
  EXPECT_FLOAT_EQ(box.y, 181);
  EXPECT_FLOAT_EQ(box.width, 143);
  EXPECT_FLOAT_EQ(box.height, 250);
  EXPECT_TRUE(dataset.photographs[1].objects.empty());
}

TEST_F(PennFudan, ItsOwnFoldersAreRead) {
  const Folder folder;
  folder.write("PNGImages/FudanPed00001.png", png_header(559, 536));
  folder.write("Annotation/FudanPed00001.txt",
               "# Compatible with PASCAL Annotation Version 1.00\n"
               "Image filename : \"PennFudanPed/PNGImages/FudanPed00001.png\"\n"
               "Image size (X x Y x C) : 559 x 536 x 3\n"
               "Bounding box for object 1 \"PASpersonWalking\" (Xmin, Ymin) - (Xmax, Ymax) : (160, "
               "182) - (302, 431)\n");
  folder.write("PedMasks/FudanPed00001_mask.png", png_header(559, 536));
  const Dataset dataset = read_dataset(folder.str());
  EXPECT_EQ(dataset.layout, "Penn-Fudan");
  ASSERT_EQ(dataset.photographs.size(), 1u);
  ASSERT_EQ(dataset.photographs[0].objects.size(), 1u);
  EXPECT_FLOAT_EQ(dataset.photographs[0].objects[0].x, 159);
}

TEST_F(PennFudan, ABoxOrSizeOfAnotherPictureIsRefused) {
  const Folder folder;
  folder.write("images/a.jpg", png_header(400, 500));
  const auto error = [&](const std::string& line) {
    folder.write("annotations/a.txt", "#\n" + line + "\n");
    return error_of([&] { read_dataset(folder.str()); });
  };
  const std::string box = "Bounding box for object 1 \"p\" (Xmin, Ymin) - (Xmax, Ymax) : ";
  for (const char* numbers :
       {"(1, 1) - (9, 2147483648)", "(1, 1) - (1e9, 9)", "(500, 1) - (600, 9)",
        "(-100, 1) - (9, 9)", "(1, 1) - (nan, 9)", "(1, 1) - (1e999, 9)"}) {
    const std::string message = error(box + numbers);
    EXPECT_NE(message.find("a.txt' line 2: "), std::string::npos) << message;
  }
  EXPECT_NE(error("Image size (X x Y x C) : 300 x 500 x 3").find("400x500"), std::string::npos);
  EXPECT_NE(error("Image size : big").find("WIDTH x HEIGHT"), std::string::npos);
}

TEST_F(PennFudan, AMissingAnnotationIsNamed) {
  const Folder folder;
  folder.write("images/a.jpg", png_header(400, 500));
  folder.write("annotations/b.txt", "");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("a.txt"), std::string::npos);
}

TEST_F(PennFudan, ABrokenBoxIsNamedByItsLine) {
  const Folder folder;
  folder.write("images/a.jpg", png_header(400, 500));
  folder.write("annotations/a.txt", "\nBounding box for object 1 \"x\" : (3, 4) - (1, 9)\n");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("line 2"), std::string::npos);
}

TEST_F(MotChallenge, TenColumnsAreReadByTheirFlag) {
  const Folder folder;
  folder.write("img1/000001.jpg", png_header(640, 480));
  folder.write("img1/000002.jpg", png_header(640, 480));
  folder.write("gt/gt.txt",
               "1,1,88,99,61.5,218.5,1,4.4,5.5,0\n"
               "1,2,10,10,20,40,0,4.4,5.5,0\r\n"
               "\n"
               "2,1,84,99,61,218,1,4,5,0\n"
               "7,1,84,99,61,218,1,4,5,0\n");  // a frame that is not there
  const Dataset dataset = read_dataset(folder.str());
  EXPECT_EQ(dataset.layout, "MOTChallenge");
  ASSERT_EQ(dataset.photographs.size(), 2u);
  ASSERT_EQ(dataset.photographs[0].objects.size(), 1u);
  EXPECT_FLOAT_EQ(dataset.photographs[0].objects[0].x, 87);
  EXPECT_FLOAT_EQ(dataset.photographs[0].objects[0].height, 218.5f);
  EXPECT_EQ(dataset.photographs[0].ignored.size(), 1u);
  EXPECT_EQ(dataset.photographs[1].objects.size(), 1u);
}

TEST_F(MotChallenge, NineColumnsAreReadByTheirClass) {
  const Folder folder;
  folder.write("frames/000001.jpg", png_header(100, 50));
  folder.write("seqinfo.ini", "[Sequence]\nimDir=frames\r\n");
  folder.write(
      "gt/gt.txt",
      "1,1,-4,41,10,20,1,1,0.9\n"  // a pedestrian in the lower left corner, cut by the frame
      "1,2,1,1,10,20,0,1,0.9\n"    // one that is not to be considered
      "1,3,1,1,10,20,1,7,0.9\n"    // a static person
      "1,4,1,1,10,20,1,3,0.9\n");  // a car
  const Dataset dataset = read_dataset(folder.str());
  ASSERT_EQ(dataset.photographs.size(), 1u);
  EXPECT_EQ(dataset.photographs[0].objects.size(), 1u);
  EXPECT_EQ(dataset.photographs[0].ignored.size(), 2u);
  const Box box = dataset.photographs[0].objects[0];
  EXPECT_FLOAT_EQ(box.x, 0);
  EXPECT_FLOAT_EQ(box.width, 5);
  EXPECT_FLOAT_EQ(box.height, 10);
}

TEST_F(MotChallenge, ABrokenLineIsNamed) {
  const Folder folder;
  folder.write("img1/000001.jpg", png_header(640, 480));
  folder.write("gt/gt.txt", "1,1,88,99,61,218,1,1,1,1\n1,1,88,nonsense,61,218,1\n");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("line 2"), std::string::npos);
}

// A height of 2^31 once took 9.4 GB, and one of 1e9 ended in "bad_alloc".
TEST_F(MotChallenge, ABoxIsComparedWithItsPicture) {
  const Folder folder;
  folder.write("img1/000001.jpg", png_header(640, 480));
  const auto error = [&](const std::string& entry) {
    folder.write("gt/gt.txt", "1,1,88,99,61,218,1,1,1,1\n" + entry + "\n");
    return error_of([&] { read_dataset(folder.str()); });
  };
  for (const char* entry :
       {"1,1,88,99,61,2147483648,1,1,1,1", "1,1,88,99,1e9,218,1,1,1,1",
        "1,1,-1e300,99,61,218,1,1,1,1", "1,1,88,99,61,1500,1,1,1,1", "1,1,88,99,0,218,1,1,1,1",
        "1,1,88,99,61,-218,1,1,1,1", "1,1,nan,99,61,218,1,1,1,1", "1,1,88,inf,61,218,1,1,1,1",
        "1,1,88,99,61,1e999,1,1,1,1", "1e300,1,88,99,61,218,1,1,1,1", "-1,1,88,99,61,218,1,1,1,1",
        "1.5,1,88,99,61,218,1,1,1,1", "1,1,88,99,61 8,218,1,1,1,1", "1,1,88,99,61,218,1,0,1",
        "1,1,88,99,61,218,1,99,1", "1,1,88,99,,218,1,1,1,1"}) {
    const std::string message = error(entry);
    EXPECT_NE(message.find("gt.txt' line 2: "), std::string::npos) << entry << ": " << message;
  }
}

TEST_F(MotChallenge, ABoxMayGoOnOutsideOfThePicture) {
  const Folder folder;
  folder.write("img1/000001.jpg", png_header(100, 50));
  folder.write("gt/gt.txt",
               "1, 1, 81, 21, 40, 60, 1, 1, 1, 1\n"  // over two borders
               "1,2,150,1,40,20,1,1,1,1\n");         // wholly outside
  const Dataset dataset = read_dataset(folder.str());
  ASSERT_EQ(dataset.photographs[0].objects.size(), 1u);
  const Box box = dataset.photographs[0].objects[0];
  EXPECT_FLOAT_EQ(box.width, 20);
  EXPECT_FLOAT_EQ(box.height, 30);
}

TEST_F(MotChallenge, OtherClassesAreReadByTheirName) {
  const Folder folder;
  folder.write("img1/000001.jpg", png_header(640, 480));
  folder.write("gt/gt.txt",
               "1,1,1,1,10,20,1,1,0.9\n"
               "1,4,1,1,10,20,0,3,0.9\n");
  const Dataset dataset = read_dataset(folder.str(), {.label = "car"});
  EXPECT_EQ(dataset.photographs[0].objects.size(), 1u);
  EXPECT_TRUE(dataset.photographs[0].ignored.empty());
  const std::string error = error_of([&] { read_dataset(folder.str(), {.label = "bicycle"}); });
  EXPECT_NE(error.find("its classes are car (1), person (1)"), std::string::npos) << error;
}

TEST_F(AnyDataset, APictureThatIsNoneIsNamed) {
  const Folder folder;
  folder.write("img1/000001.jpg", "not a picture");
  folder.write("gt/gt.txt", "1,1,1,1,10,20,1,1,0.9\n");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("000001.jpg' cannot be read"),
            std::string::npos);
}

TEST_F(AnyDataset, AnAnnotationThatIsNoFileIsNamed) {
  const Folder folder;
  folder.write("images/a.jpg", png_header(400, 500));
  std::filesystem::create_directories(folder / "annotations/a.txt");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("a.txt' is not a regular file"),
            std::string::npos);
}

TEST_F(AnyDataset, AFormatMayBeNamed) {
  const Folder folder;
  folder.write("images/a.jpg", png_header(400, 500));
  folder.write("annotations/a.txt", "");
  EXPECT_EQ(read_dataset(folder.str(), {.format = "penn-fudan"}).layout, "Penn-Fudan");
  EXPECT_NE(error_of([&] { read_dataset(folder.str(), {.format = "mot"}); }).find("img1"),
            std::string::npos);
  const std::string error = error_of([&] { read_dataset(folder.str(), {.format = "x"}); });
  EXPECT_NE(error.find("known are mot, voc, coco, penn-fudan, yolo"), std::string::npos) << error;
}

TEST_F(AnyDataset, AFolderOfNeitherLayoutSaysWhatIsExpected) {
  const Folder folder;
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("gt/gt.txt"), std::string::npos);
  EXPECT_NE(error_of([&] { read_dataset(folder / "absent"); }).find("absent"), std::string::npos);
}

TEST_F(AnyDataset, WithoutPhotographsIsRefused) {
  const Folder folder;
  folder.write("gt/gt.txt", "");
  folder.write("img1/readme.txt", "");
  EXPECT_NE(error_of([&] { read_dataset(folder.str()); }).find("no photographs"),
            std::string::npos);
}

TEST_F(AnyDataset, RealFoldersAreRead) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (!data || !std::filesystem::is_directory(std::string(data) + "/pennfudan"))
    GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/pennfudan (Penn-Fudan)";
  std::size_t people = 0;
  const Dataset penn = read_dataset(std::string(data) + "/pennfudan");
  for (const Photograph& p : penn.photographs) people += p.objects.size();
  EXPECT_EQ(penn.photographs.size(), 120u);
  EXPECT_EQ(people, 301u);
  people = 0;
  const Dataset mot = read_dataset(std::string(data) + "/pedestrians-ld");
  for (const Photograph& p : mot.photographs) people += p.objects.size();
  EXPECT_EQ(mot.photographs.size(), 179u);
  EXPECT_EQ(people, 1156u);
}

}  // namespace
}  // namespace tandem
