// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "kernels/network/cpu/loops.h"
#include "kernels/network/cpu/values.h"

namespace tandem::network::cpu {
namespace {

using dnnl::memory;
using dnnl::prop_kind;
using Sides = memory::dims;
using ConvolutionDescription = dnnl::convolution_forward::primitive_desc;

// The first layer reads the caller's planes as they are.
constexpr int64_t kFewChannels = 4;

Sides two(const std::array<int, 2>& of) { return {of[0], of[1]}; }

/// Padding after the image that makes the windows end where the last one does.
Sides padding_after(const Window& w, const Shape& in, const Shape& out) {
  Sides after(2);
  for (std::size_t a = 0; a < 2; ++a) {
    const int64_t covered = (w.kernel[a] - 1) * w.dilation[a] + 1;
    after[a] = (out[2 + a] - 1) * w.stride[a] + covered - in[2 + a] - w.before[a];
  }
  return after;
}

/// The sides of the weights for the first `channels` of the output.
Sides weight_sides(Shape weights, int64_t groups, int64_t channels) {
  const int64_t each = weights[0] / groups;
  weights[0] = channels;
  if (groups == 1) return weights;
  Sides sides{channels / each, each};
  sides.insert(sides.end(), weights.begin() + 1, weights.end());
  return sides;
}

/// The convolution computes the first `channels` of the output.
ConvolutionDescription describe_convolution(const Values& values, const Step& step,
                                            const Convolution& c, const Layout& in,
                                            const Layout& out, int64_t channels) {
  const Shape& image = values.shape(step.inputs[0]);
  const Shape& result = values.shape(step.output);
  const Window& w = c.window;
  const bool bias = step.inputs.size() > 2 && step.inputs[2] != kAbsent;
  const bool residual = step.inputs.size() > 3 && step.inputs[3] != kAbsent;
  dnnl::post_ops after;
  if (residual) after.append_sum(1);
  append(after, step.activation);
  return described<dnnl::convolution_forward>(
      attributes_with(after), prop_kind::forward_inference, dnnl::algorithm::convolution_direct, in,
      any_layout(weight_sides(values.shape(step.inputs[1]), c.groups, channels)),
      bias ? plain({channels}) : Layout(), out, two(w.stride),
      Sides{w.dilation[0] - 1, w.dilation[1] - 1}, two(w.before), padding_after(w, image, result));
}

/// In blocks of channels, which concatenations and slices need not copy; else as oneDNN likes it.
ConvolutionDescription best_convolution(const Values& values, const Step& step,
                                        const Convolution& c) {
  const Shape& image = values.shape(step.inputs[0]);
  const Layout out = blocked(values.shape(step.output));
  const Layout in = image[1] <= kFewChannels && c.groups == 1 ? plain(image) : blocked(image);
  std::optional<ConvolutionDescription> best;
  for (const auto& [from, to] :
       {std::pair{in, out}, std::pair{any_layout(image), any_layout(values.shape(step.output))}}) {
    try {
      auto next = describe_convolution(values, step, c, from, to, values.shape(step.output)[1]);
      if (!is_reference(next.impl_info_str())) return next;
      if (!best) best = std::move(next);
    } catch (const dnnl::error&) {
      // No code for these layouts.
    }
  }
  if (!best) throw std::runtime_error("oneDNN has no convolution of this kind");
  return *best;
}

/// The time that oneDNN takes for blocks of output channels, in units of one block of many. It
/// computes up to four blocks of 8 channels at a time.
double time_of(int64_t blocks) {
  constexpr double kLeftOver[] = {0, 2.1, 2.6, 3.5};
  return channels_of_block() == 16 ? static_cast<double>(blocks)
                                   : static_cast<double>(blocks / 4 * 4) + kLeftOver[blocks % 4];
}

/// The number of equal parts with which the threads are done first; of several the least.
int64_t best_count(int64_t blocks, int64_t work, const Sharing& sharing) {
  int64_t best = 1;
  double best_time = time_of(blocks);
  for (int64_t count = 2; count <= blocks && work / count >= sharing.least_work; ++count) {
    if (blocks % count != 0) continue;
    const int64_t rounds = (count + sharing.threads - 1) / sharing.threads;
    const double time = static_cast<double>(rounds) * time_of(blocks / count);
    if (time >= best_time) continue;
    best = count;
    best_time = time;
  }
  return best;
}

struct Parts {
  int64_t count = 0;
  ConvolutionDescription description{};  ///< of each
};

/// Divides the output channels by whole blocks, whose weights follow each other. Count 0: it
/// cannot.
Parts divided(const Values& values, const Step& step, const Convolution& c,
              const ConvolutionDescription& whole) {
  Shape in = values.shape(step.inputs[0]), out = values.shape(step.output);
  const bool depthwise = c.groups > 1 && c.groups == in[1] && c.groups == out[1];
  if (whole.dst_desc() != blocked(out)) return {};
  if (depthwise ? whole.src_desc() != blocked(in) : c.groups > 1) return {};
  const int64_t block = channels_of_block(), blocks = (out[1] + block - 1) / block;
  // The last block is filled up with zeros, and what is computed from them.
  if (out[1] % block != 0 && activate(step.activation, 0) != 0) return {};
  const int64_t count = best_count(blocks, multiply_adds(values.network(), step), values.sharing());
  if (count == 1) return {};
  out[1] = blocks / count * block;
  if (depthwise) in[1] = out[1];
  try {
    auto part = describe_convolution(values, step, c, depthwise ? blocked(in) : whole.src_desc(),
                                     blocked(out), out[1]);
    const Sides sides = weight_sides(values.shape(step.inputs[1]), c.groups, out[1]);
    const Layout weights = whole.weights_desc().submemory_desc(sides, Sides(sides.size(), 0));
    // Scratchpads at the same time would make a frame's memory larger.
    if (!is_reference(part.impl_info_str()) && part.weights_desc() == weights &&
        part.scratchpad_desc().get_size() == 0)
      return {count, std::move(part)};
  } catch (const dnnl::error&) {
    // No code for them.
  }
  return {};
}

void run_parts(Values& values, const Step& step, const Convolution& c,
               const ConvolutionDescription& whole, int image, int weights, int output) {
  const auto [count, description] = divided(values, step, c, whole);
  if (count == 0) return;
  const dnnl::convolution_forward primitive(description);
  int bias = kAbsent;
  if (step.inputs.size() > 2 && step.inputs[2] != kAbsent) {
    const auto channels = static_cast<int64_t>(description.bias_desc().get_size() / sizeof(float));
    bias = values.filled_up(step.inputs[2], count * channels);
  }
  for (int64_t i = 0; i < count; ++i) {
    const auto part = [&](int tensor, const Layout& layout) {
      return values.inside(tensor, layout, static_cast<std::size_t>(i) * layout.get_size());
    };
    std::vector<std::pair<int, int>> operands{
        {DNNL_ARG_SRC, c.groups == 1 ? image : part(image, description.src_desc())},
        {DNNL_ARG_WEIGHTS, part(weights, description.weights_desc())},
        {DNNL_ARG_DST, part(output, description.dst_desc())}};
    if (bias != kAbsent) operands.emplace_back(DNNL_ARG_BIAS, part(bias, description.bias_desc()));
    values.plan().run_part(primitive, std::move(operands));
  }
}

}  // namespace

void lower(Values& values, const Step& step, const Convolution& convolution) {
  const auto description = best_convolution(values, step, convolution);
  const int image = values.in(step.inputs[0], description.src_desc());
  const Layout grouped = plain(
      weight_sides(values.shape(step.inputs[1]), convolution.groups, values.shape(step.output)[1]));
  const int weights = values.in(step.inputs[1], description.weights_desc(), &grouped);
  const Layout out = description.dst_desc();
  std::vector<std::pair<int, int>> operands{{DNNL_ARG_SRC, image}, {DNNL_ARG_WEIGHTS, weights}};
  if (step.inputs.size() > 2 && step.inputs[2] != kAbsent)
    operands.emplace_back(DNNL_ARG_BIAS, values.in_plain(step.inputs[2]));
  int output = 0;
  if (step.inputs.size() > 3 && step.inputs[3] != kAbsent) {
    // The sum is computed in the residual's memory where nobody needs it any more.
    const int residual = values.in(step.inputs[3], out);
    if (values.dies(residual) && values.plan().root(residual) != values.plan().root(image)) {
      output = values.inside(residual, out, 0);
    } else {
      output = values.room(step.output, out);
      values.copy(residual, output);
    }
  } else {
    output = values.room(step.output, out);
  }
  operands.emplace_back(DNNL_ARG_DST, output);
  values.plan().run(values.step, description, dnnl::convolution_forward(description),
                    std::move(operands));
  run_parts(values, step, convolution, description, image, weights, output);
  values.put(step.output, output);
}

void lower(Values& values, const Step& step, const Pool& pool) {
  const Window& w = pool.window;
  const Shape& in = values.shape(step.inputs[0]);
  const Shape& out = values.shape(step.output);
  const Sides after = padding_after(w, in, out);
  const bool exceeds = after[0] > w.after[0] || after[1] > w.after[1];
  const bool average = pool.kind == Pool::Kind::average;
  // oneDNN divides by the whole window there.
  if (average && pool.counts_padding && exceeds) return lower_to_reference(values, step);
  const auto kind = !average              ? dnnl::algorithm::pooling_max
                    : pool.counts_padding ? dnnl::algorithm::pooling_avg_include_padding
                                          : dnnl::algorithm::pooling_avg_exclude_padding;
  std::optional<PoolPrimitive::primitive_desc> description;
  try {
    description =
        described<PoolPrimitive>(attributes_with(), prop_kind::forward_inference, kind, blocked(in),
                                 blocked(out), two(w.stride), two(w.kernel),
                                 Sides{w.dilation[0] - 1, w.dilation[1] - 1}, two(w.before), after);
  } catch (const dnnl::error&) {
    return lower_to_reference(values, step);
  }
  const int image = values.in(step.inputs[0], blocked(in));
  const int output = values.room(step.output, blocked(out));
  values.plan().run(values.step, *description, PoolPrimitive(*description),
                    {{DNNL_ARG_SRC, image}, {DNNL_ARG_DST, output}});
  values.put(step.output, output, step.activation);
}

namespace {

/// Whether oneDNN takes the same samples: it places them as half_pixel and rounds half away from 0.
bool resizes_alike(const Resize& resize, const Shape& in, const Shape& out) {
  constexpr float kNear = 1e-4f;  // of a sample
  for (int axis = 0; axis < 2; ++axis) {
    const auto side = static_cast<std::size_t>(2 + axis);
    const auto from = static_cast<int>(in[side]), to = static_cast<int>(out[side]);
    for (int i = 0; i < to; ++i) {
      const float wanted = resize_position(resize, axis, i, from, to);
      const float theirs =
          (static_cast<float>(i) + 0.5f) * static_cast<float>(from) / static_cast<float>(to) - 0.5f;
      const auto within = [&](float p) {
        return std::clamp(p, 0.0f, static_cast<float>(from - 1));
      };
      if (resize.mode == Resize::Mode::linear) {
        if (std::abs(within(wanted) - within(theirs)) > kNear) return false;
        continue;
      }
      const float fraction = theirs - std::floor(theirs);
      if (std::abs(fraction - 0.5f) < kNear) return false;
      if (static_cast<int>(within(std::round(theirs))) != resize_nearest(resize, wanted, from))
        return false;
    }
  }
  return true;
}

}  // namespace

void lower(Values& values, const Step& step, const Resize& resize) {
  const Shape& in = values.shape(step.inputs[0]);
  const Shape& out = values.shape(step.output);
  if (!resizes_alike(resize, in, out)) {
    const int image = values.in_plain(step.inputs[0]);
    const int output = values.room(step.output, plain(out));
    values.plan().run(values.step, resize_loop(resize, in, out), {image, output});
    return values.put(step.output, output, step.activation);
  }
  const auto kind = resize.mode == Resize::Mode::linear ? dnnl::algorithm::resampling_linear
                                                        : dnnl::algorithm::resampling_nearest;
  const auto description = described<dnnl::resampling_forward>(
      attributes_with(), prop_kind::forward_inference, kind, blocked(in), blocked(out));
  const int image = values.in(step.inputs[0], blocked(in));
  const int output = values.room(step.output, blocked(out));
  values.plan().run(values.step, description, dnnl::resampling_forward(description),
                    {{DNNL_ARG_SRC, image}, {DNNL_ARG_DST, output}});
  values.put(step.output, output, step.activation);
}

}  // namespace tandem::network::cpu
