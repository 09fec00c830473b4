// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipelines/training/dataset/dataset.h"
#include "tests/pipelines/training/folder.h"
#include "tests/pipelines/training/picture_header.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

constexpr const char* kFile = "annotations/instances_val2017.json";

class Coco : public testing::Test {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);
    folder_.write("val2017/000000000139.jpg", png_header(640, 426));
  }
  static Json example() {
    return Json::parse(R"({"info": {"year": 2017}, "licenses": [],
      "images": [{"id": 139, "file_name": "000000000139.jpg", "width": 640, "height": 426}],
      "categories": [{"id": 1, "name": "person", "supercategory": "person"},
                     {"id": 62, "name": "chair", "supercategory": "furniture"}],
      "annotations": [
        {"id": 1, "image_id": 139, "category_id": 1, "bbox": [412.8, 157.61, 53.05, 138.01],
         "iscrowd": 0, "segmentation": [[1, 2, 3, 4, 5, 6]]},
        {"id": 2, "image_id": 139, "category_id": 1, "bbox": [0, 0, 640.4, 426], "iscrowd": 1,
         "segmentation": {"counts": [1], "size": [426, 640]}},
        {"id": 3, "image_id": 139, "category_id": 62, "bbox": [1, 2, 3, 4]}]})");
  }
  std::string error(const std::string& text) const {
    folder_.write(kFile, text);
    const std::string message = error_of([&] { read_dataset(folder_.str()); });
    EXPECT_NE(message.find("instances_val2017.json"), std::string::npos) << message;
    return message;
  }
  void expect(const char* where, const Json& value, const std::string& words) const {
    Json bad = example();
    bad[Json::json_pointer(where)] = value;
    const std::string message = error(bad.dump());
    EXPECT_NE(message.find(words), std::string::npos) << where << ": " << message;
  }

  const Folder folder_;
};

TEST_F(Coco, BoxesOfAClassAreRead) {
  folder_.write(kFile, example().dump());
  const Dataset people = read_dataset(folder_.str());
  EXPECT_EQ(people.layout, "COCO");
  ASSERT_EQ(people.photographs.size(), 1u);
  EXPECT_EQ(people.photographs[0].name, "000000000139.jpg");
  ASSERT_EQ(people.photographs[0].objects.size(), 1u);
  EXPECT_FLOAT_EQ(people.photographs[0].objects[0].x, 412.8f);
  EXPECT_FLOAT_EQ(people.photographs[0].objects[0].height, 138.01f);
  ASSERT_EQ(people.photographs[0].ignored.size(), 1u);
  EXPECT_FLOAT_EQ(people.photographs[0].ignored[0].width, 640);  // clipped
  const Dataset chairs = read_dataset(folder_ / kFile, {.label = "chair"});
  EXPECT_EQ(chairs.photographs[0].objects.size(), 1u);
  EXPECT_TRUE(chairs.photographs[0].ignored.empty());
}

TEST_F(Coco, OneOfSeveralFilesIsChosen) {
  folder_.write(kFile, example().dump());
  folder_.write("annotations/instances_train2017.json", "{}");
  folder_.write("annotations/captions_val2017.json", "{}");
  EXPECT_EQ(read_dataset(folder_.str(), {.split = "val2017"}).photographs.size(), 1u);
  const std::string message = error_of([&] { read_dataset(folder_.str()); });
  EXPECT_NE(message.find("instances_train2017.json, annotations/instances_val2017.json: choose"),
            std::string::npos)
      << message;
  EXPECT_NE(error_of([&] { read_dataset(folder_.str(), {.split = "test"}); }).find("'test'"),
            std::string::npos);
}

TEST_F(Coco, AFileMayLieBesideItsPictures) {
  const Folder folder;
  folder.write("valid/000000000139.jpg", png_header(640, 426));
  folder.write("valid/_annotations.coco.json", example().dump());
  EXPECT_EQ(read_dataset(folder.str()).photographs.size(), 1u);
}

TEST_F(Coco, WhatIsWrongIsNamedByItsElement) {
  expect("/annotations/2/category_id", 99, "annotations[2]: category_id is 99, which is no cat");
  expect("/annotations/2/image_id", 7, "annotations[2]: image_id is 7, which is no image's");
  expect("/annotations/0/image_id", "139", "annotations[0]: image_id is \"139\", not an id");
  expect("/annotations/0/image_id", 1.5, "not an id");
  expect("/annotations/0/image_id", 18446744073709551615u, "not an id");
  expect("/annotations/1", 5, "annotations[1]: is not an object");
  expect("/annotations/0/bbox", {1, 2, 3}, "annotations[0]: bbox is [1,2,3], not a list of four");
  expect("/annotations/0/bbox/2", "x", "not a list of four numbers");
  expect("/annotations/0/bbox/2", 1e300, "annotations[0]: the box of 1e+300x138.01");
  expect("/annotations/0/bbox/3", 2147483648u, "reaches outside of the picture of 640x426");
  expect("/annotations/0/bbox/0", -100, "reaches outside");
  expect("/annotations/0/bbox/0", 641, "reaches outside");
  expect("/annotations/0/bbox/2", 0, "no width");
  expect("/images/0/file_name", "missing.jpg", "images[0]: there is no picture 'missing.jpg'");
  expect("/images/0/file_name", "../../secret.jpg", "is outside of the dataset");
  expect("/images/0/file_name", "/etc/passwd", "is outside of the dataset");
  expect("/images/0/width", 320, "images[0]: the picture is said to be of 320x426");
  expect("/images/1", example()["images"][0], "images[1]: its id is another image's");
  expect("/categories/1/id", 1, "categories[1]: its id is another category's");
  expect("/categories", nullptr, "has no list 'categories'");
  expect("/annotations", Json::object(), "has no list 'annotations'");
}

TEST_F(Coco, WhatIsNoJsonIsNamedByItsLine) {
  EXPECT_NE(error("").find("is not JSON"), std::string::npos);
  EXPECT_NE(error("{\n\"images\": [,").find("line 2"), std::string::npos);
  EXPECT_NE(error("[1]").find("has no list"), std::string::npos);
  // As Python writes it.
  EXPECT_NE(error("{\"bbox\":\n[NaN, 1, 2, 3]}").find("line 2"), std::string::npos);
  EXPECT_NE(error("{\"bbox\":\n\n[1e400, 1, 2, 3]}").find("line 3: the number 1e400 is too large"),
            std::string::npos);
  EXPECT_NE(error(std::string(300000, '[')).find("nested more than 64 levels"), std::string::npos);
  EXPECT_NE(error("{\"segmentation\":" + std::string(300000, '[')).find("nested more than 64"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
