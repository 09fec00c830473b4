// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <string_view>

#include "kernels/network/onnx/node.h"

namespace tandem::network::reader {

/// How an operator of ONNX becomes steps.
struct Operator {
  const char* name;
  int first_opset, last_opset;
  std::size_t fewest_inputs, most_inputs;
  void (*lower)(Node& node);
};

inline constexpr int kLatestOpset = 1000;
inline constexpr std::size_t kAnyInputs = 10000;

/// Null: the operator is not supported.
const Operator* find_operator(std::string_view name, int opset);

// A file for each.
std::span<const Operator> activation_operators();
std::span<const Operator> arithmetic_operators();
std::span<const Operator> constant_operators();
std::span<const Operator> layout_operators();
std::span<const Operator> matmul_operators();
std::span<const Operator> resize_operators();
std::span<const Operator> slice_operators();
std::span<const Operator> window_operators();

/// A step on two operands, or its result on two constants, which may be integers.
int binary(Node& node, Binary::Kind kind, int a, int b);

}  // namespace tandem::network::reader
