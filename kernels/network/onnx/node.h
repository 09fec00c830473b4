// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/network/onnx/graph.h"
#include "kernels/network/onnx/problem.h"

namespace tandem::network::reader {

/// The attributes of a node. Reading one of another type throws Problem.
class Attributes {
 public:
  explicit Attributes(const ::onnx::NodeProto& node);

  bool has(std::string_view name) const { return all_.contains(name); }
  int64_t integer(std::string_view name, int64_t otherwise);
  /// Finite.
  float number(std::string_view name, float otherwise);
  std::string text(std::string_view name, std::string_view otherwise);
  std::optional<std::vector<int64_t>> integers(std::string_view name);
  std::optional<std::vector<float>> numbers(std::string_view name);
  /// Null: not there.
  const ::onnx::TensorProto* tensor(std::string_view name);
  /// An attribute that changes nothing here.
  void ignore(std::string_view name);
  /// Throws Problem that names an attribute which nothing has read: it may change the result.
  void check_all_read() const;

 private:
  using Proto = ::onnx::AttributeProto;
  const Proto* find(std::string_view name, Proto::AttributeType type);

  struct Entry {
    const Proto* proto;
    bool read;
  };
  std::map<std::string_view, Entry> all_;
};

/// A node of the file while it becomes steps. Everything that does not fit throws Problem.
class Node {
 public:
  /// `inputs` are operands, kAbsent where the node leaves one out.
  Node(Graph& graph, const ::onnx::NodeProto& proto, int opset, const std::string& folder,
       std::vector<int> inputs);

  const int opset;            ///< of the file
  const std::string& folder;  ///< in which the file is
  Attributes attributes;
  Graph& graph;

  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  bool has(std::size_t input) const { return input < inputs_.size() && inputs_[input] != kAbsent; }
  int input(std::size_t input) const;
  Shape shape(std::size_t input) const { return graph.shape(this->input(input)); }
  /// The elements of an input that has to be a constant.
  const std::vector<int64_t>& integers(std::size_t input) const;
  const std::vector<float>& floats(std::size_t input) const;
  /// The only element of a constant.
  float scalar(std::size_t input) const;
  /// Integers that are an attribute in early opsets and an input in later ones.
  std::optional<std::vector<int64_t>> integers(std::string_view attribute, std::size_t input);

  /// A step of the network, or its result where all inputs are constants.
  int step(Operation operation, const std::vector<int>& operands, const Shape& shape,
           Activation activation = {});
  /// A constant whose elements are yet to be set, taken from the budget.
  Tensor room(const Shape& shape, bool integer);
  int constant(Tensor tensor);
  /// The operand with another shape of as many elements.
  int reshaped(int operand, const Shape& shape);
  /// Ends with an output of the node.
  void give(int operand, std::size_t output = 0);

  /// Operands of the outputs; kAbsent: not computed.
  const std::vector<int>& given() const { return given_; }

 private:
  const std::string name_;
  const std::vector<int> inputs_;
  std::vector<std::string> outputs_;
  std::vector<int> given_;
  const std::size_t first_own_;  // operands from here on are the node's
};

}  // namespace tandem::network::reader
