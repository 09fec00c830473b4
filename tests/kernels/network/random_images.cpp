// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "tests/kernels/network/random_network.h"
#include "tests/kernels/support/implementation.h"

namespace tandem::check {
namespace {

using namespace network;

/// Grows a network by steps on images that exist.
class Images {
 public:
  explicit Images(std::mt19937& random) : random_(random), builder_(random) {
    for (int i = random_int(random, 1, 2); i > 0; --i)
      images_.push_back(builder_.input({1, random_int(random, 1, 20), side(), side()}));
  }

  void grow() {
    const int image = any();
    const Shape shape = builder_.shape(image);
    switch (random_int(random_, 0, 9)) {
      case 0:
      case 1:
      case 2:
        return convolve(image);
      case 3: {
        Pool pool;
        pool.kind = static_cast<Pool::Kind>(random_int(random_, 0, 1));
        pool.window = {{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
        return keep(builder_.step(pool, {image}, shape));
      }
      case 4:
        return concatenate(image);
      case 5:
        return resize(image);
      case 6: {  // channels of a group, as a shuffle has them
        Slice slice{{0, shape[1] / 2, 0, 0}, {1, 1, 1, 1}};
        return keep(builder_.step(slice, {image}, {1, shape[1] - shape[1] / 2, shape[2], shape[3]},
                                  activation()));
      }
      case 7:
        return combine(image);
      case 8:
        return keep(builder_.step(
            Reshape{},
            {builder_.step(Transpose{{0, 1, 3, 2}}, {image}, {1, shape[1], shape[3], shape[2]})},
            shape, activation()));
      default:
        return keep(builder_.step(Unary{}, {image}, shape, activation()));
    }
  }

  RandomCase finish() {
    std::vector<int> outputs{images_.back()};
    for (int i = random_int(random_, 0, 2); i > 0; --i) outputs.push_back(any());
    std::sort(outputs.begin(), outputs.end());
    outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
    auto network = builder_.finish(outputs);
    std::vector<Elements> inputs = random_inputs(random_, *network);
    return {std::move(network), std::move(inputs)};
  }

 private:
  int side() { return random_int(random_, 3, 14); }
  int any() {
    return images_[static_cast<std::size_t>(
        random_int(random_, std::max(0, static_cast<int>(images_.size()) - 4),
                   static_cast<int>(images_.size()) - 1))];
  }
  void keep(int image) { images_.push_back(image); }

  Activation activation() {
    using Kind = Activation::Kind;
    constexpr Activation kAll[] = {{Kind::none, 0, 0},    {Kind::relu, 0, 0},
                                   {Kind::clip, 0, 6},    {Kind::leaky_relu, 0.1f, 0},
                                   {Kind::sigmoid, 0, 0}, {Kind::hard_swish, 0, 0}};
    return kAll[random_int(random_, 0, std::size(kAll) - 1)];
  }

  /// With one element, or with one a channel.
  void combine(int image) {
    const Shape shape = builder_.shape(image);
    constexpr Binary::Kind kAll[] = {Binary::Kind::add, Binary::Kind::multiply,
                                     Binary::Kind::divide, Binary::Kind::maximum};
    builder_.least = 0.25f;  // of divisors
    const int other =
        random_int(random_, 0, 1) ? builder_.constant({shape[1], 1, 1}) : builder_.constant({});
    builder_.least = -1;
    keep(builder_.step(Binary{kAll[random_int(random_, 0, 3)]}, {image, other}, shape,
                       activation()));
  }

  void convolve(int image) {
    const Shape shape = builder_.shape(image);
    Convolution c;
    if (const int kernel = random_int(random_, 0, 2) == 0 ? 1 : 3; kernel == 3) {
      c.window.kernel = {3, 3};
      c.window.before = c.window.after = {1, 1};
    }
    int channels =
        random_int(random_, 0, 1) ? 16 * random_int(random_, 1, 3) : random_int(random_, 1, 40);
    if (random_int(random_, 0, 2) == 0) c.groups = channels = static_cast<int>(shape[1]);
    if (shape[2] > 4 && random_int(random_, 0, 3) == 0) c.window.stride = {2, 2};
    const Shape out{1, channels, window_samples(c.window, 0, static_cast<int>(shape[2])),
                    window_samples(c.window, 1, static_cast<int>(shape[3]))};
    int residual = kAbsent;
    for (const int other : images_)
      if (builder_.shape(other) == out && random_int(random_, 0, 2)) residual = other;
    keep(builder_.convolution(image, channels, c, true, residual, activation()));
  }

  void concatenate(int image) {
    const Shape shape = builder_.shape(image);
    std::vector<int> parts{image};
    int64_t channels = shape[1];
    for (const int other : images_) {
      const Shape& of = builder_.shape(other);
      if (of[2] != shape[2] || of[3] != shape[3] || channels + of[1] > 120) continue;
      if (random_int(random_, 0, 1)) continue;
      parts.push_back(other);
      channels += of[1];
    }
    keep(builder_.step(Concat{1}, parts, {1, channels, shape[2], shape[3]}, activation()));
  }

  void resize(int image) {
    const Shape shape = builder_.shape(image);
    const int factor = shape[2] > 12 ? 1 : 2;
    Resize r;
    r.mode = static_cast<Resize::Mode>(random_int(random_, 0, 1));
    r.place = static_cast<Resize::Place>(random_int(random_, 0, 3));
    r.scale = {static_cast<float>(factor), static_cast<float>(factor)};
    keep(builder_.step(r, {image}, {1, shape[1], factor * shape[2], factor * shape[3]}));
  }

  std::mt19937& random_;
  NetworkBuilder builder_;
  std::vector<int> images_;
};

}  // namespace

RandomCase random_network(std::mt19937& random, int steps) {
  Images images(random);
  for (int i = 0; i < steps; ++i) images.grow();
  return images.finish();
}

}  // namespace tandem::check
