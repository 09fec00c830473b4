// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/scenes/scene_trainer.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/pipelines/training/folder.h"
#include "tests/pipelines/training/textures.h"

namespace tandem {
namespace {

class SceneTrainer : public testing::Test {
 protected:
  void SetUp() override { gst_init(nullptr, nullptr); }
  SceneTrainingOptions options() const {
    SceneTrainingOptions small;
    small.words = 20;
    small.samples = 2000;
    small.rounds = 5;
    small.folds = 3;
    return small;
  }
};

TEST_F(SceneTrainer, TellsTexturesThatItHasNotSeen) {
  const Folder folder;
  write_textures(folder, 9);
  const SceneFolder scenes = read_scene_folder(folder.str());
  EXPECT_EQ(scenes.labels, (std::vector<std::string>{"checks", "dots", "stripes"}));
  ASSERT_EQ(scenes.files.size(), 27U);
  const auto pictures = load_scenes(scenes, scene_describer(options().contrast));
  ASSERT_EQ(pictures.size(), 27U);
  for (const ScenePicture& picture : pictures) {
    EXPECT_EQ(std::min(picture.width, picture.height), kSceneSide);
    EXPECT_GT(picture.descriptors.size(), 10U);
    // Mirrored keypoints are not exactly the same ones: octaves start at the left.
    EXPECT_NEAR(static_cast<double>(picture.mirrored.size()),
                static_cast<double>(picture.descriptors.size()),
                0.2 * static_cast<double>(picture.descriptors.size()));
  }

  const auto margins = cross_validate_scenes(pictures, scenes.labels, options());
  const Confusion confusion(pictures, margins, 3);
  EXPECT_GE(confusion.accuracy(), 0.9);
  const double steepness = fit_steepness(pictures, margins);
  EXPECT_GT(steepness, 0);
  // Shuffled labels say nothing of the pictures: chance. Training on what is judged would show.
  auto shuffled = pictures;
  for (ScenePicture& picture : shuffled)
    picture.label = static_cast<int>(&picture - shuffled.data()) % 3;
  const Confusion chance(shuffled, cross_validate_scenes(shuffled, scenes.labels, options()), 3);
  EXPECT_LT(chance.accuracy(), 0.75);
}

TEST_F(SceneTrainer, GivesTheSameForASeed) {
  const Folder folder;
  write_textures(folder, 3);
  const SceneFolder scenes = read_scene_folder(folder.str());
  const auto pictures = load_scenes(scenes, scene_describer(options().contrast));
  std::vector<const ScenePicture*> all;
  for (const ScenePicture& picture : pictures) all.push_back(&picture);
  const SceneModel a = train_scenes(all, scenes.labels, options());
  const SceneModel b = train_scenes(all, scenes.labels, options());
  EXPECT_EQ(a.vocabulary.values(), b.vocabulary.values());
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.biases, b.biases);
  SceneTrainingOptions other = options();
  other.seed = 2;
  EXPECT_NE(train_scenes(all, scenes.labels, other).vocabulary.values(), a.vocabulary.values());
}

TEST_F(SceneTrainer, SaysWhatIsWrongWithAFolder) {
  const Folder folder;
  const auto error = [&] { return error_of([&] { read_scene_folder(folder.str()); }); };
  EXPECT_NE(error_of([&] { read_scene_folder(folder / "absent"); }).find("absent"),
            std::string::npos);
  EXPECT_NE(error().find("no class"), std::string::npos);
  folder.write("forest/a.png", texture(0, 1));
  EXPECT_NE(error().find("only one class"), std::string::npos);
  std::filesystem::create_directories(folder / "street");
  EXPECT_NE(error().find("street' holds no pictures"), std::string::npos);
}

TEST_F(SceneTrainer, LeavesOutPicturesThatCannotBeRead) {
  const Folder folder;
  write_textures(folder, 2);
  folder.write("dots/broken.png", "this is no picture");
  testing::internal::CaptureStderr();
  const auto pictures = load_scenes(read_scene_folder(folder.str()), scene_describer(0.01f));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("broken.png"), std::string::npos);
  EXPECT_EQ(pictures.size(), 6U);
}

TEST_F(SceneTrainer, SaysWhichClassHasNoReadablePicture) {
  const Folder folder;
  write_textures(folder, 1);
  folder.write("dots/0.png", "this is no picture");
  testing::internal::CaptureStderr();
  const std::string error =
      error_of([&] { load_scenes(read_scene_folder(folder.str()), scene_describer(0.01f)); });
  testing::internal::GetCapturedStderr();
  EXPECT_NE(error.find("dots"), std::string::npos) << error;
}

TEST_F(SceneTrainer, NeedsAPictureOfEachClassInEachFold) {
  std::vector<ScenePicture> pictures(5);
  for (std::size_t i = 0; i < pictures.size(); ++i) pictures[i].label = i < 3 ? 0 : 1;
  const std::string error = error_of([&] {
    cross_validate_scenes(pictures, {"coast", "city"}, options());
  });
  EXPECT_NE(error.find("'city' has 2 pictures"), std::string::npos) << error;
}

TEST_F(SceneTrainer, PicturesComeToOneSize) {
  const GreyImage wide{600, 300, std::vector<uint8_t>(600 * 300)};
  EXPECT_EQ(scene_sized(wide).width, 512);
  EXPECT_EQ(scene_sized(wide).height, 256);
  const GreyImage small{20, 30, std::vector<uint8_t>(20 * 30)};
  EXPECT_EQ(scene_sized(small).width, 256);
  EXPECT_EQ(scene_sized(small).height, 384);
}

// Of what is right in 3 of 4 cases by the same margin, the best steepness says 3/4.
TEST_F(SceneTrainer, SteepnessMakesConfidencesComeTrue) {
  std::vector<ScenePicture> pictures(40);
  std::vector<std::vector<float>> margins(40, {0.25f, -0.25f});
  for (std::size_t i = 0; i < pictures.size(); ++i) pictures[i].label = i % 4 == 0 ? 1 : 0;
  const double steepness = fit_steepness(pictures, margins);
  EXPECT_NEAR(class_confidence(margins[0].data(), 2, steepness, 0), 0.75, 1e-3);
}

}  // namespace
}  // namespace tandem
