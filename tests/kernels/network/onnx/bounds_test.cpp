// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/network/onnx/refused.h"

/// Files that would take much memory or time: each is refused early, or read within the bounds.
namespace tandem::network {
namespace {

using test::ModelBuilder;
using test::set;

using Bounds = test::RefusedModels;

ModelBuilder of_nodes(int count) {
  ModelBuilder b;
  b.input("x0", {1, 1, 2, 2});
  for (int i = 0; i < count; ++i)
    b.node("Relu", {"x" + std::to_string(i)}, {"x" + std::to_string(i + 1)});
  b.output("x" + std::to_string(count));
  return b;
}

TEST_F(Bounds, ManyNodes) {
  EXPECT_EQ(read(of_nodes(20000)).steps.size(), 20000u);
  expect_refused(of_nodes(100000), "more than 65536 steps");
}

TEST_F(Bounds, ManyEmptyMessages) {
  ModelBuilder b = ModelBuilder::of_conv();
  std::string bytes;
  b.model.SerializeToString(&bytes);
  std::string nodes;
  for (int i = 0; i < 5'000'000; ++i) nodes += std::string("\x0a\x00", 2);
  std::string length;
  for (std::size_t left = nodes.size(); left > 0; left >>= 7)
    length += static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  std::ofstream(path(), std::ios::binary) << bytes << '\x3a' << length << nodes;
  EXPECT_NE(error_of(path()).find("bytes of memory"), std::string::npos);
}

TEST_F(Bounds, DeepGraphs) {
  ModelBuilder b = ModelBuilder::of_conv();
  ::onnx::GraphProto* graph = &b.graph();
  for (int depth = 0; depth < 50; ++depth) {
    auto& attribute = *graph->add_node()->add_attribute();
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    graph = attribute.mutable_g();
  }
  expect_refused(b, "nested too deeply");
}

TEST_F(Bounds, DeepBytes) {
  std::string inner;
  for (int depth = 0; depth < 10000; ++depth) inner = '\x0b' + inner + '\x0c';  // groups
  std::ofstream(path(), std::ios::binary) << inner;
  EXPECT_NE(error_of(path()).find("damaged"), std::string::npos);
}

TEST_F(Bounds, ConstantsThatAreComputed) {
  ModelBuilder filled = ModelBuilder::of_conv();
  filled.integers("sides", {1 << 14, 1 << 13});
  filled.node("ConstantOfShape", {"sides"}, {"zeros"});
  expect_refused(filled, "more work on constants");

  ModelBuilder expanded = ModelBuilder::of_conv();
  expanded.integers("sides", {1 << 11, 1 << 11});
  expanded.weight("one", {1}, {1});
  for (int i = 0; i < 10; ++i)
    expanded.node("Expand", {"one", "sides"}, {"ones" + std::to_string(i)});
  expect_refused(expanded, "more work on constants");

  ModelBuilder doubled = ModelBuilder::of_conv();
  doubled.integers("x0", {1, 2, 3, 4});
  for (int i = 0; i < 60; ++i)
    set(doubled.node("Concat", {"x" + std::to_string(i), "x" + std::to_string(i)},
                     {"x" + std::to_string(i + 1)}),
        "axis", 0);
  expect_refused(doubled, "than are read");

  ModelBuilder product = ModelBuilder::of_conv();
  product.weight("a", {4000, 1}, std::vector<float>(4000, 1));
  product.weight("b", {1, 4000}, std::vector<float>(4000, 1));
  product.node("MatMul", {"a", "b"}, {"c"});
  expect_refused(product, "more work on constants");
}

TEST_F(Bounds, RangesAndGathers) {
  ModelBuilder range = ModelBuilder::of_conv();
  for (const auto& [name, element] : {std::pair("first", 0), {"limit", 1 << 30}, {"step", 1}})
    range.integers(name, {element});
  range.node("Range", {"first", "limit", "step"}, {"numbers"});
  expect_refused(range, "too many elements");

  ModelBuilder gather = ModelBuilder::of_conv();
  std::vector<int64_t> places;
  for (int i = 0; i < 1000; ++i) places.push_back(i * i % 4);
  gather.integers("places", places);
  set(gather.node("Gather", {"image", "places"}, {"part"}), "axis", 2);
  expect_refused(gather, "indices without order");
}

TEST_F(Bounds, LongNames) {
  ModelBuilder b = ModelBuilder::of_conv();
  b.first().set_name(std::string(1 << 20, 'x'));
  expect_refused(b, "its name is too long");
}

TEST_F(Bounds, ManyNormalisationsAfterOneConvolution) {
  ModelBuilder b;
  b.input("image", {1, 1, 2, 2});
  constexpr int kChannels = 1 << 20;
  b.weight("weights", {kChannels, 1, 1, 1}, std::vector<float>(kChannels, 1));
  b.weight("factor", {1}, {1.5f});
  b.node("Conv", {"image", "weights"}, {"x0"});
  constexpr int kNodes = 60;
  for (int i = 0; i < kNodes; ++i)
    b.node("Mul", {"x" + std::to_string(i), "factor"}, {"x" + std::to_string(i + 1)});
  b.output("x" + std::to_string(kNodes));
  const Network network = read(b);
  EXPECT_GT(network.steps.size(), 1u);
  EXPECT_LT(network.steps.size(), std::size_t{kNodes});
}

}  // namespace
}  // namespace tandem::network
