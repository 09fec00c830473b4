// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/cpu/plan.h"

#include <algorithm>
#include <limits>
#include <new>

#include "kernels/network/memory_plan.h"

namespace tandem::network::cpu {
namespace {

constexpr std::size_t kLine = 64;  // bytes: what a frame's memory is aligned to

Tensor& at(std::vector<Tensor>& tensors, int tensor) {
  return tensors[static_cast<std::size_t>(tensor)];
}
const Tensor& at(const std::vector<Tensor>& tensors, int tensor) {
  return tensors[static_cast<std::size_t>(tensor)];
}

}  // namespace

void Plan::Free::operator()(float* data) const {
  ::operator delete[](data, std::align_val_t{kLine});
}

int Plan::root(int tensor) const {
  while (at(tensors, tensor).inside >= 0) tensor = at(tensors, tensor).inside;
  return tensor;
}

std::size_t Plan::offset(int tensor) const {
  std::size_t offset = 0;
  for (; at(tensors, tensor).inside >= 0; tensor = at(tensors, tensor).inside)
    offset += at(tensors, tensor).offset;
  return offset;
}

std::size_t Plan::bytes(int tensor) const { return at(tensors, tensor).layout.get_size(); }

int Plan::add(Tensor tensor) {
  tensors.push_back(std::move(tensor));
  return static_cast<int>(tensors.size()) - 1;
}

float* Plan::add_constant(const Layout& layout, int& tensor) {
  constants_.emplace_back(new (std::align_val_t{kLine}) float[layout.get_size() / sizeof(float)]());
  tensor = add({.layout = layout, .home = Tensor::Home::constant, .data = constants_.back().get()});
  return constants_.back().get();
}

void Plan::place(int tensor, int outer, std::size_t offset) {
  at(tensors, tensor).inside = outer;
  at(tensors, tensor).offset = offset;
}

void Plan::run(int step, dnnl::primitive primitive, std::vector<std::pair<int, int>> operands) {
  push({step, 0, std::move(primitive), {}, std::move(operands)});
}

void Plan::run(int step, Loop loop, std::vector<int> operands) {
  push({step, 0, {}, std::move(loop), {}});
  for (const int tensor : operands) nodes.back().operands.emplace_back(0, tensor);
}

void Plan::push(Node node) {
  node.phase = static_cast<int>(phases.size());
  phases.push_back(static_cast<int>(nodes.size()));
  nodes.push_back(std::move(node));
}

void Plan::run_part(dnnl::primitive primitive, std::vector<std::pair<int, int>> operands) {
  const Node& whole = nodes.back();
  nodes.push_back({whole.step, whole.phase, std::move(primitive), {}, std::move(operands)});
}

int Plan::parts_of(int phase) const {
  const auto next = static_cast<std::size_t>(phase + 1);
  const int end = next < phases.size() ? phases[next] : static_cast<int>(nodes.size());
  return end - phases[next - 1] - 1;
}

void Plan::plan_offsets() {
  constexpr int kNever = std::numeric_limits<int>::max();
  std::vector<Lifetime> lifetimes(tensors.size(), {0, kNever, -1});
  for (const Node& node : nodes) {
    for (const auto& [argument, tensor] : node.operands) {
      Lifetime& life = lifetimes[static_cast<std::size_t>(root(tensor))];
      life.first = std::min(life.first, node.phase);
      life.last = std::max(life.last, node.phase);
    }
  }
  std::vector<Lifetime> buffers;
  std::vector<int> roots;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].home != Tensor::Home::memory || tensors[t].inside >= 0) continue;
    if (lifetimes[t].last < 0) continue;
    lifetimes[t].bytes = bytes(static_cast<int>(t));
    buffers.push_back(lifetimes[t]);
    roots.push_back(static_cast<int>(t));
  }
  const MemoryPlan plan = plan_memory(buffers, kLine);
  for (std::size_t b = 0; b < buffers.size(); ++b) at(tensors, roots[b]).offset = plan.offsets[b];
  memory_bytes = plan.bytes;
  largest_live_set = network::largest_live_set(buffers, kLine);
}

}  // namespace tandem::network::cpu
