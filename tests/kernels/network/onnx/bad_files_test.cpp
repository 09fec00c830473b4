// SPDX-License-Identifier: LGPL-2.1-or-later
#include <unistd.h>

#include <limits>

#include "tests/files/special_files.h"
#include "tests/kernels/network/onnx/refused.h"

/// Files that are no network, and data in other files.
namespace tandem::network {
namespace {

using test::ModelBuilder;

class BadFiles : public test::RefusedModels {
 protected:
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  // A model whose weights lie in another file.
  static ModelBuilder with_external(const std::string& location, const std::string& offset = {},
                                    const std::string& length = {}) {
    ModelBuilder b = ModelBuilder::of_conv();
    auto& tensor = *b.graph().mutable_initializer(0);
    tensor.clear_float_data();
    tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
    const auto add = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("location", location);
    add("offset", offset);
    add("length", length);
    return b;
  }
};

TEST_F(BadFiles, ThatAreNoFilesAreRefused) {
  EXPECT_NE(error_of(path("absent")).find("cannot be opened"), std::string::npos);
  for (const auto& special : tandem::test::special_files()) {
    const std::string at = path(special.name);
    special.make(at);
    EXPECT_NE(error_of(at).find("is not a regular file"), std::string::npos) << special.name;
  }
}

TEST_F(BadFiles, ThatAreNoOnnxAreRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("a text"), std::string(1000, '\0'), std::string(1000, '\xff'),
        std::string("\x3a\x00", 2), std::string("\x08\x08", 2)}) {
    write("model.onnx", bytes);
    EXPECT_NE(error_of(path()), "it was read");
  }
}

TEST_F(BadFiles, ThatAreLongAreRefused) {
  tandem::test::make_long_file(path(), (std::uintmax_t{1} << 30) + 1);
  EXPECT_NE(error_of(path()).find("is longer than"), std::string::npos);
}

TEST_F(BadFiles, OfEveryLengthAreRefused) {
  std::string bytes;
  ModelBuilder::of_conv().model.SerializeToString(&bytes);
  int refused = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write("model.onnx", bytes.substr(0, length));
    refused += error_of(path()) != "it was read";
  }
  // The opset stands behind the graph: nothing but the whole file is a network.
  EXPECT_EQ(refused, static_cast<int>(bytes.size()));
}

TEST_F(BadFiles, ExternalDataIsReadFromTheSameFolder) {
  const std::vector<float> weights{9, 1, 2, 3, 4, 5, 6};
  write("data", {reinterpret_cast<const char*>(weights.data()), 28});
  const Network network = read(with_external("data", "4", "24"));
  EXPECT_EQ(network.of(network.steps[0].inputs[1]).constant,
            std::vector<float>(weights.begin() + 1, weights.end()));
  EXPECT_EQ(read(with_external("data", "4")).steps.size(), 1u);
}

TEST_F(BadFiles, ExternalDataElsewhereIsRefused) {
  write("data", std::string(24, '\0'));
  std::filesystem::create_directory(path("folder"));
  write("folder/data", std::string(24, '\0'));
  std::filesystem::create_symlink("data", path("link"));
  std::filesystem::create_symlink("/etc/passwd", path("link-out"));
  for (const std::string& location :
       {path("data"), std::string("/etc/passwd"), std::string("../data"), std::string(".."),
        std::string("."), std::string("folder/data"), std::string("folder/../data"),
        std::string("data\0/x", 7), std::string()})
    expect_refused(with_external(location), "only files in the same folder");
  for (const char* location : {"link", "link-out", "folder"})
    expect_refused(with_external(location), "is not a regular file");
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  expect_refused(with_external("fifo"), "is not a regular file");
  expect_refused(with_external("absent"), "cannot be opened");
}

TEST_F(BadFiles, ExternalDataOfAnotherLengthIsRefused) {
  write("data", std::string(24, '\0'));
  EXPECT_EQ(read(with_external("data")).steps.size(), 1u);
  expect_refused(with_external("data", "25"), "is too short");
  expect_refused(with_external("data", "1"), "elements, its data");
  expect_refused(with_external("data", "1", "24"), "is too short");
  expect_refused(with_external("data", "0", "20"), "elements, its data");
  expect_refused(with_external("data", "18446744073709551615", "24"), "is too short");
  expect_refused(with_external("data", "8", "18446744073709551615"), "is too short");
  expect_refused(with_external("data", "-8"), "offset");
  expect_refused(with_external("data", "0", "x"), "length");
  tandem::test::make_long_file(path("long"), std::uintmax_t{1} << 40);
  expect_refused(with_external("long"), "is longer than the tensor");
}

TEST_F(BadFiles, WeightsThatAreNoNumbersAreRefused) {
  for (const float number :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    ModelBuilder b = ModelBuilder::of_conv();
    b.graph().mutable_initializer(0)->set_float_data(3, number);
    expect_refused(b, "'weights': it has an element that is infinite or NaN");
  }
  ModelBuilder half = ModelBuilder::of_conv();
  auto& tensor = *half.graph().mutable_initializer(0);
  tensor.clear_float_data();
  tensor.set_data_type(::onnx::TensorProto::FLOAT16);
  for (int i = 0; i < 6; ++i) tensor.add_int32_data(0x7c00);
  expect_refused(half, "'weights': it has an element that is infinite or NaN");
  tensor.set_data_type(::onnx::TensorProto::DOUBLE);
  tensor.clear_int32_data();
  for (int i = 0; i < 6; ++i) tensor.add_double_data(1e300);
  expect_refused(half, "'weights': it has an element that is infinite or NaN");
}

TEST_F(BadFiles, WeightsOfOtherWidthsAreRead) {
  ModelBuilder b = ModelBuilder::of_conv();
  auto& tensor = *b.graph().mutable_initializer(0);
  const std::vector<float> expected(6, 1.5f);
  const auto weights = [&] {
    const Network network = read(b);
    return network.of(network.steps[0].inputs[1]).constant;
  };
  tensor.clear_float_data();
  tensor.set_data_type(::onnx::TensorProto::FLOAT16);
  for (int i = 0; i < 6; ++i) tensor.add_int32_data(0x3e00);
  EXPECT_EQ(weights(), expected);
  tensor.set_data_type(::onnx::TensorProto::BFLOAT16);
  for (int i = 0; i < 6; ++i) tensor.set_int32_data(i, 0x3fc0);
  EXPECT_EQ(weights(), expected);
  tensor.clear_int32_data();
  tensor.set_data_type(::onnx::TensorProto::DOUBLE);
  for (int i = 0; i < 6; ++i) tensor.add_double_data(1.5);
  EXPECT_EQ(weights(), expected);
}

}  // namespace
}  // namespace tandem::network
