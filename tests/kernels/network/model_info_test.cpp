// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/model_info.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "kernels/network/key_file.h"

namespace tandem::network {
namespace {

class ModelInfoFile : public testing::Test {
 protected:
  ModelInfoFile()
      : folder_(std::filesystem::temp_directory_path() /
                ("tandem-model-info-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ModelInfoFile() override { std::filesystem::remove_all(folder_); }

  std::string model() const { return (folder_ / "net.onnx").string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  ModelInfo read(const std::string& text) const {
    write("net.onnx.modelinfo", text);
    return read_model_info(model());
  }
  /// Empty: there is none.
  std::string error_of(const std::string& text) const {
    try {
      read(text);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }
  void expect_error(const std::string& text, const std::string& part) const {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << "'" << error << "' of:\n" << text;
    EXPECT_NE(error.find("net.onnx.modelinfo'"), std::string::npos) << error;
  }

  const std::filesystem::path folder_;
};

const std::string kShort = "[tandem]\ndecoder=nanodet\n";

TEST_F(ModelInfoFile, HasDefaults) {
  const ModelInfo info = read(kShort);
  EXPECT_EQ(info.decoder, ModelInfo::Decoder::nanodet);
  EXPECT_EQ(info.colors, ModelInfo::Colors::rgb);
  EXPECT_EQ(info.fit, ModelInfo::Fit::letterbox);
  EXPECT_EQ(info.mean, (std::array<float, 3>{0, 0, 0}));
  EXPECT_EQ(info.deviation, (std::array<float, 3>{1, 1, 1}));
  EXPECT_EQ(info.strides, (std::vector<int>{8, 16, 32}));
  EXPECT_TRUE(info.labels.empty());
}

TEST_F(ModelInfoFile, HasEveryKey) {
  write("names.txt", "tench, Tinca tinca\r\n  goldfish\n");
  const ModelInfo info = read(
      "# a comment\n\n[modelinfo]\nversion=1.0\n [ tandem ] \ndecoder = ssd\nscores=softmax\n"
      "colors=bgr\nfit=stretch\nmean=1.5, 2,-3\ndeviation=57\npadding=114\n"
      "labels-file=names.txt\nstrides=8,16\nbins=8\nanchor-grids=4,2\nanchor-scales=0.1,0.9\n"
      "anchor-ratios=1,2");
  EXPECT_EQ(info.decoder, ModelInfo::Decoder::ssd);
  EXPECT_EQ(info.scores, ModelInfo::Scores::softmax);
  EXPECT_EQ(info.colors, ModelInfo::Colors::bgr);
  EXPECT_EQ(info.fit, ModelInfo::Fit::stretch);
  EXPECT_EQ(info.mean, (std::array<float, 3>{1.5f, 2, -3}));
  EXPECT_EQ(info.deviation, (std::array<float, 3>{57, 57, 57}));
  EXPECT_EQ(info.padding, 114);
  EXPECT_EQ(info.labels, (std::vector<std::string>{"tench, Tinca tinca", "goldfish"}));
  EXPECT_EQ(info.strides, (std::vector<int>{8, 16}));
  EXPECT_EQ(info.bins, 8);
  EXPECT_EQ(info.anchors.grids, (std::vector<int>{4, 2}));
  EXPECT_EQ(info.anchors.least_scale, 0.1f);
  EXPECT_EQ(info.anchors.ratios, (std::vector<float>{1, 2}));
}

TEST_F(ModelInfoFile, ListsLabels) {
  EXPECT_EQ(read(kShort + "labels=person, traffic light ,car\n").labels,
            (std::vector<std::string>{"person", "traffic light", "car"}));
}

TEST_F(ModelInfoFile, TakesTheRangesOfGStreamer) {
  const std::string input = "[input_1]\ndir=input\ntype=float32\ndims=1,3,416,416\n";
  const ModelInfo one = read(input + "ranges=-1,1\n" + kShort);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_FLOAT_EQ((0 - one.mean[c]) / one.deviation[c], -1);
    EXPECT_FLOAT_EQ((255 - one.mean[c]) / one.deviation[c], 1);
  }
  const ModelInfo three = read(input + "ranges=0,1;16,235;-2,2\n" + kShort);
  EXPECT_FLOAT_EQ((255 - three.mean[0]) / three.deviation[0], 1);
  EXPECT_FLOAT_EQ((0 - three.mean[1]) / three.deviation[1], 16);
  EXPECT_FLOAT_EQ((255 - three.mean[2]) / three.deviation[2], 2);
  // Our keys count more, and ranges of outputs do not.
  EXPECT_EQ(read(input + "ranges=0,1\n" + kShort + "mean=7\n").mean[0], 7);
  EXPECT_EQ(read("[out]\ndir=output\nranges=0,1\n" + kShort).deviation[0], 1);
  expect_error(input + "ranges=1,1\n" + kShort, "line 5 ('ranges') has '1,1'");
  expect_error(input + "ranges=0,1;0,1\n" + kShort, "neither one pair nor three");
}

TEST_F(ModelInfoFile, MayStandInPlaceOfTheModelsName) {
  write("net.modelinfo", kShort + "bins=9\n");
  EXPECT_EQ(read_model_info(model()).bins, 9);
  EXPECT_EQ(read(kShort + "bins=10\n").bins, 10);
}

TEST_F(ModelInfoFile, ThatIsMissingSaysWhatToWrite) {
  try {
    read_model_info(model());
    FAIL() << "there is no file";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    for (const char* part : {"net.onnx' is missing", "net.onnx.modelinfo'", "[tandem]", "decoder",
                             "labels", "colors", "mean", "deviation"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  expect_error("[modelinfo]\nversion=1.0\n", "no key 'decoder' in a group [tandem]");
}

TEST_F(ModelInfoFile, NamesTheLineAndTheKey) {
  expect_error(kShort + "color=rgb\n", "line 3 ('color') has the unknown key");
  expect_error(kShort + "colors=RGB\n", "line 3 ('colors') has 'RGB': write rgb, bgr or luma");
  expect_error(kShort + "fit=crop\n", "write letterbox or stretch");
  expect_error("[tandem]\ndecoder=yolo\n", "write nanodet, ssd, yolov5, yolov8, yolox, classes or none");
  expect_error(kShort + "scores=raw\n", "write probabilities, sigmoid or softmax");
  expect_error(kShort + "mean=1,2\n", "has 2 numbers");
  expect_error(kShort + "mean=1,2,3,4\n", "at most 3");
  expect_error(kShort + "mean=1;2;3\n", "has '1;2;3': write numbers");
  expect_error(kShort + "mean=nan\n", "has 'nan'");
  expect_error(kShort + "mean=inf\n", "has 'inf'");
  expect_error(kShort + "deviation=1,0,1\n", "has 0");
  expect_error(kShort + "padding=256\n", "has '256': write numbers from 0 to 255");
  expect_error(kShort + "strides=8,0\n", "has '0'");
  expect_error(kShort + "strides=8.5\n", "write whole numbers");
  expect_error(kShort + "strides=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n", "at most 16");
  expect_error(kShort + "anchor-scales=1\n", "has one number");
  expect_error(kShort + "bins=\n", "has ''");
  expect_error(kShort + "decoder=ssd\n", "line 3 has 'decoder' again");
  expect_error(kShort + "labels=a,,b\n", "has an empty label");
  expect_error(kShort + "labels=" + std::string(201, 'x') + "\n", "more than 200 bytes");
  expect_error(kShort + "labels=a\nlabels-file=b\n", "both 'labels' and 'labels-file'");
  expect_error("decoder=ssd\n", "line 1 is before the first group");
  expect_error(kShort + "[\n", "line 3 has no group");
  expect_error(kShort + "colors\n", "line 3 has no key");
  expect_error(kShort + "labels=\xff\n", "line 3 is not UTF-8");
  expect_error(std::string((1 << 20) + 1, '\n'), "");
}

TEST_F(ModelInfoFile, ReadsLabelsOfItsFolderAlone) {
  std::filesystem::create_directories(folder_ / "inner");
  write("inner/names.txt", "a\n");
  std::filesystem::create_symlink(folder_ / "inner/names.txt", folder_ / "link.txt");
  for (const std::string name : {"inner/names.txt", "../names.txt", "/etc/passwd", "..", ".", "",
                                 "link.txt", "absent.txt", "inner"})
    expect_error(kShort + "labels-file=" + name + "\n", "line 3 ('labels-file')");
  write("empty.txt", "a\n\nb\n");
  expect_error(kShort + "labels-file=empty.txt\n", "has an empty label");
}

// Damaged files give information or an error that names the file.
TEST_F(ModelInfoFile, DamagedFilesAreRead) {
  std::mt19937 random(7);
  const std::string whole =
      "[input]\ndir=input\nranges=0,1;0,1;0,1\n[tandem]\ndecoder=ssd\nscores=softmax\ncolors=bgr\n"
      "fit=stretch\nmean=1.5,2,-3\ndeviation=57\npadding=114\nlabels=a,b,c\nstrides=8,16\nbins=8\n"
      "anchor-grids=4,2\nanchor-scales=0.1,0.9\nanchor-ratios=1,2\n";
  int taken = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text = whole;
    for (int change = random() % 4; change >= 0; --change) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) text.erase(at, random() % 5);
      if (random() % 3 == 0) text.insert(at, text, random() % text.size(), random() % 20);
      if (random() % 3 == 0) text[at % text.size()] = static_cast<char>(random());
    }
    const std::string error = error_of(text);
    taken += error.empty() ? 1 : 0;
    if (error.empty()) continue;
    EXPECT_NE(error.find("net.onnx"), std::string::npos) << error;
  }
  EXPECT_GT(taken, 40);
  EXPECT_LT(taken, 390);
}

}  // namespace
}  // namespace tandem::network
