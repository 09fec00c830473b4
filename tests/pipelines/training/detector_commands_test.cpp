// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/vivid_classifier/vivid_model.h"
#include "tests/pipelines/support/command.h"
#include "tests/pipelines/training/figures.h"
#include "tests/pipelines/training/folder.h"
#include "tests/pipelines/training/picture_header.h"
#include "tests/pipelines/training/textures.h"

namespace tandem::test {
namespace {

CommandResult call(const char* command, std::initializer_list<std::string> arguments) {
  std::vector<std::string> words(arguments);
  words.insert(words.begin(), command);
  return run_tandem(words);
}

TEST(TrainDetector, RefusesWrongOptions) {
  const auto refuses = [](std::initializer_list<std::string> arguments, const char* word) {
    const CommandResult outcome = call("train-detector", arguments);
    EXPECT_EQ(outcome.status, 2) << word;
    EXPECT_NE(outcome.errors.find(word), std::string::npos) << outcome.errors;
  };
  refuses({}, "--positives");
  refuses({"--positives", "x"}, "--output");
  refuses({"--positives", "x", "--output", "y", "--filters", "300"}, "--filters");
  refuses({"--positives", "x", "--output", "y", "--precision", "0"}, "--precision");
  refuses({"--positives", "x", "--output", "y", "--cost", "0"}, "--cost");
  refuses({"--positives", "x", "--output", "y", "--soft-height", "-1"}, "--soft-height");
  refuses({"--positives", "x", "--output", "y", "--negative-overlap", "2"}, "--negative-overlap");
  refuses({"--positives", "x", "--output", "y", "--format", "vco"}, "did you mean 'voc'");
  refuses({"--positives", "x", "--output", "y", "--label", "\xff"}, "--label");
  refuses({"--no-such-option"}, "no-such-option");
  refuses({"stray"}, "stray");
}

TEST(TrainDetector, NamesAFolderThatIsNotThere) {
  const Folder folder;
  const CommandResult outcome =
      call("train-detector", {"--positives", folder / "absent", "--output", folder / "m"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("absent"), std::string::npos) << outcome.errors;
}

/// A PASCAL VOC dataset of photographs with one box of a car each: a figure is in it, or `sides`.
void write_cars(const Folder& folder, int photographs, const std::string& sides = "") {
  Random random(3);
  for (int i = 0; i < photographs; ++i) {
    GreyImage image = noise(220, 200, random);
    const Box box{30 + static_cast<float>(random.below(80)), 40, 40,
                  96 + static_cast<float>(random.below(8))};
    draw_figure(image, box);
    const auto side = [](const char* name, float value) {
      std::ostringstream out;
      out << '<' << name << '>' << value << "</" << name << '>';
      return out.str();
    };
    const std::string name = std::to_string(i);
    folder.write("data/JPEGImages/" + name + ".png",
                 png_of(image.width, image.height, image.pixels.data()));
    folder.write(
        "data/Annotations/" + name + ".xml",
        "<annotation><object><name>car</name><bndbox>" +
            (sides.empty() ? side("xmin", box.x + 1) + side("ymin", box.y + 1) +
                                 side("xmax", box.x + box.width) + side("ymax", box.y + box.height)
                           : sides) +
            "</bndbox></object></annotation>");
  }
}

CommandResult train_cars(const Folder& folder, const std::string& model) {
  return call("train-detector", {"--positives", folder / "data", "--output", model, "--label",
                                 "car", "--filters", "8", "--patches", "5000", "--filter-rounds",
                                 "4", "--rounds", "1", "--jitters", "1", "--random-windows", "4"});
}

TEST(TrainDetector, LearnsAnyClass) {
  const Folder folder;
  write_cars(folder, 12);
  const CommandResult outcome = train_cars(folder, folder / "car.vivid");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("12 boxes of 'car'"), std::string::npos) << outcome.output;
  const VividModel model = load_vivid_model(folder / "car.vivid");
  EXPECT_EQ(model.label, "car");
  EXPECT_NE(model.origin.find("label car"), std::string::npos) << model.origin;
  // The model says which boxes it should find.
  const CommandResult judged = call(
      "evaluate-detector",
      {"--dataset", folder / "data", "--model", folder / "car.vivid", "--json", folder / "o.json"});
  ASSERT_EQ(judged.status, 0) << judged.errors;
  const auto report = nlohmann::json::parse(read_file(folder / "o.json"));
  EXPECT_EQ(report.at("label"), "car");
  EXPECT_EQ(report.at("layout"), "PASCAL VOC");
  EXPECT_EQ(report.at("objects"), 12);
  EXPECT_GT(report.at("detectors")[0].at("average_precision"), 0.9);
}

// It ended with "precision 0.000, recall 0.000" and "wrote ...".
TEST(TrainDetector, WritesNoModelThatFindsNothing) {
  const Folder folder;
  // No detection is as wide as this.
  write_cars(folder, 6, "<xmin>1</xmin><ymin>60</ymin><xmax>220</xmax><ymax>120</ymax>");
  const std::string model = folder.write("car.vivid", "what was there before");
  const CommandResult outcome = train_cars(folder, model);
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_NE(outcome.errors.find("no model was written"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("it finds none of them"), std::string::npos) << outcome.errors;
  EXPECT_EQ(outcome.output.find("wrote"), std::string::npos) << outcome.output;
  EXPECT_EQ(read_file(model), "what was there before");
}

TEST(TrainDetector, SaysBeforeTheTrainingWhatCannotBeWritten) {
  const Folder folder;
  write_cars(folder, 1);
  const CommandResult outcome = train_cars(folder, folder / "absent/car.vivid");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("mkdir -p"), std::string::npos) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
}

TEST(TrainDetector, NamesTheFileAndLineOfABoxThatCannotBe) {
  const Folder folder;
  folder.write("data/img1/000001.png", png_header(640, 480));
  folder.write("data/gt/gt.txt", "1,1,88,99,61,2147483648,1,1,1,1\n");
  const CommandResult outcome =
      call("train-detector", {"--positives", folder / "data", "--output", folder / "m.vivid"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("gt.txt' line 1: the box of 61x2147483648"), std::string::npos)
      << outcome.errors;
}

TEST(EvaluateDetector, RefusesWrongOptions) {
  const auto refuses = [](std::initializer_list<std::string> arguments, const char* word) {
    const CommandResult outcome = call("evaluate-detector", arguments);
    EXPECT_EQ(outcome.status, 2) << word;
    EXPECT_NE(outcome.errors.find(word), std::string::npos) << outcome.errors;
  };
  refuses({}, "--dataset");
  refuses({"--dataset", "x"}, "--model");
  refuses({"--dataset", "x", "--cross-validate", "1"}, "--cross-validate");
  refuses({"--dataset", "x", "--model", "m", "--cross-validate", "3"}, "exclude");
  refuses({"--dataset", "x", "--model", "m", "--iou", "0"}, "--iou");
  refuses({"--dataset", "x", "--model", "m", "--first-scale", "-1"}, "--first-scale");
}

TEST(EvaluateDetector, JudgesTheDetectionsOfAFile) {
  const Folder folder;
  folder.write("images/a.jpg", png_header(120, 60));  // its size alone is read
  folder.write("annotations/a.txt",
               "Bounding box for object 1 \"p\" (Xmin, Ymin) - (Xmax, Ymax) : (1, 1) - (10, 20)\n");
  const std::string found = folder.write(
      "d.jsonl",
      "{\"image\": \"a.jpg\", \"regions\": [{\"x\":0,\"y\":0,\"w\":10,\"h\":20,\"confidence\":2},"
      "{\"x\":90,\"y\":0,\"w\":10,\"h\":20,\"confidence\":1}]}\n");
  const CommandResult outcome =
      call("evaluate-detector",
           {"--dataset", folder.str(), "--detections", found, "--csv", folder / "o.csv", "--json",
            folder / "o.json", "--svg", folder / "o.svg"});
  const std::string& output = outcome.output;
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(output.find("average precision 1.0000"), std::string::npos) << output;
  for (const char* name : {"o.csv", "o.json", "o.svg"})
    EXPECT_GT(std::filesystem::file_size(folder / name), 50u) << name;
}

// It waited for ever for room in the pipeline that had failed.
TEST(EvaluateDetector, EndsWhereTheNetworkFails) {
  const Folder folder;
  write_cars(folder, 12);
  const CommandResult outcome =
      call("evaluate-detector", {"--dataset", folder / "data", "--label", "car", "--model",
                                 folder.write("bad.onnx", "no network")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("network"), std::string::npos) << outcome.errors;
}

TEST(EvaluateDetector, FindsPeopleWithTheShippedModel) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (!data || !std::filesystem::is_directory(std::string(data) + "/pedestrians-ld"))
    GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/pedestrians-ld (MOTChallenge)";
  const char* models = std::getenv("TANDEM_DATA_DIR");
  if (!models) GTEST_SKIP() << "needs TANDEM_DATA_DIR with models/person.vivid";
  // Ten frames of the sequence, by a folder of links.
  const Folder folder;
  const std::filesystem::path sequence = std::filesystem::path(data) / "pedestrians-ld";
  std::filesystem::create_directories(folder / "img1");
  std::filesystem::create_symlink(sequence / "gt", folder / "gt");
  for (int i = 10; i < 110; i += 10) {
    char name[16];
    std::snprintf(name, sizeof name, "%06d.jpg", i);
    std::filesystem::create_symlink(sequence / "img1" / name,
                                    std::filesystem::path(folder / "img1") / name);
  }
  const CommandResult outcome =
      call("evaluate-detector",
           {"--dataset", folder.str(), "--model", std::string(models) + "/models/person.vivid"});
  const std::string& output = outcome.output;
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::string key = "average precision ";
  EXPECT_GT(std::stod(output.substr(output.find(key) + key.size())), 0.6) << output;
  EXPECT_NE(outcome.errors.find("searching: 10/10 in "), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace tandem::test
