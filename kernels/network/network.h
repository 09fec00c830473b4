// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// A neural network for inference as a list of steps, the same for both sides. Source: ONNX
/// operator specification, opsets 9 to 17. Every value has FP32 elements in row-major order,
/// outermost side first; images are N x C x H x W with N = 1.
namespace tandem::network {

/// Sides of a value, outermost first, each at least 1. Empty: one element.
using Shape = std::vector<int64_t>;

inline constexpr std::size_t kMostSides = 6;
/// Elements of a value. More are refused, so that offsets fit into 32 bits.
inline constexpr int64_t kMostElements = int64_t{1} << 28;

inline int64_t elements(const Shape& shape) {
  int64_t product = 1;
  for (const int64_t side : shape) product *= side;
  return product;
}

/// Applied to each element of a step's result.
struct Activation {
  enum class Kind {
    none,
    relu,          ///< `max(x, 0)`
    leaky_relu,    ///< `x < 0 ? alpha x : x`
    clip,          ///< `min(max(x, alpha), beta)`
    sigmoid,       ///< `1 / (1 + exp(-x))`
    hard_sigmoid,  ///< `min(max(alpha x + beta, 0), 1)`
    hard_swish,    ///< `x min(max(x / 6 + 1 / 2, 0), 1)`
    silu,          ///< `x / (1 + exp(-x))`
    tanh,
    exp,
    sqrt,
  };
  Kind kind = Kind::none;
  float alpha = 0, beta = 0;
};
float activate(const Activation& activation, float x);

/// Sizes of a window over rows [0] and columns [1].
struct Window {
  std::array<int, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int, 2> before{0, 0}, after{0, 0};  ///< padding
};

/// Inputs: image C x H x W; weights M x C/groups x kernel (constant); bias M (constant); residual
/// of the output's shape, added before the activation. The last two may be absent (kAbsent).
struct Convolution {
  Window window;
  int groups = 1;  ///< C: depthwise
};

/// Input: an image. Windows may exceed the padding after the image, because of ceil_mode.
struct Pool {
  enum class Kind { max, average } kind = Kind::max;
  Window window;
  bool counts_padding = false;  ///< average: divides by the window's size within the padding
};

/// Inputs: two values, broadcast to the output's shape by NumPy's rules.
struct Binary {
  enum class Kind { add, subtract, multiply, divide, power, maximum, minimum } kind = Kind::add;
};

/// Input: a value. The step's activation is all it does.
struct Unary {};

/// Inputs: one or more values.
struct Concat {
  int axis = 0;
};

/// Input: an image. Rows and columns are resampled.
struct Resize {
  enum class Mode { nearest, linear } mode = Mode::nearest;
  /// Where sample i of `out` lies among `in` samples; scale = out / in unless the file says so.
  enum class Place {
    half_pixel,
    pytorch_half_pixel,
    asymmetric,
    align_corners
  } place = Place::asymmetric;
  enum class Round { floor, ceil, prefer_floor, prefer_ceil } round = Round::floor;  ///< nearest
  std::array<float, 2> scale{1, 1};
};
/// The position among `in` samples that sample `i` of `out` is taken from.
float resize_position(const Resize& resize, int axis, int i, int in, int out);
/// The sample that Mode::nearest takes there.
int resize_nearest(const Resize& resize, float position, int in);

/// Input: a value; softmax along one axis.
struct Softmax {
  int axis = 0;
};

/// Inputs: A (... x M x K), B (... x K x N), bias (broadcast to the output; may be absent). Leading
/// sides are broadcast by NumPy's rules. Both have at least two sides.
struct MatMul {
  bool transpose_a = false, transpose_b = false;  ///< the file has the two last sides swapped
};

/// Input: a value. Side i of the output is side order[i] of the input.
struct Transpose {
  std::vector<int> order;
};

/// Input: a value. Element i along an axis is element begin + i * step; `step` may be negative.
struct Slice {
  std::vector<int64_t> begin, step;  ///< one for each side
};

/// Input: a value of as many elements, in the same order.
struct Reshape {};

using Operation = std::variant<Convolution, Pool, Binary, Unary, Concat, Resize, Softmax, MatMul,
                               Transpose, Slice, Reshape>;

/// An input that a step does without.
inline constexpr int kAbsent = -1;

struct Step {
  std::string name;  ///< node of the file, for messages and tables
  Operation operation;
  std::vector<int> inputs;  ///< numbers of values
  int output = 0;
  Activation activation{};
};

struct Value {
  std::string name;  ///< in the file
  Shape shape;
  /// Elements of a constant. Empty: the value is an input of the network or a step's output.
  std::vector<float> constant;
};

/// Steps in an order in which each one's inputs exist. Each step writes one value, each value is
/// written once. Constants are used by some step. Immutable once read.
struct Network {
  std::vector<Value> values;
  std::vector<Step> steps;
  std::vector<int> inputs, outputs;  ///< numbers of values

  const Value& of(int value) const { return values[static_cast<std::size_t>(value)]; }
};

/// The name of an operation as ONNX has it, such as "Conv".
const char* name_of(const Operation& operation);
/// Multiplications with an addition that a step takes; 0: none to speak of.
int64_t multiply_adds(const Network& network, const Step& step);

/// Computes one step in the plainest way. `inputs` and `output` are the elements of the step's
/// values; an absent input is null.
void step_ref(const Network& network, const Step& step, std::span<const float* const> inputs,
              float* output);

/// Computes the network in the plainest way. `inputs` and `outputs` are in the order of the
/// network's.
void network_ref(const Network& network, std::span<const float* const> inputs,
                 std::span<float* const> outputs);

/// Reads an ONNX file: checks it, infers all shapes, evaluates constants, folds normalisation into
/// convolutions and fuses activations and residual additions into the step before. A symbolic batch
/// is 1. Throws std::runtime_error that names the file, the node and the operator, and says what to
/// do. Reads no other file than `path` (and external data in its folder).
Network read_network(const std::string& path);

}  // namespace tandem::network
