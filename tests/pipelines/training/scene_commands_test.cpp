// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/scene_classifier/scene_model.h"
#include "tests/pipelines/support/command.h"
#include "tests/pipelines/training/folder.h"
#include "tests/pipelines/training/textures.h"

namespace tandem::test {
namespace {

CommandResult train(std::vector<std::string> words) {
  words.insert(words.begin(), "train-scenes");
  return run_tandem(words);
}

/// Makes a model of textures in a folder.
CommandResult train_textures(const Folder& folder, const std::string& model,
                             std::vector<std::string> more = {}) {
  std::vector<std::string> words = {
      "--images", folder / "images", "--output", model,      "--words", "12", "--samples",
      "1000",     "--folds",         "2",        "--rounds", "3"};
  words.insert(words.end(), more.begin(), more.end());
  return train(words);
}

TEST(TrainScenes, RefusesWrongOptions) {
  const auto refuses = [](std::vector<std::string> words, const char* word) {
    const CommandResult outcome = train(std::move(words));
    EXPECT_EQ(outcome.status, 2) << word;
    EXPECT_NE(outcome.errors.find(word), std::string::npos) << outcome.errors;
  };
  refuses({}, "--images");
  refuses({"--images", "x"}, "--output");
  refuses({"--images", "x", "--output", "y", "--words", "1"}, "--words");
  refuses({"--images", "x", "--output", "y", "--samples", "10"}, "--samples");
  refuses({"--images", "x", "--output", "y", "--contrast", "0"}, "--contrast");
  refuses({"--images", "x", "--output", "y", "--cost", "0"}, "--cost");
  refuses({"--images", "x", "--output", "y", "--folds", "1"}, "--folds");
  refuses({"stray"}, "stray");
}

TEST(TrainScenes, NamesAFolderThatIsNotThere) {
  const Folder folder;
  const CommandResult outcome =
      train({"--images", folder / "absent", "--output", folder / "m.scene"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("absent"), std::string::npos) << outcome.errors;
}

TEST(TrainScenes, GivesTheSameBytesOnAnyNumberOfThreads) {
  const Folder folder;
  write_textures(folder, 3, "images/");
  const CommandResult one = train_textures(folder, folder / "one.scene", {"--threads", "1"});
  ASSERT_EQ(one.status, 0) << one.errors;
  EXPECT_NE(one.output.find("2-fold cross-validation: accuracy"), std::string::npos) << one.output;
  EXPECT_NE(one.output.find("stripes"), std::string::npos) << one.output;
  const CommandResult two = train_textures(folder, folder / "two.scene", {"--threads", "2"});
  ASSERT_EQ(two.status, 0) << two.errors;
  EXPECT_TRUE(read_file(folder / "one.scene") == read_file(folder / "two.scene"));
  EXPECT_NE(load_scene_model(folder / "one.scene").origin.find("seed 1"), std::string::npos);
}

TEST(EvaluateScenes, RefusesWrongOptions) {
  const auto refuses = [](std::vector<std::string> words, const char* word) {
    words.insert(words.begin(), "evaluate-scenes");
    const CommandResult outcome = run_tandem(words);
    EXPECT_EQ(outcome.status, 2) << word;
    EXPECT_NE(outcome.errors.find(word), std::string::npos) << outcome.errors;
  };
  refuses({}, "--images");
  refuses({"--images", "x"}, "--model");
  refuses({"--images", "x", "--model", "y", "--threads", "-1"}, "--threads");
  refuses({"--images", "x", "--model", "y", "--jsno", "z"}, "did you mean '--json'");
}

TEST(EvaluateScenes, CountsWhatEachClassIsTakenFor) {
  const Folder folder;
  write_textures(folder, 4, "images/");
  ASSERT_EQ(train_textures(folder, folder / "m.scene").status, 0);
  // Two of three classes, one of them with a picture of another class and one without a keypoint.
  folder.write("new/dots/1.png", texture(0, 51));
  folder.write("new/dots/2.png", texture(0, 52));
  folder.write("new/dots/3.png", texture(1, 53));
  folder.write("new/dots/4.png", png_of(96, 80, std::string(96 * 80, 'x').data()));
  folder.write("new/checks/1.png", texture(2, 54));
  folder.write("new/checks/broken.png", "no picture");
  const CommandResult outcome =
      run_tandem({"evaluate-scenes", "--images", folder / "new", "--model", folder / "m.scene",
                  "--json", folder / "o.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.errors.find("broken.png"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.output.find("2 of the model's 3 classes"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("accuracy 60.0% of 5 pictures, mean of the classes 75.0%"),
            std::string::npos)
      << outcome.output;
  const auto report = nlohmann::json::parse(read_file(folder / "o.json"));
  EXPECT_EQ(report.at("pictures"), 5);
  EXPECT_DOUBLE_EQ(report.at("accuracy"), 0.6);
  EXPECT_DOUBLE_EQ(report.at("mean_accuracy"), 0.75);
  const auto& checks = report.at("classes")[0];
  EXPECT_EQ(checks.at("label"), "checks");
  EXPECT_EQ(checks.at("accuracy"), 1);
  const auto& dots = report.at("classes")[1];
  EXPECT_EQ(dots.at("pictures"), 4);
  EXPECT_DOUBLE_EQ(dots.at("accuracy"), 0.5);
  EXPECT_EQ(dots.at("taken_for").at("stripes"), 1);
  EXPECT_EQ(dots.at("unlabelled"), 1);
  EXPECT_TRUE(report.at("classes")[2].at("accuracy").is_null());
}

TEST(EvaluateScenes, SaysWhatIsWrong) {
  const Folder folder;
  write_textures(folder, 2, "images/");
  ASSERT_EQ(train_textures(folder, folder / "m.scene").status, 0);
  const auto fails = [&](const std::string& images, const std::string& model, const char* words) {
    const CommandResult outcome =
        run_tandem({"evaluate-scenes", "--images", folder / images, "--model", folder / model});
    EXPECT_EQ(outcome.status, 1) << words;
    EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
  };
  fails("images", "absent.scene", "absent.scene' cannot be opened");
  fails("images", "images", "images' is not a regular file");
  fails("absent", "m.scene", "there is no folder");
  folder.write("other/forest/a.png", texture(0, 1));
  fails("other", "m.scene", "no class 'forest'; its classes are checks, dots, stripes");
}

TEST(TrainScenes, RefusesWhatItCouldNotWrite) {
  const Folder folder;
  write_textures(folder, 2, "images/");
  for (int i = 0; i < 80; ++i) folder.write("many/" + std::to_string(i) + "/a.png", "");
  const CommandResult large = train({"--images", folder / "many", "--output", folder / "m.scene",
                                     "--words", "65536", "--samples", "70000"});
  EXPECT_EQ(large.status, 1);
  EXPECT_NE(large.errors.find("would be too large"), std::string::npos) << large.errors;
  folder.write("images/\xff/a.png", texture(0, 1));
  const CommandResult name = train_textures(folder, folder / "m.scene");
  EXPECT_EQ(name.status, 1);
  EXPECT_NE(name.errors.find("is not one line of UTF-8"), std::string::npos) << name.errors;
}

TEST(RunScene, WritesALabelForEachFrame) {
  const Folder folder;
  write_textures(folder, 2, "images/");
  ASSERT_EQ(train_textures(folder, folder / "m.scene").status, 0);
  make_video(folder / "video.avi", 6, 256, 256);  // the ball is a blob of a size that counts
  const CommandResult outcome =
      run_tandem({"run", "scene", "--input", folder / "video.avi", "--model", folder / "m.scene",
                  "--metadata", folder / "m.jsonl"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::istringstream lines(read_file(folder / "m.jsonl"));
  int frames = 0;
  for (std::string line; std::getline(lines, line); ++frames) {
    const auto frame = nlohmann::json::parse(line);
    EXPECT_TRUE(frame.at("detections").empty());
    ASSERT_EQ(frame.at("scenes").size(), 1U);
    const auto& scene = frame.at("scenes")[0];
    EXPECT_EQ(frame.at("width"), 256);
    EXPECT_EQ(frame.at("height"), 256);
    const std::string label = scene.at("label");
    EXPECT_TRUE(label == "dots" || label == "stripes" || label == "checks") << label;
    EXPECT_GE(scene.at("confidence").get<double>(), 1.0 / 3);
  }
  EXPECT_EQ(frames, 6);
}

TEST(BenchScene, MeasuresWhatCanRun) {
  const Folder folder;
  write_textures(folder, 2, "images/");
  ASSERT_EQ(train_textures(folder, folder / "m.scene").status, 0);
  const CommandResult outcome = run_tandem(
      {"bench", "scene", "--size", "64x64", "--frames", "4", "--seconds", "0", "--cores", "2",
       "--opencl-device", "any", "--model", folder / "m.scene", "--json", folder / "b.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(read_file(folder / "b.json"));
  const std::size_t mappings = report.at("opencl_device").is_null() ? 1 : 2;
  EXPECT_EQ(report.at("configurations").size(), mappings * 4);
  for (const auto& configuration : report.at("configurations"))
    EXPECT_EQ(configuration.at("mapping").get<std::string>()[1], 'c');
}

// As the cross-validation that the training prints, of pictures that it was trained on.
TEST(EvaluateScenes, KnowsThePicturesOfTheShippedModel) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  const char* models = std::getenv("TANDEM_DATA_DIR");
  const std::string train_folder = std::string(data ? data : "") + "/scenes8/train";
  if (!data || !models || !std::filesystem::is_directory(train_folder))
    GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/scenes8 (Oliva and Torralba)";
  // Every tenth picture of each class, by links.
  const Folder folder;
  for (const auto& scene : std::filesystem::directory_iterator(train_folder)) {
    const std::string label = scene.path().filename().string();
    std::filesystem::create_directories(folder / label);
    std::vector<std::filesystem::path> pictures;
    for (const auto& entry : std::filesystem::directory_iterator(scene)) pictures.push_back(entry);
    std::sort(pictures.begin(), pictures.end());
    for (std::size_t i = 0; i < pictures.size(); i += 10)
      std::filesystem::create_symlink(pictures[i],
                                      folder / (label + "/" + pictures[i].filename().string()));
  }
  const CommandResult outcome = run_tandem({"evaluate-scenes", "--images", folder.str(), "--model",
                                            std::string(models) + "/models/scenes.scene"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::string key = "accuracy ";
  EXPECT_GE(std::stod(outcome.output.substr(outcome.output.rfind(key) + key.size())), 90)
      << outcome.output;
}

// It was trained on these pictures: that it labels them says that the shipped file and the stages
// belong together, not how good it is. docs/scene.md has the cross-validated accuracy.
TEST(ShippedSceneModel, LabelsThePicturesThatItWasTrainedOn) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  const std::string train_folder = std::string(data ? data : "") + "/scenes8/train";
  if (!data || !std::filesystem::is_directory(train_folder))
    GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/scenes8 (Oliva and Torralba)";
  const Folder folder;
  int right = 0, all = 0;
  for (const auto& scene : std::filesystem::directory_iterator(train_folder)) {
    const std::string label = scene.path().filename().string();
    std::vector<std::filesystem::path> pictures;
    for (const auto& entry : std::filesystem::directory_iterator(scene)) pictures.push_back(entry);
    std::sort(pictures.begin(), pictures.end());
    for (int i = 0; i < 5; ++i, ++all) {
      const CommandResult outcome =
          run_tandem({"run", "scene", "--input", pictures[i * 20].string(), "--device", "cpu",
                      "--metadata", folder / "m.jsonl"});
      ASSERT_EQ(outcome.status, 0) << outcome.errors;
      const auto frame = nlohmann::json::parse(read_file(folder / "m.jsonl"));
      right += frame.at("scenes")[0].at("label") == label;
    }
  }
  EXPECT_EQ(all, 40);
  EXPECT_GE(right, 36);
}

}  // namespace
}  // namespace tandem::test
