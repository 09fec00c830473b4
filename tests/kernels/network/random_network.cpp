// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/network/random_network.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <sstream>

namespace tandem::check {
namespace {

using network::Activation;
using network::Network;
using network::Shape;

constexpr std::align_val_t kAlignment{64};

void fill(std::mt19937& random, float least, float greatest, float* data, std::size_t count) {
  std::uniform_real_distribution<float> uniform(least, greatest);
  for (std::size_t i = 0; i < count; ++i) data[i] = uniform(random);
}

std::size_t count_of(const Network& network, int value) {
  return static_cast<std::size_t>(network::elements(network.of(value).shape));
}

}  // namespace

Elements::Elements(std::size_t count)
    : size_(count), data_(new (kAlignment) float[std::max<std::size_t>(count, 1)]()) {}

void Elements::Free::operator()(float* data) const { ::operator delete[](data, kAlignment); }

int NetworkBuilder::add(const std::string& name, Shape shape) {
  network_.values.push_back({name, std::move(shape), {}});
  return static_cast<int>(network_.values.size()) - 1;
}

int NetworkBuilder::input(Shape shape) {
  const int value = add("input" + std::to_string(network_.inputs.size()), std::move(shape));
  network_.inputs.push_back(value);
  return value;
}

int NetworkBuilder::constant(Shape shape, std::vector<float> elements) {
  const int value = add("constant" + std::to_string(network_.values.size()), std::move(shape));
  network_.values.back().constant = std::move(elements);
  return value;
}

int NetworkBuilder::constant(Shape shape) {
  std::vector<float> data(static_cast<std::size_t>(network::elements(shape)));
  fill(random_, least, greatest, data.data(), data.size());
  return constant(std::move(shape), std::move(data));
}

int NetworkBuilder::step(network::Operation operation, std::vector<int> inputs, Shape output,
                         Activation activation) {
  const std::string name = name_of(operation) + std::to_string(network_.steps.size());
  const int value = add(name, std::move(output));
  network_.steps.push_back({name, std::move(operation), std::move(inputs), value, activation});
  return value;
}

int window_samples(const network::Window& w, int axis, int in) {
  const auto a = static_cast<std::size_t>(axis);
  const int covered = (w.kernel[a] - 1) * w.dilation[a] + 1;
  return (in + w.before[a] + w.after[a] - covered) / w.stride[a] + 1;
}

int NetworkBuilder::convolution(int image, int channels, network::Convolution convolution,
                                bool bias, int residual, Activation activation) {
  const Shape in = shape(image);
  const network::Window& w = convolution.window;
  const Shape weights{channels, in[1] / convolution.groups, w.kernel[0], w.kernel[1]};
  std::vector<float> data(static_cast<std::size_t>(network::elements(weights)));
  const float spread = std::sqrt(static_cast<float>(channels) / static_cast<float>(data.size()));
  fill(random_, least * 2 * spread, greatest * 2 * spread, data.data(), data.size());
  std::vector<int> inputs{image, constant(weights, std::move(data)),
                          bias ? constant({channels}) : network::kAbsent, residual};
  while (inputs.back() == network::kAbsent) inputs.pop_back();
  return step(convolution, inputs,
              {1, channels, window_samples(w, 0, static_cast<int>(in[2])),
               window_samples(w, 1, static_cast<int>(in[3]))},
              activation);
}

std::shared_ptr<const Network> NetworkBuilder::finish(std::vector<int> outputs) {
  network_.outputs = std::move(outputs);
  return std::make_shared<const Network>(std::move(network_));
}

std::vector<Elements> random_inputs(std::mt19937& random, const Network& network, float least,
                                    float greatest) {
  std::vector<Elements> inputs;
  for (const int value : network.inputs) {
    inputs.emplace_back(count_of(network, value));
    fill(random, least, greatest, inputs.back().data(), inputs.back().size());
  }
  return inputs;
}

std::vector<Elements> room_for_outputs(const Network& network) {
  std::vector<Elements> outputs;
  for (const int value : network.outputs) {
    outputs.emplace_back(count_of(network, value));
    std::fill_n(outputs.back().data(), outputs.back().size(), std::nanf(""));
  }
  return outputs;
}

std::vector<const float*> read_only(const std::vector<Elements>& values) {
  std::vector<const float*> all;
  for (const Elements& value : values) all.push_back(value.data());
  return all;
}

std::vector<float*> writable(std::vector<Elements>& values) {
  std::vector<float*> all;
  for (Elements& value : values) all.push_back(value.data());
  return all;
}

std::vector<Elements> reference_outputs(const Network& network,
                                        const std::vector<Elements>& inputs) {
  std::vector<Elements> outputs = room_for_outputs(network);
  network_ref(network, read_only(inputs), writable(outputs));
  return outputs;
}

testing::AssertionResult close_to(const Network& network, const std::vector<Elements>& expected,
                                  const std::vector<Elements>& found, float tolerance) {
  for (std::size_t o = 0; o < expected.size(); ++o) {
    float largest = 0, difference = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < expected[o].size(); ++i) {
      largest = std::max(largest, std::abs(expected[o][i]));
      const float here = std::abs(expected[o][i] - found[o][i]);
      if (here <= difference) continue;  // false for NaN
      difference = here;
      where = i;
      if (std::isnan(here)) break;
    }
    if (difference <= tolerance * largest) continue;
    return testing::AssertionFailure()
           << "output " << o << ", element " << where << ": expected " << expected[o][where]
           << ", found " << found[o][where] << ", largest " << largest << "\n"
           << describe(network);
  }
  return testing::AssertionSuccess();
}

std::string describe(const Network& network) {
  std::ostringstream out;
  const auto write = [&](int value) {
    out << " " << value << "(";
    if (value != network::kAbsent)
      for (const int64_t side : network.of(value).shape) out << side << " ";
    out << ")";
  };
  for (const network::Step& step : network.steps) {
    out << step.name << ":";
    for (const int input : step.inputs) write(input);
    out << " ->";
    write(step.output);
    const auto window = [&](const network::Window& w) {
      for (std::size_t a = 0; a < 2; ++a)
        out << (a ? " x" : " window k") << w.kernel[a] << " s" << w.stride[a] << " d"
            << w.dilation[a] << " p" << w.before[a] << "," << w.after[a];
    };
    if (const auto* c = std::get_if<network::Convolution>(&step.operation)) {
      window(c->window);
      out << " groups " << c->groups;
    }
    if (const auto* p = std::get_if<network::Pool>(&step.operation)) {
      window(p->window);
      out << " kind " << static_cast<int>(p->kind) << " counts " << p->counts_padding;
    }
    if (const auto* b = std::get_if<network::Binary>(&step.operation))
      out << " kind " << static_cast<int>(b->kind);
    if (const auto* r = std::get_if<network::Resize>(&step.operation))
      out << " mode " << static_cast<int>(r->mode) << " place " << static_cast<int>(r->place)
          << " round " << static_cast<int>(r->round);
    out << " activation " << static_cast<int>(step.activation.kind) << "\n";
  }
  return out.str();
}

}  // namespace tandem::check
