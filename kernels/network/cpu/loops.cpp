// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/cpu/loops.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tandem::network::cpu {
namespace {

/// A side of nested loops: how often, and how many elements the operands go on with each time.
struct Nest {
  int64_t count = 1;
  std::array<int64_t, 2> strides{};
};

/// Calls `row` with the offsets of both operands and of the output for each innermost loop.
template <class Row>
void for_each_row(const std::vector<Nest>& nests, Row&& row) {
  std::array<int64_t, kMostSides> index{};
  std::array<int64_t, 2> at{};
  const std::size_t outer = nests.size() - 1;
  for (int64_t out = 0;; out += nests.back().count) {
    row(at, out);
    std::size_t n = outer;
    for (; n-- > 0;) {
      for (std::size_t o = 0; o < 2; ++o) at[o] += nests[n].strides[o];
      if (++index[n] < nests[n].count) break;
      for (std::size_t o = 0; o < 2; ++o) at[o] -= nests[n].strides[o] * nests[n].count;
      index[n] = 0;
    }
    if (n > outer) return;  // wrapped: all are done
  }
}

/// Joins sides over which both operands go on alike.
std::vector<Nest> joined(const std::vector<Nest>& all) {
  std::vector<Nest> nests;
  for (const Nest& next : all) {
    if (next.count == 1) continue;
    if (!nests.empty()) {
      Nest& last = nests.back();
      bool alike = true;
      for (std::size_t o = 0; o < 2; ++o)
        alike = alike && last.strides[o] == next.strides[o] * next.count;
      if (alike) {
        last.count *= next.count;
        last.strides = next.strides;
        continue;
      }
    }
    nests.push_back(next);
  }
  if (nests.empty()) nests.push_back({1, {1, 1}});
  return nests;
}

/// Elements from one to the next along each side of a row-major shape.
std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (std::size_t side = shape.size(); side-- > 0; stride *= shape[side]) strides[side] = stride;
  return strides;
}

std::vector<Nest> broadcast_nests(const Shape& left, const Shape& right, const Shape& out) {
  std::vector<Nest> nests(out.size());
  for (std::size_t side = 0; side < out.size(); ++side) nests[side].count = out[side];
  for (std::size_t o = 0; o < 2; ++o) {
    const Shape& shape = o == 0 ? left : right;
    const std::vector<int64_t> strides = strides_of(shape);
    for (std::size_t side = 0; side < shape.size(); ++side)
      if (shape[side] != 1) nests[out.size() - shape.size() + side].strides[o] = strides[side];
  }
  return joined(nests);
}

template <class Combine>
Loop combining_loop(std::vector<Nest> nests, Combine combine) {
  return [nests = std::move(nests), combine](std::span<float* const> operands) {
    const int64_t count = nests.back().count;
    const auto& strides = nests.back().strides;
    for_each_row(nests, [&](const std::array<int64_t, 2>& at, int64_t out) {
      const float* a = operands[0] + at[0];
      const float* b = operands[1] + at[1];
      float* const to = operands[2] + out;
      // Vectors in the cases that the compiler sees.
      if (strides[0] == 1 && strides[1] == 1) {
        for (int64_t i = 0; i < count; ++i) to[i] = combine(a[i], b[i]);
      } else if (strides[0] == 1) {
        for (int64_t i = 0; i < count; ++i) to[i] = combine(a[i], *b);
      } else {
        for (int64_t i = 0; i < count; ++i) to[i] = combine(a[i * strides[0]], b[i * strides[1]]);
      }
    });
  };
}

/// Samples along an axis and the share of the second.
struct Samples {
  std::vector<int> first, second;
  std::vector<float> share;
};

Samples samples_of(const Resize& resize, int axis, int in, int out) {
  Samples samples;
  for (int i = 0; i < out; ++i) {
    const float position = resize_position(resize, axis, i, in, out);
    if (resize.mode == Resize::Mode::nearest) {
      samples.first.push_back(resize_nearest(resize, position, in));
      continue;
    }
    const float within = std::clamp(position, 0.0f, static_cast<float>(in - 1));
    const int first = static_cast<int>(within);
    samples.first.push_back(first);
    samples.second.push_back(std::min(first + 1, in - 1));
    samples.share.push_back(within - static_cast<float>(first));
  }
  return samples;
}

void resize_row(const Samples& x, const float* top, const float* bottom, float share, float* to) {
  if (x.share.empty()) {
    for (std::size_t i = 0; i < x.first.size(); ++i) to[i] = top[x.first[i]];
    return;
  }
  for (std::size_t i = 0; i < x.first.size(); ++i) {
    const int left = x.first[i], right = x.second[i];
    const float f = x.share[i];
    to[i] = (1 - share) * ((1 - f) * top[left] + f * top[right]) +
            share * ((1 - f) * bottom[left] + f * bottom[right]);
  }
}

}  // namespace

Loop binary_loop(Binary::Kind kind, const Shape& left, const Shape& right, const Shape& out) {
  const auto nests = broadcast_nests(left, right, out);
  switch (kind) {
    case Binary::Kind::add:
      return combining_loop(nests, [](float a, float b) { return a + b; });
    case Binary::Kind::subtract:
      return combining_loop(nests, [](float a, float b) { return a - b; });
    case Binary::Kind::multiply:
      return combining_loop(nests, [](float a, float b) { return a * b; });
    case Binary::Kind::divide:
      return combining_loop(nests, [](float a, float b) { return a / b; });
    case Binary::Kind::power:
      return combining_loop(nests, [](float a, float b) { return std::pow(a, b); });
    case Binary::Kind::maximum:
      return combining_loop(nests, [](float a, float b) { return std::max(a, b); });
    case Binary::Kind::minimum:
      return combining_loop(nests, [](float a, float b) { return std::min(a, b); });
  }
  return {};
}

Loop resize_loop(const Resize& resize, const Shape& in, const Shape& out) {
  const auto side = [](const Shape& shape, std::size_t i) { return static_cast<int>(shape[i]); };
  Samples y = samples_of(resize, 0, side(in, 2), side(out, 2));
  Samples x = samples_of(resize, 1, side(in, 3), side(out, 3));
  return [y = std::move(y), x = std::move(x), channels = in[1], plane = in[2] * in[3],
          pitch = in[3]](std::span<float* const> operands) {
    const float* from = operands[0];
    float* to = operands[1];
    for (int64_t c = 0; c < channels; ++c, from += plane) {
      for (std::size_t row = 0; row < y.first.size(); ++row, to += x.first.size()) {
        const float* const top = from + y.first[row] * pitch;
        const bool linear = !y.share.empty();
        resize_row(x, top, linear ? from + y.second[row] * pitch : top, linear ? y.share[row] : 0,
                   to);
      }
    }
  };
}

Loop slice_loop(const Slice& slice, const Shape& in, const Shape& out) {
  const std::vector<int64_t> strides = strides_of(in);
  std::vector<Nest> nests(out.size());
  int64_t begin = 0;
  for (std::size_t side = 0; side < out.size(); ++side) {
    const int64_t stride = slice.step[side] * strides[side];
    nests[side] = {out[side], {stride, stride}};
    begin += slice.begin[side] * strides[side];
  }
  return [nests = joined(nests), begin](std::span<float* const> operands) {
    const int64_t count = nests.back().count, apart = nests.back().strides[0];
    for_each_row(nests, [&](const std::array<int64_t, 2>& at, int64_t out_at) {
      const float* const from = operands[0] + begin + at[0];
      float* const to = operands[1] + out_at;
      if (apart == 1) {
        std::copy_n(from, count, to);
      } else {
        for (int64_t i = 0; i < count; ++i) to[i] = from[i * apart];
      }
    });
  };
}

Loop pieces_loop(std::size_t times, std::size_t count, std::size_t from_stride,
                 std::size_t to_stride, std::size_t first) {
  return [=](std::span<float* const> operands) {
    for (std::size_t i = 0; i < times; ++i)
      std::copy_n(operands[0] + i * from_stride, count, operands[1] + first + i * to_stride);
  };
}

}  // namespace tandem::network::cpu
