// SPDX-License-Identifier: LGPL-2.1-or-later
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "files/regular_file.h"
#include "kernels/network/have_networks.h"
#include "kernels/network/onnx/fuse/fuse.h"
#include "kernels/network/onnx/limits.h"
#include "kernels/network/onnx/operators/operators.h"
#include "kernels/network/onnx/parsed_size.h"
#include "kernels/network/onnx/shapes.h"

namespace tandem::network {
namespace reader {
namespace {

/// Opsets whose operators are read.
constexpr int64_t kFirstOpset = 9, kLastOpset = 17;

struct ModelFile {
  ::onnx::ModelProto model;
  int opset = 0;  ///< of the domain ai.onnx
};

// Below 3, initialisers and attributes have other rules.
constexpr int64_t kFirstIrVersion = 3;

int opset_of(const ::onnx::ModelProto& model) {
  int64_t opset = 0;
  for (const auto& import : model.opset_import()) {
    if (!import.domain().empty() && import.domain() != "ai.onnx") continue;
    if (opset != 0 && opset != import.version())
      throw Problem("it imports two opsets of the domain ai.onnx");
    opset = import.version();
  }
  if (opset < kFirstOpset || opset > kLastOpset)
    throw Problem("it has opset " + std::to_string(opset) + "; export it with an opset from " +
                  std::to_string(kFirstOpset) + " to " + std::to_string(kLastOpset));
  return static_cast<int>(opset);
}

/// Reads and parses an ONNX file of at most kMostFileBytes. Throws Problem.
ModelFile read_model_file(const std::string& path) {
  RegularFile file = read_regular_file(path, kMostFileBytes);
  if (!file.problem.empty()) throw Problem("it " + file.problem);
  check_parsed_size(file.bytes, *::onnx::ModelProto::descriptor());
  ModelFile result;
  if (!result.model.ParseFromString(file.bytes) || !result.model.has_graph())
    throw Problem("it is not an ONNX file, or is damaged; export or copy it again");
  if (result.model.ir_version() < kFirstIrVersion)
    throw Problem("it has version " + std::to_string(result.model.ir_version()) +
                  " of the format; export it again");
  result.opset = opset_of(result.model);
  return result;
}

bool is_onnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::string title_of(const ::onnx::NodeProto& node) {
  const std::string& name =
      !node.name().empty() || node.output().empty() ? node.name() : node.output(0);
  return "node " + in_quotes(name) + " (" + node.op_type() + "): ";
}

// Throws with all operators that are not supported, each with one of its nodes.
void check_operators(const ModelFile& file) {
  constexpr std::size_t kMostNames = 50;
  std::map<std::string, std::string> unknown;
  for (const auto& node : file.model.graph().node()) {
    if (is_onnx(node.domain()) && find_operator(node.op_type(), file.opset)) continue;
    const std::string name =
        is_onnx(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type();
    if (unknown.size() < kMostNames) unknown.try_emplace(name, node.name());
  }
  if (unknown.empty()) return;
  std::string list;
  for (const auto& [name, node] : unknown)
    list += (list.empty() ? "" : ", ") + in_quotes(name) + " (node " + in_quotes(node) + ")";
  throw Problem("operators are not supported in opset " + std::to_string(file.opset) + ": " + list +
                "; export it without them, or simplify it (for example with onnxsim)");
}

class Reading {
 public:
  Reading(ModelFile& file, const std::string& folder) : file_(file), folder_(folder) {}

  Network network() {
    ::onnx::GraphProto& graph = *file_.model.mutable_graph();
    if (graph.sparse_initializer_size() != 0) throw Problem("sparse weights are not supported");
    for (::onnx::TensorProto& tensor : *graph.mutable_initializer()) {
      add_name(tensor.name(),
               graph_.add_constant(tensor.name(), read_tensor(tensor, folder_, budget_)));
      ::onnx::TensorProto().Swap(&tensor);  // frees its bytes, which Clear() does not
    }
    for (const auto& input : graph.input()) add_input(input);
    if (!has_input_) throw Problem("it has no input");
    for (const auto& node : graph.node()) add_node(node);
    for (const auto& output : graph.output())
      graph_.add_output(output.name(), find(output.name(), "output"));
    if (graph.output().empty()) throw Problem("it has no outputs");
    return graph_.take();
  }

 private:
  void add_name(const std::string& name, int operand) {
    if (name.empty()) throw Problem("a value has no name");
    if (!names_.try_emplace(name, operand).second)
      throw Problem("value " + in_quotes(name) + " is defined twice");
  }

  int find(const std::string& name, const std::string& reader) const {
    const auto found = names_.find(name);
    if (found == names_.end())
      throw Problem(reader + " " + in_quotes(name) +
                    " is neither an input, nor a weight, nor an output of an earlier node");
    if (found->second == kAbsent)
      throw Problem(reader + " " + in_quotes(name) + " is an output that is not computed");
    return found->second;
  }

  void add_input(const ::onnx::ValueInfoProto& input) {
    // Weights were inputs, too, in early files.
    if (names_.contains(input.name())) {
      if (!weights_listed_.insert(input.name()).second || !is_weight(input.name()))
        throw Problem("value " + in_quotes(input.name()) + " is defined twice");
      return;
    }
    const std::string title = "input " + in_quotes(input.name());
    const auto& type = input.type().tensor_type();
    if (!input.type().has_tensor_type() || !is_floating(type.elem_type()))
      throw Problem(title + " has elements of type " + name_of_type(type.elem_type()) +
                    "; export it with FLOAT");
    if (!type.has_shape()) throw Problem(title + " has no shape; export it with static shapes");
    Shape shape;
    for (const auto& side : type.shape().dim()) {
      if (side.has_dim_value())
        shape.push_back(side.dim_value());
      else if (shape.empty())
        shape.push_back(1);  // a symbolic batch
      else
        throw Problem(title + ": side " + std::to_string(shape.size()) + " is " +
                      in_quotes(side.dim_param()) +
                      "; export with static shapes (in PyTorch, without dynamic_axes)");
      if (shape.size() > kMostSides) break;
    }
    add_name(input.name(), graph_.add_input(input.name(), shape));
    has_input_ = true;
  }

  bool is_weight(const std::string& name) const {
    const int operand = names_.at(name);
    return operand != kAbsent && graph_.at(operand).constant;
  }

  void add_node(const ::onnx::NodeProto& proto) {
    try {
      std::vector<int> inputs;
      for (const std::string& name : proto.input())
        inputs.push_back(name.empty() ? kAbsent : find(name, "input"));
      const Operator& by = *find_operator(proto.op_type(), file_.opset);
      if (inputs.size() < by.fewest_inputs || inputs.size() > by.most_inputs)
        throw Problem("it has " + std::to_string(inputs.size()) + " inputs");
      if (proto.output().empty()) throw Problem("it has no output");
      Node node(graph_, proto, file_.opset, folder_, std::move(inputs));
      by.lower(node);
      node.attributes.check_all_read();
      for (int i = 0; i < proto.output_size(); ++i)
        if (!proto.output(i).empty())
          add_name(proto.output(i), node.given()[static_cast<std::size_t>(i)]);
    } catch (const Problem& problem) {
      throw Problem(title_of(proto) + problem.what());
    }
  }

  ModelFile& file_;
  const std::string folder_;
  Budget budget_;
  Graph graph_{budget_};
  std::unordered_map<std::string, int> names_;  // of operands; kAbsent: not computed
  std::set<std::string> weights_listed_;
  bool has_input_ = false;
};

}  // namespace
}  // namespace reader

const bool kHaveNetworks = true;

Network read_network(const std::string& path) {
  try {
    reader::ModelFile file = reader::read_model_file(path);
    reader::check_operators(file);
    const std::string folder = std::filesystem::path(path).parent_path();
    Network network = reader::Reading(file, folder.empty() ? "." : folder).network();
    fuse(network);
    return network;
  } catch (const reader::Problem& problem) {
    throw std::runtime_error("network " + reader::in_quotes(path) + ": " + problem.what());
  }
}

}  // namespace tandem::network
