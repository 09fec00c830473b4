// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/network_cpu.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "kernels/network/cpu/values.h"

namespace tandem::network {
namespace {

using cpu::Node;
using cpu::Plan;
using cpu::Tensor;

}  // namespace

/// Computes one frame at a time. Holds oneDNN's handles of the tensors, and their addresses.
class NetworkCpu::Execution {
 public:
  explicit Execution(const Plan& plan);

  void bind(const Plan& plan, std::span<const float* const> inputs, std::span<float* const> outputs,
            void* memory);
  void run(const Node& node, std::size_t number, const dnnl::stream& stream);

 private:
  void* address(const Plan& plan, std::size_t tensor, std::span<const float* const> inputs,
                std::span<float* const> outputs, void* memory) const;

  std::vector<std::size_t> roots_, offsets_;  // of each tensor
  std::vector<dnnl::memory> handles_;         // of each tensor that a primitive uses
  std::vector<float*> addresses_;             // of each tensor
  std::vector<dnnl_exec_arg_t> arguments_;    // of the primitives' nodes
  std::vector<float*> operands_;              // of the loops' nodes, as many in the same order
  std::vector<std::size_t> first_;            // of each node in either
};

NetworkCpu::Execution::Execution(const Plan& plan)
    : handles_(plan.tensors.size()), addresses_(plan.tensors.size()) {
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

void* NetworkCpu::Execution::address(const Plan& plan, std::size_t tensor,
                                     std::span<const float* const> inputs,
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

void NetworkCpu::Execution::bind(const Plan& plan, std::span<const float* const> inputs,
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

void NetworkCpu::Execution::run(const Node& node, std::size_t number, const dnnl::stream& stream) {
  const std::size_t first = first_[number];
  if (node.loop) return node.loop(std::span(operands_).subspan(first, node.operands.size()));
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(node.primitive.get(), stream.get(),
                             static_cast<int>(node.operands.size()), arguments_.data() + first),
      "oneDNN cannot execute a primitive");
}

struct NetworkCpu::Private {
  std::shared_ptr<const Network> network;
  Plan plan;
  int last_shared = 0;  ///< the last step of Work with parts

  std::mutex lock;                               ///< a leaf: of what follows, and of frames
  std::vector<std::unique_ptr<Execution>> idle;  ///< at most as many as frames were at once
  std::size_t made = 0;

  Private(std::shared_ptr<const Network> of, const Sharing& sharing);
  std::unique_ptr<Execution> take();
  int steps() const { return 1 + static_cast<int>(plan.phases.size()); }  ///< of Work
};

NetworkCpu::Private::Private(std::shared_ptr<const Network> of, const Sharing& sharing)
    : network(std::move(of)) {
  const cpu::OnThisThread alone;
  cpu::Values values(*network, plan, sharing);
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
  for (int p = 0; p < static_cast<int>(plan.phases.size()); ++p)
    if (plan.parts_of(p) > 0) last_shared = p + 1;
}

std::unique_ptr<NetworkCpu::Execution> NetworkCpu::Private::take() {
  {
    const std::lock_guard guard(lock);
    if (!idle.empty()) {
      auto taken = std::move(idle.back());
      idle.pop_back();
      return taken;
    }
    idle.reserve(++made);  // giving one back allocates nothing
  }
  return std::make_unique<Execution>(plan);
}

/// A thread that computes a frame. The last one gives back what it is computed with.
class NetworkCpu::Guest {
 public:
  Guest(Private& of, Frame& frame) : of_(of), frame_(frame) {
    const std::lock_guard guard(of_.lock);
    late_ = frame_.over_;
    ++frame_.guests_;
  }
  ~Guest() {
    const std::lock_guard guard(of_.lock);
    if (--frame_.guests_ > 0) return;
    frame_.over_ = true;
    if (frame_.execution_) of_.idle.emplace_back(frame_.execution_);
    frame_.execution_ = nullptr;
  }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  /// All others have left: the frame is done, or of no use.
  bool is_late() const { return late_; }

 private:
  Private& of_;
  Frame& frame_;
  bool late_ = false;
};

/// The network for SharedRows. Step 0 makes the execution ready, the others are the phases. Rows
/// are parts of a phase, or one is the whole: parts alone are slower, by 5% in some networks.
struct NetworkCpu::Work {
  Private& of;
  Frame& frame;
  std::span<const float* const> inputs;
  std::span<float* const> outputs;
  void* memory;
  std::vector<uint64_t>* times_ns = nullptr;
  const dnnl::stream stream = dnnl::stream(cpu::engine());  // not for several threads

  int steps() const { return of.steps(); }
  int rows(int step) const;
  int ahead() const { return 0; }
  int least_steal() const { return 1; }
  int part() const { return 1; }
  bool awaits(int step) const { return step < of.last_shared; }
  void compute(const SharedRows::Part& part) const;
};

int NetworkCpu::Work::rows(int step) const {
  const int parts = step == 0 ? 0 : of.plan.parts_of(step - 1);
  // Threads that help are still on their way to the first one.
  frame.divided_ = parts > 0 && (step == 1 || frame.guests_ > 1);
  return frame.divided_ ? parts : 1;
}

void NetworkCpu::Work::compute(const SharedRows::Part& part) const {
  if (part.step == 0) {
    auto execution = of.take();
    execution->bind(of.plan, inputs, outputs, memory);
    frame.execution_ = execution.release();
    return;
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point began = times_ns ? Clock::now() : Clock::time_point();
  const auto number =
      static_cast<std::size_t>(of.plan.phases[static_cast<std::size_t>(part.step - 1)] +
                               (frame.divided_ ? 1 + part.rows.begin : 0));
  const Node& node = of.plan.nodes[number];
  frame.execution_->run(node, number, stream);
  if (!times_ns) return;
  (*times_ns)[static_cast<std::size_t>(node.step)] += static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count());
}

NetworkCpu::NetworkCpu(std::shared_ptr<const Network> network, Sharing sharing) {
  if (sharing.threads == 0) sharing.threads = static_cast<int>(std::thread::hardware_concurrency());
  sharing.threads = std::max(1, sharing.threads);
  self_ = std::make_unique<Private>(std::move(network), sharing);
}
NetworkCpu::~NetworkCpu() = default;

std::size_t NetworkCpu::memory_bytes() const { return self_->plan.memory_bytes; }
std::size_t NetworkCpu::largest_live_set() const { return self_->plan.largest_live_set; }

bool NetworkCpu::run(std::span<const float* const> inputs, std::span<float* const> outputs,
                     void* memory, Stop stop, std::vector<uint64_t>* times_ns) const {
  const cpu::OnThisThread alone;
  if (times_ns) times_ns->resize(self_->network->steps.size());
  Frame frame;
  const Guest guest(*self_, frame);
  frame.progress_.share(Work{*self_, frame, inputs, outputs, memory, times_ns}, stop);
  return is_done(frame);
}

void NetworkCpu::share(Frame& frame, std::span<const float* const> inputs,
                       std::span<float* const> outputs, void* memory, Stop stop) const noexcept {
  try {
    const cpu::OnThisThread alone;
    const Guest guest(*self_, frame);
    if (!guest.is_late()) frame.progress_.share(Work{*self_, frame, inputs, outputs, memory}, stop);
  } catch (const std::exception&) {
    // The frame is not done.
  }
}

bool NetworkCpu::is_done(const Frame& frame) const {
  return frame.progress_.is_done(self_->steps());
}

}  // namespace tandem::network
