// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <numeric>

#include "tests/kernels/network/random_network.h"
#include "tests/kernels/support/implementation.h"

namespace tandem::check {
namespace {

using namespace network;

bool coin(std::mt19937& random) { return random_int(random, 0, 1) == 1; }

template <class T>
T any_of(std::mt19937& random, std::initializer_list<T> all) {
  return all.begin()[random_int(random, 0, static_cast<int>(all.size()) - 1)];
}

Activation random_activation(std::mt19937& random, bool positive) {
  using Kind = Activation::Kind;
  if (positive && coin(random)) return {Kind::sqrt, 0, 0};
  switch (const auto kind = static_cast<Kind>(random_int(random, 0, static_cast<int>(Kind::exp)))) {
    case Kind::leaky_relu:
      return {kind, 0.1f, 0};
    case Kind::clip:
      return {kind, -0.25f, 0.5f};
    case Kind::hard_sigmoid:
      return {kind, 0.2f, 0.4f};
    default:
      return {kind, 0, 0};
  }
}

/// A window that covers `in` samples at most and has a sample of the image in each place.
void random_axis(std::mt19937& random, Window& w, std::size_t axis, int in) {
  do {
    w.kernel[axis] = any_of(random, {1, 2, 3, 3, 5});
    w.dilation[axis] = any_of(random, {1, 1, 1, 2});
  } while ((w.kernel[axis] - 1) * w.dilation[axis] + 1 > in);
  const int most = (w.kernel[axis] - 1) * w.dilation[axis];
  w.before[axis] = random_int(random, 0, most);
  w.after[axis] = random_int(random, 0, most);
  w.stride[axis] = random_int(random, 1, 3);
}

Window random_window(std::mt19937& random, const Shape& image) {
  Window w;
  random_axis(random, w, 0, static_cast<int>(image[2]));
  random_axis(random, w, 1, static_cast<int>(image[3]));
  if (coin(random)) {  // as most networks have it
    w.kernel[1] = w.kernel[0];
    w.stride[1] = w.stride[0];
    w.dilation = {1, 1};
    if (w.kernel[0] > std::min(image[2], image[3])) w.kernel = {1, 1};
    w.before = w.after = {w.kernel[0] / 2, w.kernel[0] / 2};
  }
  return w;
}

Shape random_image(std::mt19937& random) {
  const int channels =
      coin(random) ? any_of(random, {8, 16, 24, 32, 64}) : random_int(random, 1, 40);
  return {1, channels, random_int(random, 1, 21), random_int(random, 1, 21)};
}

Shape random_shape(std::mt19937& random, int least_sides = 1) {
  Shape shape(static_cast<std::size_t>(random_int(random, least_sides, 5)));
  for (int64_t& side : shape) side = random_int(random, 1, 9);
  return shape;
}

/// `shape` with sides of 1 and fewer leading sides.
Shape narrowed(std::mt19937& random, Shape shape) {
  for (int64_t& side : shape)
    if (coin(random)) side = 1;
  if (coin(random)) shape.erase(shape.begin(), shape.begin() + random_int(random, 0, 1));
  return shape;
}

int one(NetworkBuilder& b, const Convolution&, Activation activation) {
  std::mt19937& random = b.random();
  const Shape image = random_image(random);
  Convolution c;
  c.window = random_window(random, image);
  int channels = random_int(random, 1, 40);
  if (const int kind = random_int(random, 0, 2); kind == 1) {
    c.groups = channels = static_cast<int>(image[1]);
    if (random_int(random, 0, 3) == 0) channels *= 2;
  } else if (kind == 2 && image[1] % 2 == 0) {
    c.groups = 2;
    channels *= 2;
  }
  const int in = b.input(image);
  int residual = kAbsent;
  if (coin(random))
    residual = b.input({1, channels, window_samples(c.window, 0, static_cast<int>(image[2])),
                        window_samples(c.window, 1, static_cast<int>(image[3]))});
  return b.convolution(in, channels, c, coin(random), residual, activation);
}

int one(NetworkBuilder& b, const Pool&, Activation activation) {
  std::mt19937& random = b.random();
  const Shape image = random_image(random);
  Pool p;
  p.kind = any_of(random, {Pool::Kind::max, Pool::Kind::average});
  p.window = random_window(random, image);
  p.counts_padding = coin(random);
  Shape out = image;
  for (std::size_t a = 0; a < 2; ++a) {
    const int in = static_cast<int>(image[2 + a]);
    int samples = window_samples(p.window, static_cast<int>(a), in);
    // As ceil_mode does: a last window that begins within the image.
    const int begin = samples * p.window.stride[a] - p.window.before[a];
    const int covered = (p.window.kernel[a] - 1) * p.window.dilation[a] + 1;
    if (begin < in && begin + covered > in + p.window.after[a] && coin(random)) ++samples;
    out[2 + a] = samples;
  }
  return b.step(p, {b.input(image)}, out, activation);
}

int one(NetworkBuilder& b, const Binary& binary, Activation activation) {
  std::mt19937& random = b.random();
  const Shape shape = coin(random) ? random_image(random) : random_shape(random);
  Shape second = shape;
  switch (random_int(random, 0, 3)) {
    case 0:
      break;
    case 1:
      second = {};
      break;
    case 2:
      if (shape.size() == 4) {  // one element a channel
        second = {1, shape[1], 1, 1};
        break;
      }
      [[fallthrough]];
    default:
      second = narrowed(random, shape);
  }
  int left = b.input(shape);
  int right = coin(random) ? b.constant(second) : b.input(second);
  if (coin(random)) std::swap(left, right);
  return b.step(binary, {left, right}, shape, activation);
}

int one(NetworkBuilder& b, const Unary&, Activation activation) {
  const Shape shape = coin(b.random()) ? random_image(b.random()) : random_shape(b.random());
  return b.step(Unary{}, {b.input(shape)}, shape, activation);
}

int one(NetworkBuilder& b, const Concat&, Activation activation) {
  std::mt19937& random = b.random();
  Shape shape = random_shape(random);
  Concat concat{random_int(random, 0, static_cast<int>(shape.size()) - 1)};
  if (coin(random)) {
    shape = random_image(random);
    concat.axis = 1;
  }
  const auto axis = static_cast<std::size_t>(concat.axis);
  std::vector<int> inputs;
  int64_t along = 0;
  for (int i = random_int(random, 1, 4); i > 0; --i) {
    shape[axis] = coin(random) ? 16 : random_int(random, 1, 20);
    along += shape[axis];
    inputs.push_back(i > 1 && coin(random) ? b.constant(shape) : b.input(shape));
  }
  shape[axis] = along;
  return b.step(concat, inputs, shape, activation);
}

int one(NetworkBuilder& b, const Resize&, Activation activation) {
  std::mt19937& random = b.random();
  const Shape image = random_image(random);
  Resize r;
  r.mode = any_of(random, {Resize::Mode::nearest, Resize::Mode::linear});
  r.place = static_cast<Resize::Place>(random_int(random, 0, 3));
  r.round = static_cast<Resize::Round>(random_int(random, 0, 3));
  Shape out = image;
  for (std::size_t a = 0; a < 2; ++a) {
    const auto in = static_cast<float>(image[2 + a]);
    out[2 + a] = coin(random) ? 2 * image[2 + a] : random_int(random, 1, 40);
    r.scale[a] = static_cast<float>(out[2 + a]) / in;
  }
  return b.step(r, {b.input(image)}, out, activation);
}

int one(NetworkBuilder& b, const Softmax&, Activation activation) {
  const Shape shape = random_shape(b.random());
  const int axis = random_int(b.random(), 0, static_cast<int>(shape.size()) - 1);
  return b.step(Softmax{axis}, {b.input(shape)}, shape, activation);
}

int one(NetworkBuilder& b, const MatMul&, Activation activation) {
  std::mt19937& random = b.random();
  MatMul m{coin(random), coin(random)};
  const int64_t rows = random_int(random, 1, 20), along = random_int(random, 1, 40),
                columns = random_int(random, 1, 40);
  Shape leading = random_shape(random);
  leading.resize(std::min<std::size_t>(leading.size(), 2));
  Shape left = coin(random) ? leading : narrowed(random, leading), right = Shape{};
  if (coin(random)) right = left.size() < leading.size() ? leading : narrowed(random, leading);
  Shape out(std::max(left.size(), right.size()));
  for (std::size_t i = 1; i <= out.size(); ++i)
    out[out.size() - i] = std::max(i <= left.size() ? left[left.size() - i] : 1,
                                   i <= right.size() ? right[right.size() - i] : 1);
  const auto append = [](Shape& shape, bool swapped, int64_t a, int64_t c) {
    shape.insert(shape.end(), {swapped ? c : a, swapped ? a : c});
  };
  append(left, m.transpose_a, rows, along);
  append(right, m.transpose_b, along, columns);
  append(out, false, rows, columns);
  std::vector<int> inputs{b.input(left), coin(random) ? b.constant(right) : b.input(right)};
  if (coin(random))
    inputs.push_back(b.constant(coin(random) ? Shape{columns} : narrowed(random, out)));
  return b.step(m, inputs, out, activation);
}

int one(NetworkBuilder& b, const Transpose&, Activation activation) {
  const Shape shape = random_shape(b.random());
  Transpose t;
  t.order.resize(shape.size());
  std::iota(t.order.begin(), t.order.end(), 0);
  std::shuffle(t.order.begin(), t.order.end(), b.random());
  Shape out;
  for (const int side : t.order) out.push_back(shape[static_cast<std::size_t>(side)]);
  return b.step(t, {b.input(shape)}, out, activation);
}

int one(NetworkBuilder& b, const Slice&, Activation activation) {
  std::mt19937& random = b.random();
  const Shape shape = coin(random) ? random_image(random) : random_shape(random);
  Slice slice;
  Shape out;
  for (const int64_t side : shape) {
    const int last = static_cast<int>(side) - 1;
    const int begin = random_int(random, 0, last);
    const int step = any_of(random, {1, 1, 2, -1, -2});
    slice.begin.push_back(begin);
    slice.step.push_back(step);
    out.push_back(random_int(random, 1, (step > 0 ? last - begin : begin) / std::abs(step) + 1));
  }
  return b.step(slice, {b.input(shape)}, out, activation);
}

int one(NetworkBuilder& b, const Reshape&, Activation activation) {
  Shape shape = coin(b.random()) ? random_image(b.random()) : random_shape(b.random());
  const int in = b.input(shape);
  std::shuffle(shape.begin(), shape.end(), b.random());
  if (coin(b.random())) shape = {1, elements(shape)};
  return b.step(Reshape{}, {in}, shape, activation);
}

template <std::size_t... I>
Operation operation_of(std::size_t index, std::index_sequence<I...>) {
  Operation operation;
  ((index == I ? void(operation.emplace<I>()) : void()), ...);
  return operation;
}

}  // namespace

RandomCase random_step(std::mt19937& random, std::size_t operation) {
  NetworkBuilder builder(random);
  Operation made =
      operation_of(operation, std::make_index_sequence<std::variant_size_v<Operation>>());
  bool positive = random_int(random, 0, 4) == 0;
  if (auto* binary = std::get_if<Binary>(&made)) {
    binary->kind = static_cast<Binary::Kind>(random_int(random, 0, 6));
    positive = binary->kind == Binary::Kind::divide || binary->kind == Binary::Kind::power;
  }
  // Square roots, powers and quotients are of positive numbers.
  if (positive) builder.least = 0.25f;
  const Activation activation = random_activation(random, positive);
  const int output =
      std::visit([&](const auto& kind) { return one(builder, kind, activation); }, made);
  auto network = builder.finish({output});
  std::vector<Elements> inputs = random_inputs(random, *network, builder.least);
  return {std::move(network), std::move(inputs)};
}

}  // namespace tandem::check
