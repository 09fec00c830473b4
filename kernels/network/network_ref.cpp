// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/network/network.h"

namespace tandem::network {
namespace {

struct Image {
  int channels, height, width;
  explicit Image(const Shape& shape)
      : channels(static_cast<int>(shape[1])),
        height(static_cast<int>(shape[2])),
        width(static_cast<int>(shape[3])) {}
  std::size_t at(int c, int y, int x) const {
    return (static_cast<std::size_t>(c) * static_cast<std::size_t>(height) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};

// A step with its inputs and its output.
struct Operands {
  const Network& network;
  const Step& step;
  std::span<const float* const> inputs;
  float* output;

  const Shape& input_shape(std::size_t i) const { return network.of(step.inputs[i]).shape; }
  const Shape& output_shape() const { return network.of(step.output).shape; }
  const float* optional(std::size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }
};

/// Calls `visit` with the indices of each element of `shape`, in order.
template <class Visit>
void for_each_index(const Shape& shape, Visit&& visit) {
  Shape index(shape.size());
  for (int64_t n = elements(shape); n > 0; --n) {
    visit(index);
    for (std::size_t side = shape.size(); side-- > 0;) {
      if (++index[side] < shape[side]) break;
      index[side] = 0;
    }
  }
}

/// The element of `shape` that meets `index` of a shape with at least as many sides.
std::size_t broadcast(const Shape& shape, const Shape& index) {
  const std::size_t more = index.size() - shape.size();
  int64_t at = 0;
  for (std::size_t side = 0; side < shape.size(); ++side)
    at = at * shape[side] + (shape[side] == 1 ? 0 : index[more + side]);
  return static_cast<std::size_t>(at);
}

void compute(const Convolution& c, const Operands& o) {
  const Image in(o.input_shape(0)), out(o.output_shape());
  const Window& w = c.window;
  const int group_in = in.channels / c.groups, group_out = out.channels / c.groups;
  const float* const bias = o.optional(2);
  const float* const residual = o.optional(3);
  for (int m = 0; m < out.channels; ++m) {
    for (int y = 0; y < out.height; ++y) {
      for (int x = 0; x < out.width; ++x) {
        double sum = bias ? bias[m] : 0;
        const float* weight = o.inputs[1] + static_cast<std::size_t>(m * group_in) *
                                                static_cast<std::size_t>(w.kernel[0] * w.kernel[1]);
        for (int ci = 0; ci < group_in; ++ci) {
          for (int ky = 0; ky < w.kernel[0]; ++ky) {
            for (int kx = 0; kx < w.kernel[1]; ++kx, ++weight) {
              const int sy = y * w.stride[0] - w.before[0] + ky * w.dilation[0];
              const int sx = x * w.stride[1] - w.before[1] + kx * w.dilation[1];
              if (sy < 0 || sy >= in.height || sx < 0 || sx >= in.width) continue;
              sum += double{*weight} * o.inputs[0][in.at(m / group_out * group_in + ci, sy, sx)];
            }
          }
        }
        if (residual) sum += residual[out.at(m, y, x)];
        o.output[out.at(m, y, x)] = static_cast<float>(sum);
      }
    }
  }
}

void compute(const Pool& pool, const Operands& o) {
  const Image in(o.input_shape(0)), out(o.output_shape());
  const Window& w = pool.window;
  const bool average = pool.kind == Pool::Kind::average;
  for (int c = 0; c < out.channels; ++c) {
    for (int y = 0; y < out.height; ++y) {
      for (int x = 0; x < out.width; ++x) {
        double result = average ? 0 : -std::numeric_limits<double>::infinity();
        int count = 0;
        for (int ky = 0; ky < w.kernel[0]; ++ky) {
          for (int kx = 0; kx < w.kernel[1]; ++kx) {
            const int sy = y * w.stride[0] - w.before[0] + ky * w.dilation[0];
            const int sx = x * w.stride[1] - w.before[1] + kx * w.dilation[1];
            const bool inside = sy >= 0 && sy < in.height && sx >= 0 && sx < in.width;
            if (inside ||
                (pool.counts_padding && sy < in.height + w.after[0] && sx < in.width + w.after[1]))
              ++count;
            if (!inside) continue;
            const double value = o.inputs[0][in.at(c, sy, sx)];
            result = average ? result + value : std::max(result, value);
          }
        }
        o.output[out.at(c, y, x)] =
            static_cast<float>(average ? result / std::max(1, count) : result);
      }
    }
  }
}

float combine(Binary::Kind kind, float a, float b) {
  switch (kind) {
    case Binary::Kind::add:
      return a + b;
    case Binary::Kind::subtract:
      return a - b;
    case Binary::Kind::multiply:
      return a * b;
    case Binary::Kind::divide:
      return a / b;
    case Binary::Kind::power:
      return std::pow(a, b);
    case Binary::Kind::maximum:
      return std::max(a, b);
    case Binary::Kind::minimum:
      return std::min(a, b);
  }
  return 0;
}

void compute(const Binary& binary, const Operands& o) {
  std::size_t at = 0;
  for_each_index(o.output_shape(), [&](const Shape& index) {
    o.output[at++] = combine(binary.kind, o.inputs[0][broadcast(o.input_shape(0), index)],
                             o.inputs[1][broadcast(o.input_shape(1), index)]);
  });
}

void copy(const Operands& o) { std::copy_n(o.inputs[0], elements(o.output_shape()), o.output); }
void compute(const Unary&, const Operands& o) { copy(o); }
void compute(const Reshape&, const Operands& o) { copy(o); }

void compute(const Concat& concat, const Operands& o) {
  const auto axis = static_cast<std::size_t>(concat.axis);
  std::size_t at = 0;
  for_each_index(o.output_shape(), [&](Shape index) {
    std::size_t i = 0;
    while (index[axis] >= o.input_shape(i)[axis]) index[axis] -= o.input_shape(i++)[axis];
    o.output[at++] = o.inputs[i][broadcast(o.input_shape(i), index)];
  });
}

void compute(const Resize& resize, const Operands& o) {
  const Image in(o.input_shape(0)), out(o.output_shape());
  for (int c = 0; c < out.channels; ++c) {
    for (int y = 0; y < out.height; ++y) {
      for (int x = 0; x < out.width; ++x) {
        const float py = resize_position(resize, 0, y, in.height, out.height);
        const float px = resize_position(resize, 1, x, in.width, out.width);
        float& result = o.output[out.at(c, y, x)];
        if (resize.mode == Resize::Mode::nearest) {
          result = o.inputs[0][in.at(c, resize_nearest(resize, py, in.height),
                                     resize_nearest(resize, px, in.width))];
          continue;
        }
        const float top = std::clamp(py, 0.0f, static_cast<float>(in.height - 1));
        const float left = std::clamp(px, 0.0f, static_cast<float>(in.width - 1));
        const int y0 = static_cast<int>(top), x0 = static_cast<int>(left);
        const int y1 = std::min(y0 + 1, in.height - 1), x1 = std::min(x0 + 1, in.width - 1);
        const float fy = top - static_cast<float>(y0), fx = left - static_cast<float>(x0);
        const float* const i = o.inputs[0];
        result = (1 - fy) * ((1 - fx) * i[in.at(c, y0, x0)] + fx * i[in.at(c, y0, x1)]) +
                 fy * ((1 - fx) * i[in.at(c, y1, x0)] + fx * i[in.at(c, y1, x1)]);
      }
    }
  }
}

void compute(const Softmax& softmax, const Operands& o) {
  const Shape& shape = o.output_shape();
  const auto axis = static_cast<std::size_t>(softmax.axis);
  const int64_t along = shape[axis];
  Shape others = shape;
  others[axis] = 1;
  int64_t stride = 1;
  for (std::size_t side = axis + 1; side < shape.size(); ++side) stride *= shape[side];
  for_each_index(others, [&](const Shape& index) {
    const std::size_t first = broadcast(shape, index);
    const auto at = [&](int64_t i) { return first + static_cast<std::size_t>(i * stride); };
    float largest = o.inputs[0][first];
    for (int64_t i = 1; i < along; ++i) largest = std::max(largest, o.inputs[0][at(i)]);
    double sum = 0;
    for (int64_t i = 0; i < along; ++i)
      sum += o.output[at(i)] = std::exp(o.inputs[0][at(i)] - largest);
    for (int64_t i = 0; i < along; ++i) o.output[at(i)] = static_cast<float>(o.output[at(i)] / sum);
  });
}

void compute(const MatMul& matmul, const Operands& o) {
  const Shape& a = o.input_shape(0);
  const Shape& b = o.input_shape(1);
  const int64_t along = matmul.transpose_a ? a[a.size() - 2] : a.back();
  const float* const bias = o.optional(2);
  std::size_t at = 0;
  for_each_index(o.output_shape(), [&](const Shape& index) {
    const std::size_t row = index.size() - 2, column = index.size() - 1;
    double sum = bias ? bias[broadcast(o.input_shape(2), index)] : 0;
    for (int64_t k = 0; k < along; ++k) {
      Shape of_a = index, of_b = index;
      of_a[matmul.transpose_a ? column : row] = index[row];
      of_a[matmul.transpose_a ? row : column] = k;
      of_b[matmul.transpose_b ? row : column] = index[column];
      of_b[matmul.transpose_b ? column : row] = k;
      sum += double{o.inputs[0][broadcast(a, of_a)]} * o.inputs[1][broadcast(b, of_b)];
    }
    o.output[at++] = static_cast<float>(sum);
  });
}

void compute(const Transpose& transpose, const Operands& o) {
  std::size_t at = 0;
  Shape from(transpose.order.size());
  for_each_index(o.output_shape(), [&](const Shape& index) {
    for (std::size_t side = 0; side < index.size(); ++side)
      from[static_cast<std::size_t>(transpose.order[side])] = index[side];
    o.output[at++] = o.inputs[0][broadcast(o.input_shape(0), from)];
  });
}

void compute(const Slice& slice, const Operands& o) {
  std::size_t at = 0;
  Shape from(slice.begin.size());
  for_each_index(o.output_shape(), [&](const Shape& index) {
    for (std::size_t side = 0; side < index.size(); ++side)
      from[side] = slice.begin[side] + index[side] * slice.step[side];
    o.output[at++] = o.inputs[0][broadcast(o.input_shape(0), from)];
  });
}

}  // namespace

float activate(const Activation& activation, float x) {
  const float alpha = activation.alpha, beta = activation.beta;
  switch (activation.kind) {
    case Activation::Kind::none:
      return x;
    case Activation::Kind::relu:
      return std::max(x, 0.0f);
    case Activation::Kind::leaky_relu:
      return x < 0 ? alpha * x : x;
    case Activation::Kind::clip:
      return std::min(std::max(x, alpha), beta);
    case Activation::Kind::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::Kind::hard_sigmoid:
      return std::min(std::max(alpha * x + beta, 0.0f), 1.0f);
    case Activation::Kind::hard_swish:
      return x * std::min(std::max(x / 6 + 0.5f, 0.0f), 1.0f);
    case Activation::Kind::silu:
      return x / (1 + std::exp(-x));
    case Activation::Kind::tanh:
      return std::tanh(x);
    case Activation::Kind::exp:
      return std::exp(x);
    case Activation::Kind::sqrt:
      return std::sqrt(x);
  }
  return x;
}

float resize_position(const Resize& resize, int axis, int i, int in, int out) {
  const float scale = resize.scale[static_cast<std::size_t>(axis)];
  const auto at = static_cast<float>(i);
  switch (resize.place) {
    case Resize::Place::half_pixel:
      return (at + 0.5f) / scale - 0.5f;
    case Resize::Place::pytorch_half_pixel:
      return out > 1 ? (at + 0.5f) / scale - 0.5f : 0;
    case Resize::Place::asymmetric:
      return at / scale;
    case Resize::Place::align_corners:
      return out > 1 ? at * static_cast<float>(in - 1) / static_cast<float>(out - 1) : 0;
  }
  return 0;
}

int resize_nearest(const Resize& resize, float position, int in) {
  float rounded = 0;
  switch (resize.round) {
    case Resize::Round::floor:
      rounded = std::floor(position);
      break;
    case Resize::Round::ceil:
      rounded = std::ceil(position);
      break;
    case Resize::Round::prefer_floor:
      rounded = std::ceil(position - 0.5f);
      break;
    case Resize::Round::prefer_ceil:
      rounded = std::floor(position + 0.5f);
      break;
  }
  return static_cast<int>(std::clamp(rounded, 0.0f, static_cast<float>(in - 1)));
}

void step_ref(const Network& network, const Step& step, std::span<const float* const> inputs,
              float* output) {
  const Operands operands{network, step, inputs, output};
  std::visit([&](const auto& operation) { compute(operation, operands); }, step.operation);
  if (step.activation.kind == Activation::Kind::none) return;
  const int64_t count = elements(network.of(step.output).shape);
  for (int64_t i = 0; i < count; ++i) output[i] = activate(step.activation, output[i]);
}

void network_ref(const Network& network, std::span<const float* const> inputs,
                 std::span<float* const> outputs) {
  std::vector<std::vector<float>> computed(network.values.size());
  std::vector<const float*> at(network.values.size());
  for (std::size_t v = 0; v < at.size(); ++v) at[v] = network.values[v].constant.data();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    at[static_cast<std::size_t>(network.inputs[i])] = inputs[i];
  for (const Step& step : network.steps) {
    const auto output = static_cast<std::size_t>(step.output);
    computed[output].resize(static_cast<std::size_t>(elements(network.of(step.output).shape)));
    at[output] = computed[output].data();
    std::vector<const float*> of_step;
    for (const int input : step.inputs)
      of_step.push_back(input == kAbsent ? nullptr : at[static_cast<std::size_t>(input)]);
    step_ref(network, step, of_step, computed[output].data());
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const int value = network.outputs[o];
    std::copy_n(at[static_cast<std::size_t>(value)], elements(network.of(value).shape), outputs[o]);
  }
}

const char* name_of(const Operation& operation) {
  static constexpr const char* kNames[] = {"Conv",      "Pool",   "Binary",  "Unary",
                                           "Concat",    "Resize", "Softmax", "MatMul",
                                           "Transpose", "Slice",  "Reshape"};
  static_assert(std::size(kNames) == std::variant_size_v<Operation>);
  return kNames[operation.index()];
}

int64_t multiply_adds(const Network& network, const Step& step) {
  const int64_t results = elements(network.of(step.output).shape);
  if (const auto* c = std::get_if<Convolution>(&step.operation)) {
    const Shape& weights = network.of(step.inputs[1]).shape;
    return results * weights[1] * c->window.kernel[0] * c->window.kernel[1];
  }
  if (const auto* m = std::get_if<MatMul>(&step.operation)) {
    const Shape& a = network.of(step.inputs[0]).shape;
    return results * (m->transpose_a ? a[a.size() - 2] : a.back());
  }
  return 0;
}

}  // namespace tandem::network
