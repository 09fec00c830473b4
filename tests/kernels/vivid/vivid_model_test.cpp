// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_classifier/vivid_model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "tests/files/special_files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

VividModel example_model() {
  VividModel model;
  model.bank.count = model.svm.filters = 3;
  for (int i = 0; i < 27; ++i) model.bank.coefficients.push_back(0.1f * i - 1);
  for (int i = 0; i < 105 * 4 * 3; ++i) model.svm.weights.push_back(1e-3f * (i % 77) - 0.02f);
  model.svm.bias = -0.75f;
  model.svm.epsilon = 0.125f;
  model.default_threshold = 0.5f;
  model.origin = "made by a test, seed 1";
  return model;
}

class VividModelFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              ("tandem_model_" + std::to_string(getpid()) + "_" + info->name());
    fs::create_directories(folder_);
    path_ = (folder_ / "m.vivid").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  void damage(const std::function<void(std::string&)>& change) const {
    save_vivid_model(example_model(), path_);
    std::string bytes = read();
    change(bytes);
    write(bytes);
  }
  /// The message of the error that loading gives; it always names the file.
  std::string error() const {
    try {
      load_vivid_model(path_);
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

TEST_F(VividModelFile, GivesBackWhatWasWritten) {
  const VividModel written = example_model();
  save_vivid_model(written, path_);
  const VividModel read = load_vivid_model(path_);
  EXPECT_EQ(read.bank.count, written.bank.count);
  EXPECT_EQ(read.bank.coefficients, written.bank.coefficients);
  EXPECT_EQ(read.svm.filters, written.svm.filters);
  EXPECT_EQ(read.svm.weights, written.svm.weights);
  EXPECT_EQ(read.svm.bias, written.svm.bias);
  EXPECT_EQ(read.svm.epsilon, written.svm.epsilon);
  EXPECT_EQ(read.default_threshold, written.default_threshold);
  EXPECT_EQ(read.label, "person");
  EXPECT_EQ(read.origin, written.origin);
}

TEST_F(VividModelFile, SaysThatItIsMissing) {
  EXPECT_NE(error().find("No such file"), std::string::npos);
}

TEST_F(VividModelFile, SaysThatItIsEmpty) {
  write("");
  EXPECT_NE(error().find("is empty"), std::string::npos);
}

TEST_F(VividModelFile, SaysThatItIsNoModel) {
  write("P5 a picture, not a model, but long enough to hold a header and a checksum as well");
  EXPECT_NE(error().find("not a Tandem person model"), std::string::npos);
}

TEST_F(VividModelFile, SaysThatTheVersionIsAnother) {
  damage([](std::string& bytes) { bytes[12] = 9; });
  EXPECT_NE(error().find("version 9"), std::string::npos);
}

TEST_F(VividModelFile, SaysThatItIsCutShortAtEveryLength) {
  save_vivid_model(example_model(), path_);
  const std::string whole = read();
  for (const std::size_t size : {std::size_t{1}, std::size_t{11}, std::size_t{12}, std::size_t{43},
                                 std::size_t{52}, whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    EXPECT_NE(error().find("cut short"), std::string::npos) << size << " bytes";
  }
}

TEST_F(VividModelFile, SaysThatBytesFollowItsEnd) {
  damage([](std::string& bytes) { bytes += "x"; });
  EXPECT_NE(error().find("after its end"), std::string::npos);
}

TEST_F(VividModelFile, RefusesImpossibleSizes) {
  damage([](std::string& bytes) { bytes[18] = '\x7f'; });  // millions of filters
  EXPECT_NE(error().find("impossible sizes"), std::string::npos);
}

TEST_F(VividModelFile, SeesOneFlippedBitAnywhereInItsValues) {
  for (const std::size_t at : {std::size_t{32}, std::size_t{50}, std::size_t{500}}) {
    damage([at](std::string& bytes) { bytes[at] ^= 4; });
    EXPECT_NE(error().find("checksum"), std::string::npos) << "byte " << at;
  }
}

TEST_F(VividModelFile, RefusesValuesThatAreNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    VividModel model = example_model();
    model.svm.weights[17] = bad;
    save_vivid_model(model, path_);
    EXPECT_NE(error().find("not finite"), std::string::npos);
    model = example_model();
    model.bank.coefficients[3] = bad;
    save_vivid_model(model, path_);
    EXPECT_NE(error().find("not finite"), std::string::npos);
    model = example_model();
    model.default_threshold = bad;
    save_vivid_model(model, path_);
    EXPECT_NE(error().find("not finite"), std::string::npos);
  }
}

TEST_F(VividModelFile, RefusesAnEpsilonThatWouldDivideByZero) {
  VividModel model = example_model();
  model.svm.epsilon = 0;
  save_vivid_model(model, path_);
  EXPECT_NE(error().find("epsilon"), std::string::npos);
}

TEST_F(VividModelFile, IsARegularFile) {
  for (const auto& [name, make] : test::special_files()) {
    make(path_);
    EXPECT_NE(error().find("is not a regular file"), std::string::npos) << name;
    fs::remove_all(path_);
  }
  fs::create_symlink("/proc/self/mem", path_);  // gives an I/O error
  EXPECT_NE(error().find("cannot be read: "), std::string::npos);
}

TEST_F(VividModelFile, IsNotReadWhenItIsTooLong) {
  test::make_long_file(path_, std::uintmax_t{1} << 40);
  EXPECT_NE(error().find("is longer than "), std::string::npos);
}

TEST_F(VividModelFile, HasTextsInUtf8) {
  auto model = example_model();
  model.label = "Fu\u00dfg\u00e4nger";
  save_vivid_model(model, path_);
  EXPECT_EQ(load_vivid_model(path_).label, model.label);
  const std::string good = read();
  for (const char* text : {"Fu\u00df", "made"}) {  // in the label and in the origin
    std::string bytes = good;
    bytes.at(bytes.find(text)) = '\xff';
    test::write_with_checksum(path_, bytes);
    EXPECT_NE(error().find(text == std::string("made") ? "an origin that is not UTF-8"
                                                       : "a label that is not UTF-8"),
              std::string::npos);
  }
  model.label = "\xff";
  EXPECT_THROW(save_vivid_model(model, path_), std::runtime_error);
}

TEST_F(VividModelFile, IsNotWrittenWhenItsPartsDoNotFit) {
  VividModel model = example_model();
  model.svm.weights.pop_back();
  EXPECT_THROW(save_vivid_model(model, path_), std::runtime_error);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(VividModelFile, SaysThatItCannotBeWritten) {
  path_ = (folder_ / "no such folder" / "m.vivid").string();
  EXPECT_THROW(save_vivid_model(example_model(), path_), std::runtime_error);
}

}  // namespace
}  // namespace tandem
