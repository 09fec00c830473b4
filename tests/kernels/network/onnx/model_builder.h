// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace tandem::network::test {

/// An ONNX model, right or wrong.
class ModelBuilder {
 public:
  ::onnx::ModelProto model;

  explicit ModelBuilder(int opset = 13) {
    model.set_ir_version(7);
    model.add_opset_import()->set_version(opset);
    model.mutable_graph()->set_name("test");
  }

  ::onnx::GraphProto& graph() { return *model.mutable_graph(); }

  ::onnx::ValueInfoProto& input(const std::string& name, const std::vector<int64_t>& sides) {
    ::onnx::ValueInfoProto& info = *graph().add_input();
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    type.mutable_shape();
    for (const int64_t side : sides) type.mutable_shape()->add_dim()->set_dim_value(side);
    return info;
  }

  void output(const std::string& name) { graph().add_output()->set_name(name); }

  ::onnx::TensorProto& weight(const std::string& name, const std::vector<int64_t>& sides,
                              const std::vector<float>& elements) {
    ::onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(::onnx::TensorProto::FLOAT);
    for (const int64_t side : sides) tensor.add_dims(side);
    for (const float element : elements) tensor.add_float_data(element);
    return tensor;
  }

  ::onnx::TensorProto& integers(const std::string& name, const std::vector<int64_t>& elements) {
    ::onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(::onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<int64_t>(elements.size()));
    for (const int64_t element : elements) tensor.add_int64_data(element);
    return tensor;
  }

  ::onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
    ::onnx::NodeProto& node = *graph().add_node();
    node.set_op_type(type);
    node.set_name("the " + type);
    for (const std::string& name : inputs) node.add_input(name);
    for (const std::string& name : outputs) node.add_output(name);
    return node;
  }

  /// An image of 2 x 4 x 4, a convolution of its and the convolution's output.
  static ModelBuilder of_conv(int opset = 13) {
    ModelBuilder b(opset);
    b.input("image", {1, 2, 4, 4});
    b.weight("weights", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
    b.node("Conv", {"image", "weights"}, {"result"});
    b.output("result");
    return b;
  }

  ::onnx::NodeProto& first() { return *graph().mutable_node(0); }

  void write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    model.SerializeToOstream(&file);
  }
};

inline void set(::onnx::NodeProto& node, const std::string& name, int64_t integer) {
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(::onnx::AttributeProto::INT);
  attribute.set_i(integer);
}

inline void set(::onnx::NodeProto& node, const std::string& name,
                const std::vector<int64_t>& integers) {
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(::onnx::AttributeProto::INTS);
  for (const int64_t integer : integers) attribute.add_ints(integer);
}

}  // namespace tandem::network::test
