// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/cpu/values.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tandem::network::cpu {
namespace {

constexpr int kCaller = std::numeric_limits<int>::max();  // reads outputs after all steps

dnnl::reorder::primitive_desc described_copy(const Layout& from, const Layout& to) {
  return {engine(), from, engine(), to, attributes_with()};
}

}  // namespace

Values::Values(const Network& network, Plan& plan, const Sharing& sharing)
    : network_(network), plan_(plan), sharing_(sharing), held_(network.values.size()) {
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const int value = network.inputs[i];
    held(value).tensors.push_back(
        plan.add({.layout = plain(shape(value)), .home = Tensor::Home::input, .number = i}));
  }
  for (std::size_t v = 0; v < held_.size(); ++v) {
    const Value& value = network.values[v];
    if (value.constant.empty()) continue;
    held_[v].tensors.push_back(plan.add({.layout = plain(value.shape),
                                         .home = Tensor::Home::constant,
                                         .data = value.constant.data()}));
  }
  for (std::size_t s = 0; s < network.steps.size(); ++s)
    for (const int input : network.steps[s].inputs)
      if (input != kAbsent) held(input).last_step = static_cast<int>(s);
  for (std::size_t o = 0; o < network.outputs.size(); ++o) {
    Held& output = held(network.outputs[o]);
    output.last_step = kCaller;
    if (!output.output) output.output = o;
  }
}

const Layout& Values::layout(int tensor) const {
  return plan_.tensors[static_cast<std::size_t>(tensor)].layout;
}

int Values::written(int value) const {
  return held_[static_cast<std::size_t>(value)].tensors.front();
}

void Values::copy(int from, int to) {
  const auto description = described_copy(layout(from), layout(to));
  plan_.run(step, description, dnnl::reorder(description),
            {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

int Values::constant(int value, const Layout& from, const Layout& to) {
  int tensor = 0;
  dnnl::memory wanted(to, engine(), plan_.add_constant(to, tensor));
  dnnl::memory given(from, engine(), const_cast<float*>(network_.of(value).constant.data()));
  dnnl::stream stream(engine());
  dnnl::reorder(given, wanted).execute(stream, given, wanted);
  stream.wait();
  return tensor;
}

int Values::in(int value, const Layout& wanted, const Layout* seen_as) {
  // Elements under other sides are other elements, even where the layouts are the same.
  const bool as_it_is = !seen_as || *seen_as == plain(shape(value));
  if (as_it_is)
    for (const int tensor : held(value).tensors)
      if (layout(tensor) == wanted) return tensor;
  int tensor = 0;
  if (is_constant(value)) {
    tensor = constant(value, seen_as ? *seen_as : plain(shape(value)), wanted);
  } else {
    const int from = as_it_is ? written(value) : inside(in_plain(value), *seen_as, 0);
    if (layout(from) == wanted) return from;
    tensor = plan_.add({.layout = wanted});
    copy(from, tensor);
  }
  if (as_it_is) held(value).tensors.push_back(tensor);
  return tensor;
}

int Values::filled_up(int value, int64_t elements) {
  if (network::elements(shape(value)) == elements) return in_plain(value);
  int tensor = 0;
  std::ranges::copy(network_.of(value).constant, plan_.add_constant(plain({elements}), tensor));
  return tensor;
}

int Values::room(int value, const Layout& wanted) {
  const auto& output = held(value).output;
  if (output && wanted == plain(shape(value)))
    return plan_.add({.layout = wanted, .home = Tensor::Home::output, .number = *output});
  return plan_.add({.layout = wanted});
}

void Values::activate(const Activation& activation, int from, int to) {
  for (const auto& description : described_activation(activation, layout(to))) {
    plan_.run(step, description, dnnl::eltwise_forward(description),
              {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    from = to;
  }
}

void Values::put(int value, int tensor, const Activation& activation) {
  activate(activation, tensor, tensor);
  Held& of = held(value);
  of.tensors.push_back(tensor);
  if (of.output && !is_output(tensor, *of.output)) {
    const int wanted = room(value, plain(shape(value)));
    copy(tensor, wanted);
    of.tensors.push_back(wanted);
  }
}

void Values::put_view(const Step& of, int tensor) {
  if (of.activation.kind == Activation::Kind::none) return put(of.output, tensor);
  const int output = room(of.output, layout(tensor));
  activate(of.activation, tensor, output);
  put(of.output, output);
}

bool Values::is_output(int tensor, std::size_t output) const {
  const Tensor& at = plan_.tensors[static_cast<std::size_t>(tensor)];
  return at.home == Tensor::Home::output && at.inside < 0 && at.number == output;
}

bool Values::dies(int tensor) const {
  const int memory = plan_.root(tensor);
  if (plan_.tensors[static_cast<std::size_t>(memory)].home != Tensor::Home::memory) return false;
  for (const Held& value : held_)
    for (const int other : value.tensors)
      if (plan_.root(other) == memory && value.last_step > step) return false;
  return true;
}

bool Values::movable(int tensor) const {
  const int memory = plan_.root(tensor);
  return plan_.tensors[static_cast<std::size_t>(memory)].home == Tensor::Home::memory &&
         plan_.offset(tensor) == 0 && plan_.bytes(tensor) == plan_.bytes(memory);
}

int Values::inside(int outer, const Layout& wanted, std::size_t offset) {
  Tensor part = plan_.tensors[static_cast<std::size_t>(outer)];
  part.layout = wanted;
  const int tensor = plan_.add(std::move(part));
  plan_.place(tensor, outer, offset);
  return tensor;
}

void Values::finish() {
  for (std::size_t o = 0; o < network_.outputs.size(); ++o) {
    const int value = network_.outputs[o];
    const int from = in_plain(value);
    bool there = false;
    for (const int tensor : held(value).tensors) there = there || is_output(tensor, o);
    if (there) continue;
    copy(from,
         plan_.add({.layout = plain(shape(value)), .home = Tensor::Home::output, .number = o}));
  }
}

void lower(Values& values, const Step& step) {
  std::visit([&](const auto& operation) { lower(values, step, operation); }, step.operation);
}

void lower_to_reference(Values& values, const Step& step) {
  std::vector<int> tensors;
  for (const int input : step.inputs)
    if (input != kAbsent) tensors.push_back(values.in_plain(input));
  const int output = values.room(step.output, plain(values.shape(step.output)));
  tensors.push_back(output);
  const auto compute = [&network = values.network(), &step](std::span<float* const> operands) {
    constexpr std::size_t kMostHere = 16;
    std::array<const float*, kMostHere> inputs{};
    std::size_t next = 0;
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      inputs[i] = step.inputs[i] == kAbsent ? nullptr : operands[next++];
    step_ref(network, step, std::span(inputs).first(step.inputs.size()), operands.back());
  };
  values.plan().run(values.step, compute, tensors);
  values.put(step.output, output);
}

}  // namespace tandem::network::cpu
