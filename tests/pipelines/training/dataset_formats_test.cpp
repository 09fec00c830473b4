// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pipelines/training/dataset/dataset.h"
#include "pipelines/training/dataset/photograph.h"
#include "tests/pipelines/training/folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string voc_of(const Photograph& photograph, PictureSize size) {
  std::ostringstream out;
  out << "<annotation>\n\t<size><width>" << size.width << "</width><height>" << size.height
      << "</height></size>\n";
  for (const Box& b : photograph.objects)
    out << "\t<object><name>person</name><bndbox><xmin>" << b.x + 1 << "</xmin><ymin>" << b.y + 1
        << "</ymin><xmax>" << b.x + b.width << "</xmax><ymax>" << b.y + b.height
        << "</ymax></bndbox></object>\n";
  out << "</annotation>\n";
  return out.str();
}

std::string yolo_of(const Photograph& photograph, PictureSize size) {
  std::ostringstream out;
  out << std::setprecision(9);
  for (const Box& b : photograph.objects)
    out << "1 " << (b.x + b.width / 2) / static_cast<float>(size.width) << ' '
        << (b.y + b.height / 2) / static_cast<float>(size.height) << ' '
        << b.width / static_cast<float>(size.width) << ' '
        << b.height / static_cast<float>(size.height) << '\n';
  return out.str();
}

void add_coco(Json& document, const Photograph& photograph, PictureSize size) {
  const std::size_t image = document["images"].size() + 1;
  document["images"].push_back({{"id", image},
                                {"file_name", photograph.name},
                                {"width", size.width},
                                {"height", size.height}});
  for (const Box& b : photograph.objects)
    document["annotations"].push_back({{"id", document["annotations"].size() + 1},
                                       {"image_id", image},
                                       {"category_id", 1},
                                       {"iscrowd", 0},
                                       {"bbox", {b.x, b.y, b.width, b.height}}});
}

void expect_same(const Dataset& expected, const Dataset& read, const std::string& layout) {
  EXPECT_EQ(read.layout, layout);
  ASSERT_EQ(read.photographs.size(), expected.photographs.size()) << layout;
  for (std::size_t p = 0; p < read.photographs.size(); ++p) {
    EXPECT_EQ(read.photographs[p].name, expected.photographs[p].name) << layout;
    const auto& boxes = read.photographs[p].objects;
    ASSERT_EQ(boxes.size(), expected.photographs[p].objects.size()) << layout;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Box& box = expected.photographs[p].objects[i];
      EXPECT_NEAR(boxes[i].x, box.x, 1e-3) << layout;
      EXPECT_NEAR(boxes[i].y, box.y, 1e-3) << layout;
      EXPECT_NEAR(boxes[i].width, box.width, 1e-3) << layout;
      EXPECT_NEAR(boxes[i].height, box.height, 1e-3) << layout;
    }
  }
}

TEST(DatasetFormats, HoldTheSameBoxesOfRealPhotographs) {
  gst_init(nullptr, nullptr);
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (!data || !fs::is_directory(std::string(data) + "/pennfudan"))
    GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/pennfudan (Penn-Fudan)";
  const fs::path pictures = fs::path(data) / "pennfudan" / "images";
  const Dataset expected = read_dataset(pictures.parent_path().string());
  const Folder folder;
  Json coco = {{"images", Json::array()},
               {"annotations", Json::array()},
               {"categories", {{{"id", 1}, {"name", "person"}}}}};
  for (const Photograph& photograph : expected.photographs) {
    const PictureSize size = picture_size(photograph.path);
    const std::string stem = fs::path(photograph.name).stem().string();
    folder.write("voc/Annotations/" + stem + ".xml", voc_of(photograph, size));
    folder.write("yolo/labels/" + stem + ".txt", yolo_of(photograph, size));
    add_coco(coco, photograph, size);
  }
  folder.write("coco/annotations/instances_all.json", coco.dump());
  folder.write("yolo/data.yaml", "nc: 2\nnames:\n  0: car\n  1: person\n");
  fs::create_directory_symlink(pictures, folder / "voc/JPEGImages");
  fs::create_directory_symlink(pictures, folder / "yolo/images");
  fs::create_directory_symlink(pictures, folder / "coco/all");
  expect_same(expected, read_dataset(folder / "voc"), "PASCAL VOC");
  expect_same(expected, read_dataset(folder / "coco"), "COCO");
  expect_same(expected, read_dataset(folder / "yolo"), "YOLO");
}

}  // namespace
}  // namespace tandem
