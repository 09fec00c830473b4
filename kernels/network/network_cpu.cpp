// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/network_cpu.h"

#include <chrono>
#include <mutex>
#include <stdexcept>

#include "kernels/network/cpu/values.h"

namespace tandem::network {
namespace {

using cpu::Node;
using cpu::Plan;
using cpu::Tensor;

/// What one frame at a time is computed with: oneDNN's handles of the tensors, and where they are.
class Execution {
 public:
  explicit Execution(const Plan& plan);

  void bind(const Plan& plan, std::span<const float* const> inputs, std::span<float* const> outputs,
            void* memory);
  void run(const Node& node, std::size_t number);

 private:
  void* address(const Plan& plan, std::size_t tensor, std::span<const float* const> inputs,
                std::span<float* const> outputs, void* memory) const;

  dnnl::stream stream_;
  std::vector<std::size_t> roots_, offsets_;  // of each tensor
  std::vector<dnnl::memory> handles_;         // of each tensor that a primitive uses
  std::vector<float*> addresses_;             // of each tensor
  std::vector<dnnl_exec_arg_t> arguments_;    // of the primitives' nodes
  std::vector<float*> operands_;              // of the loops' nodes, as many in the same order
  std::vector<std::size_t> first_;            // of each node in either
};

Execution::Execution(const Plan& plan)
    : stream_(cpu::engine()), handles_(plan.tensors.size()), addresses_(plan.tensors.size()) {
  for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
    roots_.push_back(static_cast<std::size_t>(plan.root(static_cast<int>(t))));
    offsets_.push_back(plan.offset(static_cast<int>(t)));
  }
  for (const Node& node : plan.nodes) {
    first_.push_back(arguments_.size());
    for (const auto& [argument, tensor] : node.operands) {
      const auto t = static_cast<std::size_t>(tensor);
      if (!node.loop && !handles_[t])
        handles_[t] = dnnl::memory(plan.tensors[t].layout, cpu::engine(), DNNL_MEMORY_NONE);
      arguments_.push_back({argument, node.loop ? nullptr : handles_[t].get()});
    }
  }
  operands_.resize(arguments_.size());
}

void* Execution::address(const Plan& plan, std::size_t tensor, std::span<const float* const> inputs,
                         std::span<float* const> outputs, void* memory) const {
  const Tensor& root = plan.tensors[roots_[tensor]];
  std::size_t offset = offsets_[tensor];
  const void* begin = nullptr;
  switch (root.home) {
    case Tensor::Home::memory:
      begin = memory;
      offset += root.offset;
      break;
    case Tensor::Home::input:
      begin = inputs[root.number];
      break;
    case Tensor::Home::output:
      begin = outputs[root.number];
      break;
    case Tensor::Home::constant:
      begin = root.data;
      break;
  }
  // oneDNN and the loops take what they only read as changeable, too.
  return static_cast<std::byte*>(const_cast<void*>(begin)) + offset;
}

void Execution::bind(const Plan& plan, std::span<const float* const> inputs,
                     std::span<float* const> outputs, void* memory) {
  for (std::size_t t = 0; t < addresses_.size(); ++t) {
    auto* const now = static_cast<float*>(address(plan, t, inputs, outputs, memory));
    if (now == addresses_[t]) continue;
    addresses_[t] = now;
    if (handles_[t]) handles_[t].set_data_handle(now);
  }
  for (std::size_t n = 0; n < plan.nodes.size(); ++n)
    for (std::size_t o = 0; o < plan.nodes[n].operands.size(); ++o)
      operands_[first_[n] + o] =
          addresses_[static_cast<std::size_t>(plan.nodes[n].operands[o].second)];
}

void Execution::run(const Node& node, std::size_t number) {
  const std::size_t first = first_[number];
  if (node.loop) return node.loop(std::span(operands_).subspan(first, node.operands.size()));
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(node.primitive.get(), stream_.get(),
                             static_cast<int>(node.operands.size()), arguments_.data() + first),
      "oneDNN cannot execute a primitive");
}

}  // namespace

struct NetworkCpu::Private {
  std::shared_ptr<const Network> network;
  Plan plan;

  std::mutex lock;                               ///< of `idle` alone
  std::vector<std::unique_ptr<Execution>> idle;  ///< at most as many as frames were at once

  explicit Private(std::shared_ptr<const Network> of);
  std::unique_ptr<Execution> take();
  void give_back(std::unique_ptr<Execution> execution);
};

NetworkCpu::Private::Private(std::shared_ptr<const Network> of) : network(std::move(of)) {
  const cpu::OnThisThread alone;
  cpu::Values values(*network, plan);
  for (const Step& step : network->steps) {
    try {
      lower(values, step);
    } catch (const std::exception& error) {
      throw std::runtime_error("step " + step.name + " (" + name_of(step.operation) +
                               ") cannot be prepared for the cores: " + error.what());
    }
    ++values.step;
  }
  values.finish();
  plan.plan_offsets();
}

std::unique_ptr<Execution> NetworkCpu::Private::take() {
  const std::lock_guard guard(lock);
  if (idle.empty()) return {};
  auto taken = std::move(idle.back());
  idle.pop_back();
  return taken;
}

void NetworkCpu::Private::give_back(std::unique_ptr<Execution> execution) {
  const std::lock_guard guard(lock);
  idle.push_back(std::move(execution));
}

NetworkCpu::NetworkCpu(std::shared_ptr<const Network> network)
    : self_(std::make_unique<Private>(std::move(network))) {}
NetworkCpu::~NetworkCpu() = default;

std::size_t NetworkCpu::memory_bytes() const { return self_->plan.memory_bytes; }
std::size_t NetworkCpu::largest_live_set() const { return self_->plan.largest_live_set; }

bool NetworkCpu::run(std::span<const float* const> inputs, std::span<float* const> outputs,
                     void* memory, Stop stop, std::vector<uint64_t>* times_ns) const {
  using Clock = std::chrono::steady_clock;
  const cpu::OnThisThread alone;
  const std::vector<Node>& nodes = self_->plan.nodes;
  auto execution = self_->take();
  if (!execution) execution = std::make_unique<Execution>(self_->plan);
  execution->bind(self_->plan, inputs, outputs, memory);
  if (times_ns) times_ns->resize(self_->network->steps.size());
  bool all = true;
  int step = -1;
  Clock::time_point began = Clock::now();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].step != step && stop()) {
      all = false;
      break;
    }
    step = nodes[n].step;
    execution->run(nodes[n], n);
    if (!times_ns) continue;
    const Clock::time_point now = Clock::now();
    (*times_ns)[static_cast<std::size_t>(step)] += static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now - began).count());
    began = now;
  }
  self_->give_back(std::move(execution));
  return all;
}

}  // namespace tandem::network
