// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/scene_classifier/scene_model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/files/special_files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

SceneModel example_model() {
  SceneModel model;
  model.contrast = 0.01f;
  model.steepness = 3;
  model.bag = {5, 2, 4};
  std::vector<float> words;
  for (int i = 0; i < 5 * kSceneDescriptorSize; ++i) words.push_back(std::sin(float(i)));
  model.vocabulary = SceneVocabulary(words);
  model.labels = {"coast", "inside a city"};
  for (int c = 0; c < 2; ++c) {
    model.weights.emplace_back(model.bag.values(), 0.5f * static_cast<float>(c + 1));
    model.biases.push_back(static_cast<float>(c) - 0.25f);
  }
  model.origin = "made for a test";
  return model;
}

class SceneModelFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("tandem_scene_model_" + std::to_string(getpid()) + "_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = (folder_ / "m.scene").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  template <typename Change>
  void damage(Change change) const {
    save_scene_model(example_model(), path_);
    std::string bytes = read();
    change(bytes);
    write(bytes);
  }
  /// The message of the error that loading gives; it always names the file.
  std::string error() const {
    try {
      load_scene_model(path_);
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find(path_), std::string::npos) << e.what();
      return e.what();
    }
    ADD_FAILURE() << "the file was read";
    return {};
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(SceneModelFile, GivesBackWhatWasWritten) {
  const SceneModel written = example_model();
  save_scene_model(written, path_);
  const SceneModel read = load_scene_model(path_);
  EXPECT_EQ(read.contrast, written.contrast);
  EXPECT_EQ(read.steepness, written.steepness);
  EXPECT_EQ(read.bag.words, 5);
  EXPECT_EQ(read.bag.stripes, 2);
  EXPECT_EQ(read.bag.directions, 4);
  EXPECT_EQ(read.vocabulary.values(), written.vocabulary.values());
  EXPECT_EQ(read.labels, written.labels);
  EXPECT_EQ(read.weights, written.weights);
  EXPECT_EQ(read.biases, written.biases);
  EXPECT_EQ(read.origin, written.origin);
}

TEST_F(SceneModelFile, SaysWhatIsWrongWithIt) {
  EXPECT_NE(error().find("No such file"), std::string::npos);
  write("");
  EXPECT_NE(error().find("is empty"), std::string::npos);
  write("P5 a picture, not a model, but long enough to hold a header and a checksum as well");
  EXPECT_NE(error().find("not a Tandem scene model"), std::string::npos);
  damage([](std::string& bytes) { bytes[12] = 9; });
  EXPECT_NE(error().find("version 9"), std::string::npos);
  damage([](std::string& bytes) { bytes += "x"; });
  EXPECT_NE(error().find("after its end"), std::string::npos);
  damage([](std::string& bytes) { bytes[19] = '\x7f'; });  // billions of words
  EXPECT_NE(error().find("impossible sizes"), std::string::npos);
}

TEST_F(SceneModelFile, SaysThatItIsCutShortAtEveryLength) {
  save_scene_model(example_model(), path_);
  const std::string whole = read();
  for (const std::size_t size : {std::size_t{1}, std::size_t{12}, std::size_t{30}, std::size_t{55},
                                 whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    EXPECT_NE(error().find("cut short"), std::string::npos) << size << " bytes";
  }
}

TEST_F(SceneModelFile, SeesOneFlippedBitAnywhereInItsValues) {
  for (const std::size_t at : {std::size_t{42}, std::size_t{60}, std::size_t{500}}) {
    damage([at](std::string& bytes) { bytes[at] ^= 4; });
    EXPECT_NE(error().find("checksum"), std::string::npos) << "byte " << at;
  }
}

TEST_F(SceneModelFile, RefusesValuesThatCannotBe) {
  SceneModel model = example_model();
  model.weights[1][3] = std::numeric_limits<float>::quiet_NaN();
  save_scene_model(model, path_);
  EXPECT_NE(error().find("not finite"), std::string::npos);
  model = example_model();
  model.steepness = 0;
  save_scene_model(model, path_);
  EXPECT_NE(error().find("not positive"), std::string::npos);
}

TEST_F(SceneModelFile, IsARegularFile) {
  for (const auto& [name, make] : test::special_files()) {
    make(path_);
    EXPECT_NE(error().find("is not a regular file"), std::string::npos) << name;
    fs::remove_all(path_);
  }
  fs::create_symlink("/proc/self/mem", path_);  // gives an I/O error
  EXPECT_NE(error().find("cannot be read: "), std::string::npos);
}

TEST_F(SceneModelFile, IsNotReadWhenItIsTooLong) {
  test::make_long_file(path_, std::uintmax_t{1} << 40);
  EXPECT_NE(error().find("is longer than "), std::string::npos);
}

TEST_F(SceneModelFile, HasTextsInUtf8) {
  auto model = example_model();
  model.labels[1] = "Fu\u00dfg\u00e4nger";
  save_scene_model(model, path_);
  EXPECT_EQ(load_scene_model(path_).labels[1], model.labels[1]);
  const std::string good = read();
  for (const char* text : {"Fu\u00df", "made"}) {  // in the label and in the origin
    std::string bytes = good;
    bytes.at(bytes.find(text)) = '\xff';
    test::write_with_checksum(path_, bytes);
    EXPECT_NE(error().find(text == std::string("made") ? "an origin that is not UTF-8"
                                                       : "a label that is not UTF-8"),
              std::string::npos);
  }
  model.labels[1] = "\xff";
  EXPECT_THROW(save_scene_model(model, path_), std::runtime_error);
}

TEST_F(SceneModelFile, IsNotWrittenWhenItsPartsDoNotFit) {
  SceneModel model = example_model();
  model.weights[0].pop_back();
  EXPECT_THROW(save_scene_model(model, path_), std::runtime_error);
  model = example_model();
  model.labels[0] = "two\nlines";
  EXPECT_THROW(save_scene_model(model, path_), std::runtime_error);
  EXPECT_FALSE(fs::exists(path_));
}

TEST(SceneBag, CountsByStripeAndDirectionWhateverTheBands) {
  std::vector<float> words(2 * kSceneDescriptorSize);
  words[kSceneDescriptorSize] = 1;  // word 1 is along the first coefficient
  const SceneVocabulary vocabulary(words);
  const SceneBag bag{2, 2, 4};
  SceneDescriptor low{.x = 3, .y = 79.9f, .sigma = 2, .angle = 6.2f, .values = {}};
  SceneDescriptor high{.x = 3, .y = 1, .sigma = 2, .angle = 1.6f, .values = {1}};
  std::vector<int32_t> counts(bag.counts());
  count_words(vocabulary, bag, 80, {low, high, high}, counts.data());
  // Stripes: word 1 twice above, word 0 once below. Directions: around 0 word 0, around 90 word 1.
  EXPECT_EQ(counts, (std::vector<int32_t>{0, 2, 1, 0, 1, 0, 0, 2, 0, 0, 0, 0}));
  std::vector<int32_t> in_parts(bag.counts());
  for (const SceneDescriptor& d : {high, low, high})
    count_words(vocabulary, bag, 80, {d}, in_parts.data());
  EXPECT_EQ(in_parts, counts);

  std::vector<float> values(bag.values());
  ASSERT_TRUE(fill_bag(counts.data(), bag, values.data()));
  EXPECT_FLOAT_EQ(values[0], std::sqrt(1 / 9.0f));
  EXPECT_FLOAT_EQ(values[1], std::sqrt(2 / 9.0f));
  float squares = 0;
  for (const float v : values) squares += v * v;
  EXPECT_NEAR(squares, 1, 1e-6);
}

TEST(SceneBag, IsEmptyWithoutAWord) {
  const SceneBag bag{2, 2, 4};
  std::vector<int32_t> counts(bag.counts());
  std::vector<float> values(bag.values(), 7);
  EXPECT_FALSE(fill_bag(counts.data(), bag, values.data()));
  EXPECT_EQ(values, std::vector<float>(bag.values()));
}

TEST(SceneConfidence, IsAShareOfAllClasses) {
  const float margins[] = {0.5f, -1, 0.25f};
  double sum = 0;
  for (int c = 0; c < 3; ++c) sum += class_confidence(margins, 3, 2, c);
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(best_class(margins, 3), 0);
  EXPECT_NEAR(class_confidence(margins, 3, 2, 0) / class_confidence(margins, 3, 2, 2),
              std::exp(0.5), 1e-6);
  const float far[] = {1000, -1000};
  EXPECT_EQ(class_confidence(far, 2, 100, 1), 0);
}

}  // namespace
}  // namespace tandem
