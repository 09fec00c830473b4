// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/network/onnx/refused.h"
#include "tests/kernels/network/tensors.h"

/// Which steps become one. That the result stays the same is the graphs' to check.
namespace tandem::network {
namespace {

using test::Elements;
using test::ModelBuilder;
using test::set;
using Kind = Activation::Kind;

class Fuse : public test::RefusedModels {
 protected:
  // Names of operations and numbers of activations.
  static std::string text_of(const Network& network) {
    std::string text;
    for (const Step& step : network.steps)
      text += std::string(text.empty() ? "" : " ") + name_of(step.operation) +
              (step.activation.kind == Kind::none ? "" : "+");
    return text;
  }

  static Elements result_of(const Network& network) {
    const int64_t count = elements(network.of(network.inputs[0]).shape);
    return test::reference(network, {test::noise(count)})[0];
  }

  // A convolution of the image, and what follows it.
  static ModelBuilder conv_and(const std::vector<std::pair<std::string, std::string>>& nodes) {
    ModelBuilder b = ModelBuilder::of_conv(14);
    b.graph().clear_output();
    b.weight("scales", {3, 1, 1}, {2, -3, 0.5f});
    std::string last = "result";
    for (const auto& [type, other] : nodes) {
      const std::string next = last + "'";
      b.node(type, other.empty() ? std::vector{last} : std::vector{last, other}, {next});
      last = next;
    }
    b.output(last);
    return b;
  }
};

TEST_F(Fuse, ArithmeticOfAChannelGoesIntoTheConvolution) {
  ModelBuilder b =
      conv_and({{"Mul", "scales"}, {"Sub", "scales"}, {"Div", "scales"}, {"Relu", ""}});
  const Network fused = read(b);
  EXPECT_EQ(text_of(fused), "Conv+");
  EXPECT_EQ(fused.values.size(), 4u);  // image, weights, bias, result
  b.output("result");                  // keeps the convolution apart
  const Network apart = read(b);
  EXPECT_EQ(text_of(apart), "Conv Binary Binary Binary+");
  EXPECT_LE(test::difference(result_of(apart), result_of(fused)), 1e-6);
}

TEST_F(Fuse, AConstantMayComeFirst) {
  for (const char* type : {"Add", "Mul", "Sub", "Div"}) {
    ModelBuilder b = conv_and({});
    b.graph().clear_output();
    b.node(type, {"scales", "result"}, {"last"});
    b.output("last");
    const Network fused = read(b);
    EXPECT_EQ(text_of(fused), type == std::string("Div") ? "Conv Binary" : "Conv") << type;
    b.output("result");
    EXPECT_LE(test::difference(result_of(read(b)), result_of(fused)), 1e-6) << type;
  }
}

TEST_F(Fuse, ArithmeticOnOtherSidesStays) {
  ModelBuilder b = conv_and({{"Mul", "rows"}});
  b.weight("rows", {4, 1}, {1, 2, 3, 4});
  EXPECT_EQ(text_of(read(b)), "Conv Binary");
  ModelBuilder zero = conv_and({{"Div", "zeros"}});
  zero.weight("zeros", {3, 1, 1}, {1, 0, 1});
  EXPECT_EQ(text_of(read(zero)), "Conv Binary");
  ModelBuilder large = conv_and({{"Mul", "many"}});
  large.weight("many", {1}, {3e38f});
  EXPECT_EQ(text_of(read(large)), "Conv Binary");
  ModelBuilder activated = conv_and({{"Relu", ""}, {"Mul", "scales"}});
  EXPECT_EQ(text_of(read(activated)), "Conv+ Binary");
}

TEST_F(Fuse, SharedWeightsAreScaledForOneConvolutionAlone) {
  ModelBuilder b = conv_and({{"Mul", "scales"}});
  b.node("Conv", {"image", "weights"}, {"second"});
  b.output("second");
  const Network network = read(b);
  EXPECT_EQ(text_of(network), "Conv Conv");
  EXPECT_EQ(network.of(network.steps[1].inputs[1]).constant,
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(network.of(network.steps[0].inputs[1]).constant,
            (std::vector<float>{2, 4, -9, -12, 2.5f, 3}));
}

TEST_F(Fuse, ProductsWithAGateAreOneActivation) {
  for (const char* gate : {"Sigmoid", "HardSigmoid"}) {
    ModelBuilder b = conv_and({});
    b.graph().clear_output();
    auto& node = b.node(gate, {"result"}, {"gate"});
    if (gate[0] == 'H') {
      auto& alpha = *node.add_attribute();
      alpha.set_name("alpha");
      alpha.set_type(::onnx::AttributeProto::FLOAT);
      alpha.set_f(1.0f / 6);
    }
    b.node("Mul", {"gate", "result"}, {"product"});
    b.output("product");
    const Network network = read(b);
    EXPECT_EQ(text_of(network), "Conv+");
    EXPECT_EQ(network.steps[0].activation.kind, gate[0] == 'H' ? Kind::hard_swish : Kind::silu);
    b.output("gate");
    EXPECT_EQ(text_of(read(b)), "Conv Unary+ Binary");
  }
}

TEST_F(Fuse, ASumWithTheSameShapeIsAResidual) {
  ModelBuilder b = conv_and({{"Add", "other"}, {"Relu", ""}});
  b.input("other", {1, 3, 4, 4});
  const Network network = read(b);
  EXPECT_EQ(text_of(network), "Conv+");
  ASSERT_EQ(network.steps[0].inputs.size(), 4u);
  EXPECT_EQ(network.steps[0].inputs[2], kAbsent);
  EXPECT_EQ(network.steps[0].inputs[3], network.inputs[1]);

  ModelBuilder broadcast = conv_and({{"Add", "other"}});
  broadcast.input("other", {1, 3, 1, 1});
  EXPECT_EQ(text_of(read(broadcast)), "Conv Binary");
  ModelBuilder twice = conv_and({{"Add", "result"}});
  EXPECT_EQ(text_of(read(twice)), "Conv Binary");
  ModelBuilder activated = conv_and({{"Relu", ""}, {"Add", "other"}});
  activated.input("other", {1, 3, 4, 4});
  EXPECT_EQ(text_of(read(activated)), "Conv+ Binary");
}

TEST_F(Fuse, AResidualIsComputedBeforeItsConvolution) {
  ModelBuilder b = conv_and({});
  b.graph().clear_output();
  b.node("Conv", {"image", "weights"}, {"second"});
  b.node("Tanh", {"second"}, {"late"});
  b.node("Add", {"result", "late"}, {"sum"});
  b.output("sum");
  const Network network = read(b);
  EXPECT_EQ(text_of(network), "Conv+ Conv");
  EXPECT_EQ(network.steps[1].inputs[3], network.steps[0].output);
}

TEST_F(Fuse, StepsThatNobodyUsesAreDropped) {
  ModelBuilder b = conv_and({{"Relu", ""}});
  b.node("Tanh", {"result"}, {"unused"});
  b.node("Mul", {"unused", "scales"}, {"unused too"});
  EXPECT_EQ(text_of(read(b)), "Conv+");
}

TEST_F(Fuse, OutputsWithoutAStepAreCopied) {
  ModelBuilder b;
  b.input("x", {2});
  b.weight("constant", {2}, {3, 4});
  b.node("Identity", {"x"}, {"same"});
  for (const char* name : {"x", "same", "constant"}) b.output(name);
  const Network network = read(b);
  EXPECT_EQ(text_of(network), "Unary Unary Unary");
  const auto results = test::reference(network, {{1, 2}});
  EXPECT_EQ(results, (std::vector<Elements>{{1, 2}, {1, 2}, {3, 4}}));
}

}  // namespace
}  // namespace tandem::network
