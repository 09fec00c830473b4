// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>

#include "kernels/vivid_classifier/vivid_model.h"
#include "tests/pipelines/command.h"
#include "tests/pipelines/training/folder.h"
#include "tests/pipelines/training/picture_header.h"

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

TEST(EvaluateDetector, FindsPeopleWithTheShippedModel) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (!data || !std::filesystem::is_directory(std::string(data) + "/pedestrians-ld"))
    GTEST_SKIP() << "TANDEM_TEST_DATA names no folder with pedestrians-ld";
  const char* models = std::getenv("TANDEM_DATA_DIR");
  if (!models) GTEST_SKIP() << "TANDEM_DATA_DIR names no folder with models/person.vivid";
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
