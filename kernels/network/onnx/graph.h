// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "kernels/network/network.h"
#include "kernels/network/onnx/tensor.h"

namespace tandem::network::reader {

/// An input or output of a node: a value of the network, or integers, which exist only while a file
/// is read.
struct Operand {
  bool constant = false;
  int value = kAbsent;  ///< in the network; kAbsent: integers
  Tensor integers;
};

/// The network while it is read. Operands are numbered as they are added.
class Graph {
 public:
  explicit Graph(Budget& budget) : budget_(budget) {}

  int add_input(const std::string& name, const Shape& shape);
  int add_constant(const std::string& name, Tensor tensor);
  /// Adds a step, or computes its result if all inputs are constants; kAbsent stands for an input
  /// that is not there. Throws Problem if the result is too large or a runtime input has integers.
  int add_step(const std::string& name, Operation operation, const std::vector<int>& inputs,
               const Shape& shape, Activation activation);
  /// Makes an operand an output of the network, with a step that copies where none computes it.
  void add_output(const std::string& name, int operand);

  const Operand& at(int operand) const { return operands_[static_cast<std::size_t>(operand)]; }
  const Shape& shape(int operand) const;
  const std::vector<float>& floats(int operand) const {
    return network_.of(at(operand).value).constant;
  }
  /// Names the value of a step as the file does.
  void rename(int operand, const std::string& name);
  std::size_t size() const { return operands_.size(); }
  Budget& budget() { return budget_; }
  Network take() { return std::move(network_); }

 private:
  int add(Operand operand);
  int add_value(const std::string& name, const Shape& shape);
  int push_step(const std::string& name, Operation operation, const std::vector<int>& inputs,
                const Shape& shape, Activation activation);

  Network network_;
  std::vector<Operand> operands_;
  std::vector<bool> output_;  // of each value: written by a step, and no output of the network yet
  Budget& budget_;
};

}  // namespace tandem::network::reader
