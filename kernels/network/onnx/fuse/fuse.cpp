// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/fuse/fuse.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "kernels/network/network.h"

namespace tandem::network {
namespace {

// x becomes factor x + offset.
struct Affine {
  double factor = 1, offset = 0;
};

std::optional<Affine> affine_of(Binary::Kind kind, double constant, bool constant_is_second) {
  switch (kind) {
    case Binary::Kind::add:
      return Affine{1, constant};
    case Binary::Kind::subtract:
      return constant_is_second ? Affine{1, -constant} : Affine{-1, constant};
    case Binary::Kind::multiply:
      return Affine{constant, 0};
    case Binary::Kind::divide:
      if (constant_is_second && constant != 0) return Affine{1 / constant, 0};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Whether a constant of `shape` has one element, or one for each channel of 1 x C x H x W.
bool is_of_channels(const Shape& shape, int64_t channels) {
  if (shape.size() > 4) return false;
  for (std::size_t side = 0; side < shape.size(); ++side) {
    const bool of_channels = shape.size() - side == 3;
    if (shape[side] != 1 && !(of_channels && shape[side] == channels)) return false;
  }
  return true;
}

bool finite(const std::vector<float>& all) {
  return std::ranges::all_of(all, [](float one) { return std::isfinite(one); });
}

// The factor and offset that `binary` applies to each channel; empty where it is not affine.
std::vector<Affine> affine_of_channels(const Step& binary, const std::vector<float>& constant,
                                       std::size_t channels, bool constant_is_second) {
  std::vector<Affine> result;
  for (std::size_t c = 0; c < channels; ++c) {
    const double one = constant[constant.size() == 1 ? 0 : c];
    const auto affine = affine_of(std::get<Binary>(binary.operation).kind, one, constant_is_second);
    if (!affine) return {};
    result.push_back(*affine);
  }
  return result;
}

void set_constant(Network& network, int& input, Value value) {
  input = static_cast<int>(network.values.size());
  network.values.push_back(std::move(value));
}

/// Changes the weights and the bias of `conv` so that it computes what `binary` makes of its
/// result, which is the first or the second input of `binary`. Changed constants are new values at
/// the network's end. Returns whether it could: the other input is a constant of one element or of
/// one a channel, and no weight overflows. Takes from `left` the weights that it multiplies, and
/// does nothing where there are more.
bool fold_scale(Network& network, Step& conv, const Step& binary, bool conv_is_first,
                int64_t& left) {
  const Value& constant = network.of(binary.inputs[conv_is_first ? 1 : 0]);
  const auto channels = static_cast<std::size_t>(network.of(conv.output).shape[1]);
  if (constant.constant.empty() || !is_of_channels(constant.shape, static_cast<int64_t>(channels)))
    return false;
  const auto affine = affine_of_channels(binary, constant.constant, channels, conv_is_first);
  if (affine.empty()) return false;
  const bool scales = std::ranges::any_of(affine, [](Affine a) { return a.factor != 1; });
  const int64_t cost =
      static_cast<int64_t>(channels) + (scales ? elements(network.of(conv.inputs[1]).shape) : 0);
  if (cost > left) return false;
  left -= cost;

  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kAbsent;
  Value bias = has_bias ? network.of(conv.inputs[2])
                        : Value{conv.name + " bias",
                                {static_cast<int64_t>(channels)},
                                std::vector<float>(channels)};
  for (std::size_t c = 0; c < channels; ++c)
    bias.constant[c] = static_cast<float>(bias.constant[c] * affine[c].factor + affine[c].offset);
  Value weights;
  if (scales) {
    weights = network.of(conv.inputs[1]);
    const std::size_t size = weights.constant.size() / channels;
    for (std::size_t i = 0; i < weights.constant.size(); ++i)
      weights.constant[i] = static_cast<float>(weights.constant[i] * affine[i / size].factor);
  }
  if (!finite(weights.constant) || !finite(bias.constant)) return false;
  conv.inputs.resize(3);
  if (scales) set_constant(network, conv.inputs[1], std::move(weights));
  set_constant(network, conv.inputs[2], std::move(bias));
  return true;
}

using Kind = Activation::Kind;

constexpr int kNobody = -1;

class Fusing {
 public:
  explicit Fusing(Network& network)
      : network_(network),
        steps_(network.steps),
        users_(network.values.size()),
        writer_(network.values.size(), kNobody),
        gone_(network.steps.size()) {
    for (const int output : network.outputs) ++users_[index(output)];
    for (std::size_t s = 0; s < steps_.size(); ++s) writer_[index(steps_[s].output)] = int(s);
  }

  void run() {
    drop_unused();
    for (const auto pass : {&Fusing::fold_constants, &Fusing::find_products, &Fusing::add_residual,
                            &Fusing::activate_before})
      for (std::size_t s = 0; s < steps_.size(); ++s)
        if (!gone_[s]) (this->*pass)(s);
    std::size_t kept = 0;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      if (gone_[s]) continue;
      if (kept != s) steps_[kept] = std::move(steps_[s]);
      ++kept;
    }
    steps_.resize(kept);
  }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  template <class Operation>
  static bool is(const Step& step) {
    return std::holds_alternative<Operation>(step.operation);
  }

  void drop_unused() {
    for (std::size_t s = steps_.size(); s-- > 0;) {
      gone_[s] = users_[index(steps_[s].output)] == 0;
      if (gone_[s]) continue;
      for (const int input : steps_[s].inputs)
        if (input != kAbsent) ++users_[index(input)];
    }
  }

  // The step that writes `value` if one more step can be fused into it; null otherwise.
  Step* open_writer(int value) {
    if (value == kAbsent || writer_[index(value)] == kNobody || users_[index(value)] != 1)
      return nullptr;
    Step& step = steps_[index(writer_[index(value)])];
    return step.activation.kind == Kind::none ? &step : nullptr;
  }

  // `into`, which wrote the only input of `s` that changes, does the work of `s`, too.
  void replace(std::size_t s, Step& into) {
    const int output = steps_[s].output;
    users_[index(into.output)] = 0;
    writer_[index(into.output)] = kNobody;
    writer_[index(output)] = static_cast<int>(&into - steps_.data());
    into.output = output;
    gone_[s] = true;
  }

  void fold_constants(std::size_t s) {
    if (!is<Binary>(steps_[s]) || steps_[s].activation.kind != Kind::none) return;
    for (const std::size_t side : {0, 1}) {
      Step* const conv = open_writer(steps_[s].inputs[side]);
      if (!conv || !is<Convolution>(*conv) || conv->inputs.size() > 3) continue;
      const int weights = conv->inputs[1];
      if (!fold_scale(network_, *conv, steps_[s], side == 0, weights_left_)) continue;
      users_.resize(network_.values.size(), 1);
      writer_.resize(network_.values.size(), kNobody);
      if (conv->inputs[1] != weights && --users_[index(weights)] == 0)
        network_.values[index(weights)].constant = {};
      return replace(s, *conv);
    }
  }

  // x f(x), where f(x) has no other user.
  void find_products(std::size_t s) {
    const auto* const product = std::get_if<Binary>(&steps_[s].operation);
    if (!product || product->kind != Binary::Kind::multiply ||
        steps_[s].activation.kind != Kind::none)
      return;
    for (const std::size_t side : {0, 1}) {
      const int of = steps_[s].inputs[side], x = steps_[s].inputs[1 - side];
      if (writer_[index(of)] == kNobody || users_[index(of)] != 1) continue;
      const auto f = index(writer_[index(of)]);
      const Activation& activation = steps_[f].activation;
      if (!is<Unary>(steps_[f]) || steps_[f].inputs[0] != x) continue;
      const bool silu = activation.kind == Kind::sigmoid;
      const bool swish = activation.kind == Kind::hard_sigmoid &&
                         std::abs(activation.alpha - 1.0f / 6) < 1e-6f && activation.beta == 0.5f;
      if (!silu && !swish) continue;
      steps_[s].operation = Unary{};
      steps_[s].activation = {silu ? Kind::silu : Kind::hard_swish};
      steps_[s].inputs = {x};
      --users_[index(x)];
      users_[index(of)] = 0;
      gone_[f] = true;
      return;
    }
  }

  // The convolution moves to the sum, where both addends exist.
  void add_residual(std::size_t s) {
    const auto* const sum = std::get_if<Binary>(&steps_[s].operation);
    if (!sum || sum->kind != Binary::Kind::add || steps_[s].activation.kind != Kind::none) return;
    Step* best = nullptr;
    int addend = kAbsent;
    for (const std::size_t side : {0, 1}) {
      Step* const conv = open_writer(steps_[s].inputs[side]);
      const int other = steps_[s].inputs[1 - side];
      if (!conv || !is<Convolution>(*conv) || conv->inputs.size() > 3 || conv < best ||
          !network_.of(other).constant.empty() ||
          network_.of(other).shape != network_.of(conv->output).shape)
        continue;
      best = conv;
      addend = other;
    }
    if (!best) return;
    best->inputs.resize(3, kAbsent);
    best->inputs.push_back(addend);
    const auto from = static_cast<std::size_t>(best - steps_.data());
    replace(s, *best);
    steps_[s] = std::move(*best);
    gone_[s] = false;
    gone_[from] = true;
    writer_[index(steps_[s].output)] = static_cast<int>(s);
  }

  void activate_before(std::size_t s) {
    if (!is<Unary>(steps_[s])) return;
    Step* const before = open_writer(steps_[s].inputs[0]);
    if (!before || is<Reshape>(*before)) return;
    before->activation = steps_[s].activation;
    replace(s, *before);
  }

  Network& network_;
  std::vector<Step>& steps_;
  std::vector<int> users_;                   // of each value: steps, and the network's outputs
  std::vector<int> writer_;                  // of each value
  std::vector<bool> gone_;                   // of each step
  int64_t weights_left_ = int64_t{1} << 26;  // to multiply: bounds memory and time
};

// Drops values that no step has, and numbers the others anew.
void drop_values(Network& network) {
  std::vector<int> number(network.values.size(), kAbsent);
  const auto mark = [&](int value) {
    if (value != kAbsent) number[static_cast<std::size_t>(value)] = 0;
  };
  std::ranges::for_each(network.inputs, mark);
  for (const Step& step : network.steps) {
    std::ranges::for_each(step.inputs, mark);
    mark(step.output);
  }
  std::size_t kept = 0;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] == kAbsent) continue;
    number[v] = static_cast<int>(kept);
    if (kept != v) network.values[kept] = std::move(network.values[v]);
    ++kept;
  }
  network.values.resize(kept);
  const auto renumber = [&](int& value) {
    if (value != kAbsent) value = number[static_cast<std::size_t>(value)];
  };
  std::ranges::for_each(network.inputs, renumber);
  std::ranges::for_each(network.outputs, renumber);
  for (Step& step : network.steps) {
    std::ranges::for_each(step.inputs, renumber);
    renumber(step.output);
  }
}

}  // namespace

void fuse(Network& network) {
  Fusing(network).run();
  drop_values(network);
}

}  // namespace tandem::network
