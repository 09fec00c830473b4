// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/network/cpu/onednn.h"

namespace tandem::network::cpu {

/// Elements in one layout. Several may be of one value of the network.
struct Tensor {
  enum class Home {
    memory,    ///< that of the frame
    input,     ///< caller's
    output,    ///< caller's
    constant,  ///< the same for all frames
  };
  Layout layout;
  Home home = Home::memory;
  std::size_t number = 0;       ///< of the input or output
  const float* data = nullptr;  ///< of a constant
  int inside = -1;              ///< the tensor that holds this one; -1: none
  std::size_t offset = 0;       ///< bytes from the beginning of that, or of the frame's memory
};

/// A loop of our own. The pointers are those of the node's operands.
using Loop = std::function<void(std::span<float* const>)>;

/// The code of a step: a primitive of oneDNN or a loop.
struct Node {
  int step = 0;
  int phase = 0;
  dnnl::primitive primitive;
  Loop loop;
  std::vector<std::pair<int, int>> operands;  ///< argument of the primitive, tensor
};

/// Tensors and nodes of a network. Offsets are planned once all nodes are there.
class Plan {
 public:
  /// The memory of the tensors that share with `tensor`.
  int root(int tensor) const;
  /// Bytes of `tensor` from the beginning of its root.
  std::size_t offset(int tensor) const;
  std::size_t bytes(int tensor) const;

  int add(Tensor tensor);
  /// A constant with memory of its own, to be written by the caller.
  float* add_constant(const Layout& layout, int& tensor);
  /// Places `tensor` in `outer`, `offset` bytes from its beginning.
  void place(int tensor, int outer, std::size_t offset);
  void run(int step, dnnl::primitive primitive, std::vector<std::pair<int, int>> operands);
  /// The same with the primitive's scratchpad.
  template <class Description>
  void run(int step, const Description& description, const dnnl::primitive& primitive,
           std::vector<std::pair<int, int>> operands) {
    if (description.scratchpad_desc().get_size() > 0)
      operands.emplace_back(DNNL_ARG_SCRATCHPAD, add({.layout = description.scratchpad_desc()}));
    run(step, primitive, std::move(operands));
  }
  void run(int step, Loop loop, std::vector<int> operands);
  /// A part of the node run last. All parts together do what it does, also at the same time.
  void run_part(dnnl::primitive primitive, std::vector<std::pair<int, int>> operands);

  /// Parts of a phase; 0: it is computed as a whole only.
  int parts_of(int phase) const;

  /// Gives each root of the frame's memory an offset.
  void plan_offsets();

  std::vector<Tensor> tensors;
  std::vector<Node> nodes;
  /// Numbers of nodes that need all those before. The parts of each follow it.
  std::vector<int> phases;
  std::size_t memory_bytes = 0, largest_live_set = 0;

 private:
  void push(Node node);

  struct Free {
    void operator()(float* data) const;
  };
  std::vector<std::unique_ptr<float[], Free>> constants_;
};

}  // namespace tandem::network::cpu
