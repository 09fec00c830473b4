// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits>

#include "tests/kernels/network/onnx/refused.h"

/// ONNX files that are no network, or none that is supported: each error says why.
namespace tandem::network {
namespace {

using test::ModelBuilder;
using test::set;

using BadModels = test::RefusedModels;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST_F(BadModels, OpsetsBeyondAreRefused) {
  for (const int opset : {-1, 0, 1, 8, 18, 1 << 30})
    expect_refused(ModelBuilder::of_conv(opset), "export it with an opset from 9 to 17");
  ModelBuilder none = ModelBuilder::of_conv();
  none.model.clear_opset_import();
  expect_refused(none, "opset 0");
  ModelBuilder two = ModelBuilder::of_conv();
  two.model.add_opset_import()->set_version(12);
  expect_refused(two, "two opsets");
  ModelBuilder old = ModelBuilder::of_conv();
  old.model.set_ir_version(2);
  expect_refused(old, "version 2");
}

TEST_F(BadModels, AllOperatorsThatAreNotSupportedAreNamed) {
  ModelBuilder b = ModelBuilder::of_conv();
  b.node("QLinearConv", {"result"}, {"a"});
  b.node("Loop", {"a"}, {"b"});
  b.node("Upsample", {"a"}, {"d"});  // of opset 9
  b.node("Relu", {"b"}, {"c"}).set_domain("com.example");
  for (const char* name : {"'Loop' (node 'the Loop')", "'QLinearConv'", "'com.example.Relu'",
                           "'Upsample'", "opset 13"})
    expect_refused(b, name);
}

TEST_F(BadModels, WithoutOrderAreRefused) {
  ModelBuilder b;
  b.input("x", {1});
  b.node("Relu", {"b"}, {"a"});
  b.node("Relu", {"a"}, {"b"});
  b.output("b");
  expect_refused(
      b, "node 'the Relu' (Relu): input 'b' is neither an input, nor a weight, nor an output");
  ModelBuilder own;
  own.input("x", {1});
  own.node("Relu", {"a"}, {"a"});
  own.output("a");
  expect_refused(own, "input 'a' is neither an input");
  ModelBuilder weights = ModelBuilder::of_conv();
  weights.graph().clear_initializer();
  expect_refused(weights,
                 "node 'the Conv' (Conv): input 'weights' is neither an input, nor a weight");
  ModelBuilder output = ModelBuilder::of_conv();
  output.output("other");
  expect_refused(output, "output 'other'");
}

TEST_F(BadModels, WithANameTwiceAreRefused) {
  ModelBuilder nodes = ModelBuilder::of_conv();
  nodes.node("Relu", {"result"}, {"result"});
  expect_refused(nodes, "value 'result' is defined twice");
  ModelBuilder weights = ModelBuilder::of_conv();
  weights.weight("weights", {1}, {1});
  expect_refused(weights, "value 'weights' is defined twice");
  ModelBuilder inputs = ModelBuilder::of_conv();
  inputs.input("image", {1});
  expect_refused(inputs, "value 'image' is defined twice");
  ModelBuilder attributes = ModelBuilder::of_conv();
  set(attributes.first(), "group", 1);
  set(attributes.first(), "group", 1);
  expect_refused(attributes, "attribute 'group' twice");
}

TEST_F(BadModels, SymbolicSidesAreRefusedExceptTheBatch) {
  ModelBuilder b = ModelBuilder::of_conv();
  auto& shape = *b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(0)->set_dim_param("batch");
  const Network network = read(b);
  EXPECT_EQ(network.of(network.inputs[0]).shape, (Shape{1, 2, 4, 4}));
  shape.mutable_dim(2)->set_dim_param("height");
  expect_refused(b, "side 2 is 'height'; export with static shapes");
  b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  expect_refused(b, "has no shape");
  ModelBuilder batch = ModelBuilder::of_conv();
  batch.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(2);
  expect_refused(batch, "export with a batch of 1");
}

TEST_F(BadModels, InputsOfOtherTypesAreRefused) {
  ModelBuilder b = ModelBuilder::of_conv();
  auto& type = *b.graph().mutable_input(0)->mutable_type();
  type.mutable_tensor_type()->set_elem_type(::onnx::TensorProto::UINT8);
  expect_refused(b, "input 'image' has elements of type UINT8");
  type.mutable_sequence_type();
  expect_refused(b, "input 'image'");
}

TEST_F(BadModels, ShapesThatOverflowAreRefused) {
  for (const std::vector<int64_t>& sides :
       {std::vector<int64_t>{int64_t{1} << 32, int64_t{1} << 32},
        {kMost},
        {kMost, kMost, 2},
        {0, kMost, kMost},
        {-1},
        {kLeast},
        {-1, -6},
        {1, 1, 1, 1, 1, 1, 1, 1},
        {int64_t{1} << 29}}) {
    ModelBuilder weights = ModelBuilder::of_conv();
    weights.weight("other", sides, {1, 2, 3, 4, 5, 6});
    expect_refused(weights, "tensor 'other'");
    ModelBuilder inputs = ModelBuilder::of_conv();
    inputs.input("other", sides);
    EXPECT_THROW(read(inputs), std::runtime_error);
  }
  ModelBuilder none = ModelBuilder::of_conv();
  none.input("other", {1, 0, 3});
  expect_refused(none, "has no elements");
  ModelBuilder scalar;
  scalar.input("image", {});
  scalar.weight("weights", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
  scalar.node("Conv", {"image", "weights"}, {"result"});
  scalar.output("result");
  expect_refused(scalar, "its input of a scalar is not supported");
}

TEST_F(BadModels, WindowsThatDoNotFitAreRefused) {
  using Sides = std::vector<int64_t>;
  struct Case {
    const char* attribute;
    Sides sides;
    const char* reason;
  };
  for (const auto& [attribute, sides, reason] :
       {Case{"pads", {0, 0, 0, kMost}, "a padding of"}, Case{"pads", {0, -1, 0, 0}, "a padding"},
        Case{"pads", {0, 0, 1 << 20, 0}, "a padding of"}, Case{"pads", {1, 1}, "four elements"},
        Case{"strides", {0, 1}, "'strides' has 0"}, Case{"strides", {1, kLeast}, "'strides'"},
        Case{"strides", {1}, "two elements"}, Case{"dilations", {1, kMost}, "'dilations' has"},
        Case{"kernel_shape", {2, 2}, "not that of its weights"}, Case{"group", {1}, "another type"},
        Case{"unknown", {1}, "'unknown' is not supported"}}) {
    ModelBuilder b = ModelBuilder::of_conv();
    set(b.first(), attribute, sides);
    expect_refused(b, reason);
  }
  for (const int64_t group : {int64_t{0}, int64_t{2}, int64_t{3}, int64_t{-1}, kMost, kLeast}) {
    ModelBuilder b = ModelBuilder::of_conv();
    set(b.first(), "group", group);
    expect_refused(b, "groups do not fit");
  }
  ModelBuilder large = ModelBuilder::of_conv();
  large.graph().mutable_initializer(0)->set_dims(2, 6);
  large.graph().mutable_initializer(0)->set_dims(0, 1);
  large.graph().mutable_initializer(0)->set_dims(1, 1);
  set(large.first(), "group", 2);
  expect_refused(large, "groups do not fit");
}

TEST_F(BadModels, EmptyConstantsAreNoInputsOfSteps) {
  ModelBuilder b;
  b.input("x", {1});
  b.weight("nothing", {0}, {});
  b.node("Add", {"x", "nothing"}, {"y"});
  b.output("y");
  expect_refused(b, "has no elements");
}

TEST_F(BadModels, EmptyConstantsAreComputedWith) {
  ModelBuilder b(12);
  b.input("x", {1});
  b.weight("nothing", {2, 0}, {});
  b.integers("none", {});
  b.integers("all", {0});
  b.integers("end", {kLeast});
  b.integers("back", {-1});
  set(b.node("Softmax", {"nothing"}, {"a"}), "axis", 1);
  b.node("Slice", {"none", "all", "end", "all", "back"}, {"b"});
  set(b.node("Concat", {"b", "all"}, {"c"}), "axis", 0);
  b.node("Gather", {"all", "c"}, {"d"});
  b.node("Reshape", {"x", "none"}, {"scalar"});
  b.output("scalar");
  EXPECT_EQ(read(b).of(read(b).outputs[0]).shape, Shape{});
  b.weight("other", {0, 3}, {});
  b.node("MatMul", {"nothing", "other"}, {"zeros"});
  expect_refused(b, "one of its inputs is empty");
}

TEST_F(BadModels, IntegersOfARunAreRefused) {
  ModelBuilder b;
  b.input("x", {2});
  b.integers("one", {1});
  b.node("Add", {"x", "one"}, {"y"});
  b.output("y");
  expect_refused(b, "one of its inputs has integers");
  ModelBuilder target;
  target.input("x", {2});
  target.input("shape", {1});
  target.node("Reshape", {"x", "shape"}, {"y"});
  target.output("y");
  expect_refused(target, "input 1 depends on the image");
}

TEST_F(BadModels, IntegersThatOverflowAreRefused) {
  struct Case {
    const char* type;
    int64_t a, b;
  };
  for (const auto& [type, a, b] :
       {Case{"Add", kMost, 1}, Case{"Sub", kLeast, 1}, Case{"Mul", kMost, 2}, Case{"Div", 1, 0},
        Case{"Div", kLeast, -1}}) {
    ModelBuilder m = ModelBuilder::of_conv();
    m.integers("a", {a});
    m.integers("b", {b});
    m.node(type, {"a", "b"}, {"c"});
    expect_refused(m, "its integers overflow");
  }
}

TEST_F(BadModels, NamesCannotControlATerminal) {
  ModelBuilder b = ModelBuilder::of_conv();
  b.first().set_name("\x1b[2Jname");
  b.first().set_input(1, "\x1b]0;x\x07");
  b.write(path());
  EXPECT_EQ(error_of(path()).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tandem::network
