// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/klt_pyramid/klt_pyramid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/klt_pyramid/klt_pyramid_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using Down16 = hn::CappedTag<int16_t, 32>;
// With 512 bits each load of neighbours would cross a cache line, and most loads are of neighbours.
using D16 = hn::CappedTag<int16_t, 16>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// GCC does not inline by itself what is called in several places.
#undef INLINE_BODY
#define INLINE_BODY HWY_ATTR __attribute__((always_inline))

/// 16 times a blur of integers.
template <class V>
HWY_INLINE V blur16(V a, V b, V c, V e, V f) {
  const hn::DFromV<V> d;
  const V outer = hn::Add(hn::Add(a, f), hn::ShiftLeft<2>(hn::Add(b, e)));
  return hn::Add(outer, hn::Mul(hn::Set(d, 6), c));
}

/// Calls body(tag, x) for vectors that cover [begin, end); the last one may compute some again.
template <class Tag, typename Body>
HWY_INLINE void for_blocks(Tag d, int begin, int end, const Body& body) {
  const int lanes = static_cast<int>(hn::MaxLanes(d));
  if (end - begin < lanes) {
    for (int x = begin; x < end; ++x) body(hn::CappedTag<hn::TFromD<Tag>, 1>(), x);
    return;
  }
  int x = begin;
  for (; x <= end - lanes; x += lanes) body(d, x);
  if (x < end) body(d, end - lanes);
}

/// The same where body(tag, x) stores vectors at to + x. All but the first and the last are
/// aligned: a store that crosses a cache line costs as much as all that is computed for it.
template <class Tag, typename Body>
HWY_INLINE void for_stores(Tag d, const float* to, int begin, int end, const Body& body) {
  const int lanes = static_cast<int>(hn::MaxLanes(d));
  const auto address = reinterpret_cast<std::uintptr_t>(to + begin);
  const int misaligned = static_cast<int>(address / sizeof(*to) % static_cast<unsigned>(lanes));
  if (misaligned == 0 || end - begin < 2 * lanes) return for_blocks(d, begin, end, body);
  body(d, begin);
  for_blocks(d, begin + lanes - misaligned, end, body);
}

/// The last few rows of something that is computed row by row: row y is at y % kRows.
template <typename T>
class Ring {
 public:
  static constexpr int kRows = 16;

  /// Forgets all rows.
  void start(int width) {
    stride_ = width + 3 * kLanes;  // readable past the end
    if (values_.size() < static_cast<std::size_t>(kRows * stride_)) values_.resize(kRows * stride_);
    rows_.fill(-1);
  }
  T* at(int y) { return values_.data() + y % kRows * stride_; }
  /// Whether row y is there; from now on it is.
  bool has(int y) { return std::exchange(rows_[y % kRows], y) == y; }

 private:
  int stride_ = 0;
  std::vector<T> values_;
  std::array<int, kRows> rows_{};
};

/// Keeps GCC from loading again what it has in a register: 5 loads a row instead of 3.
template <class V>
HWY_INLINE V keep(V v) {
#if HWY_ARCH_X86
  asm("" : "+v"(v.raw));
#endif
  return v;
}

/// dx and dy of kRows rows, without the first and the last pixel. `rows` begins with the row above
/// the first of them. Each row is differentiated and smoothed in x once. `below_border`: the row
/// above has no difference in x.
template <int kRows, bool below_border = false>
HWY_INLINE void gradients(const float* const* rows, int width, float* const* dx, float* const* dy) {
  for_stores(D(), dx[0], 1, width - 1, [&](auto d, int x) INLINE_BODY {
    const auto two = hn::Set(d, 2.0f), eighth = hn::Set(d, 1 / 8.0f);
    hn::Vec<decltype(d)> difference[kRows + 2], smooth[kRows + 2];
#pragma GCC unroll 8
    for (int i = 0; i < kRows + 2; ++i) {
      const auto left = keep(hn::LoadU(d, rows[i] + x - 1)),
                 right = keep(hn::LoadU(d, rows[i] + x + 1));
      difference[i] = below_border && i == 0 ? hn::Zero(d) : hn::Sub(right, left);
      smooth[i] = hn::MulAdd(two, hn::LoadU(d, rows[i] + x), hn::Add(left, right));
      if (i < 2) continue;
      const auto outer = hn::Add(difference[i - 2], difference[i]);
      const auto across = hn::MulAdd(two, difference[i - 1], outer);
      const auto down = hn::Sub(smooth[i], smooth[i - 2]);
      hn::StoreU(hn::Mul(across, eighth), d, dx[i - 2] + x);
      hn::StoreU(hn::Mul(down, eighth), d, dy[i - 2] + x);
    }
  });
}

/// Stores the floats whose 256-fold less 2^15 `v` has.
template <class Tag, class V>
HWY_INLINE void store_floats(Tag d, V v, float* to) {
  const auto store = [](auto part, float* at) HWY_ATTR {
    const hn::DFromV<decltype(part)> d16;
    const hn::Rebind<float, decltype(d16)> d32;
    const auto value =
        hn::ConvertTo(d32, hn::PromoteTo(hn::Rebind<int32_t, decltype(d16)>(), part));
    hn::StoreU(hn::MulAdd(value, hn::Set(d32, 1 / 256.0f), hn::Set(d32, 128.0f)), d32, at);
  };
  if constexpr (hn::MaxLanes(d) == 1) {
    store(v, to);
  } else {
#if HWY_TARGET != HWY_SCALAR  // which has no halves
    const hn::Half<Tag> half;
    store(hn::LowerHalf(half, v), to);
    store(hn::UpperHalf(half, v), to + hn::MaxLanes(half));
#endif
  }
}

/// Computes rows on demand, and once as long as the demand goes from the top down. Bands need no
/// rows from each other, and the inputs of a row are still in the cache. Level 1 is ahead of
/// level 0 by up to 7 rows of the latter. Images are exact: blurs are integers below 2^24.
class Lines {
 public:
  void start(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
    luma_ = luma;
    pyramid_ = pyramid;
    rows_ = rows;
    half_rows_ = {(rows.begin + 1) / 2, (rows.end + 1) / 2};
    half_width_ = (luma.width + 1) / 2;
    image16_.start(luma.width);
    image_.start(luma.width);
    half_across_.start(half_width_);
    half_image_.start(half_width_);
    const auto padded = static_cast<std::size_t>(luma.width + 3 * kLanes);
    if (zeros_.size() < padded) zeros_.resize(padded);
    if (zeros8_.size() < padded) zeros8_.resize(padded);
    for (std::vector<int16_t>& row : down_)
      if (row.size() < padded) row.resize(padded);
    if (half_zeros_.size() < padded) half_zeros_.resize(padded, kHalfZero);
  }

  /// Row y of a level and the next ones that are in the band, as many as are computed together.
  /// Returns how many were written.
  int write_level0(int y) {
    return write(pyramid_.levels[0], y, rows_.end, [&](int v) { return image(v); });
  }
  int write_level1(int y) {
    return write(pyramid_.levels[1], y, half_rows_.end, [&](int v) { return half_image(v); });
  }

 private:
  // Four load less. Their eight streams of writes cost more than that where the second-level cache
  // is left for a slow third one.
  static constexpr int kTogether = 2;
  /// Zero as half_across() stores it.
  static constexpr float kHalfZero = -16.0f * 32768;

  template <typename Image>
  HWY_INLINE int write(const KltLevel<float>& level, int y, int end, const Image& image) {
    const int width = level.image.width, bottom = level.image.height - 1;
    if (y == 0 || y >= bottom || width < 3) {
      put(image(y), level.image, y);
      std::fill_n(level.dx.row(y), width, 0.0f);
      std::fill_n(level.dy.row(y), width, 0.0f);
      return 1;
    }
    const int left = std::min(end, bottom) - y;
    const int count = y == 1 ? 1 : std::min(left, kTogether);
    const float* rows[kTogether + 2];
    float *dx[kTogether], *dy[kTogether];
    for (int i = 0; i < count + 2; ++i) rows[i] = image(y - 1 + i);
    for (int i = 0; i < count; ++i) {
      put(rows[i + 1], level.image, y + i);
      dx[i] = level.dx.row(y + i);
      dy[i] = level.dy.row(y + i);
    }
    if (y == 1) {
      gradients<1, true>(rows, width, dx, dy);
    } else if (count == 1) {
      gradients<1>(rows, width, dx, dy);
    } else {
      gradients<kTogether>(rows, width, dx, dy);
    }
    // The first and the last column have no differences to smooth. Only the first one of level 1 is
    // not zero anyway.
    for (int i = 0; i < count; ++i) {
      dx[i][0] = dx[i][width - 1] = dy[i][0] = dy[i][width - 1] = 0;
      dy[i][1] -= (rows[i + 2][0] - rows[i][0]) / 8;
    }
    return count;
  }

  bool is_inside(int y) const { return y >= 2 && y < luma_.height - 2; }

  static void put(const float* row, Plane<float> plane, int y) {
    if (row != plane.row(y)) std::copy_n(row, plane.width, plane.row(y));
  }

  /// 256 times row y of level 0, which is inside, less 2^15, so that it is signed: pairs of signed
  /// pixels are weighed at once. Makes the row beside it as well, and the floats of both.
  const int16_t* image16(int y) {
    if (image16_.has(y)) return image16_.at(y);
    const int first = y & ~1;
    image16_.has(y ^ 1);
    blur_down(first);
    const int16_t *const down = down_[0].data(), *const next_down = down_[1].data();
    int16_t *const row = image16_.at(first), *const next = image16_.at(first + 1);
    float *const image = image_row(first), *const next_image = image_row(first + 1);
    for_stores(D16(), image, 2, luma_.width - 2, [&](auto d, int x) INLINE_BODY {
      const auto blur = [&](const int16_t* from, int16_t* to, float* floats) INLINE_BODY {
        const auto at = [&](int i) INLINE_BODY { return hn::LoadU(d, from + x + i); };
        const auto v = hn::Add(blur16(at(-2), at(-1), at(0), at(1), at(2)), hn::Set(d, INT16_MIN));
        hn::StoreU(v, d, to + x);
        store_floats(d, v, floats + x);
      };
      blur(down, row, image);
      blur(next_down, next, next_image);
    });
    const int last = luma_.width - 1;
    for (const int x : {0, std::min(1, last), std::max(0, last - 1), last}) {
      row[x] = next[x] = INT16_MIN;
      image[x] = next_image[x] = 0;
    }
    return image16_.at(y);
  }

  /// 16 times rows y and y + 1 of the luma blurred in y. For pairs of rows less is loaded than in
  /// x, and made 16 bits wide.
  void blur_down(int y) {
    const auto luma = [&](int v) { return is_inside(v) ? luma_.row(v) : zeros8_.data(); };
    const uint8_t *const a = luma(y - 2), *const b = luma(y - 1), *const c = luma(y),
                         *const e = luma(y + 1), *const f = luma(y + 2), *const g = luma(y + 3);
    int16_t *const row = down_[0].data(), *const next = down_[1].data();
    for_blocks(Down16(), 0, luma_.width, [&](auto d, int x) INLINE_BODY {
      const auto pixels = [&](const uint8_t* from) HWY_ATTR {
        return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, decltype(d)>(), from + x));
      };
      const auto vb = pixels(b), vc = pixels(c), ve = pixels(e), vf = pixels(f);
      hn::StoreU(blur16(pixels(a), vb, vc, ve, vf), d, row + x);
      hn::StoreU(blur16(vb, vc, ve, vf, pixels(g)), d, next + x);
    });
  }

  /// Where the floats of row y of level 0 are: where they are to be written, when that is in this
  /// band.
  float* image_row(int y) {
    const bool written = is_inside(y) && y >= rows_.begin && y < rows_.end;
    return written ? pyramid_.levels[0].image.row(y) : image_.at(y);
  }

  const float* image(int y) {
    if (!is_inside(y)) return zeros_.data();
    image16(y);
    return image_row(y);
  }

  /// 4096 times row y of level 0 blurred in x, at every second pixel, less 2^19.
  const float* half_across(int y) {
    if (!is_inside(y)) return half_zeros_.data();
    float* const row = half_across_.at(y);
    if (half_across_.has(y)) return row;
    const int16_t* from = image16(y);
    const int inside = std::max(0, (luma_.width - 3) / 2);
    for_blocks(D(), 0, inside, [&](auto d, int x) INLINE_BODY {
      const int16_t* const at = from + 2 * x;  // readable past the row's end
      if constexpr (hn::MaxLanes(d) == 1) {
        row[x] = static_cast<float>(at[0] + 4 * at[1] + 6 * at[2] + 4 * at[3] + at[4]);
      } else {
        const hn::Repartition<int16_t, decltype(d)> d16;
        const hn::Rebind<int32_t, decltype(d)> d32;
        auto odd = hn::Zero(d32);
        const auto add = [&](auto sum, int first, int weight, int next_weight) HWY_ATTR {
          const auto weights = hn::BitCast(d16, hn::Set(d32, next_weight * 65536 + weight));
          return hn::ReorderWidenMulAccumulate(d32, hn::LoadU(d16, at + first), weights, sum, odd);
        };
        const auto sum = add(add(add(hn::Zero(d32), 0, 1, 4), 2, 6, 4), 4, 1, 0);
        hn::StoreU(hn::ConvertTo(d, hn::RearrangeToOddPlusEven(sum, odd)), d, row + x);
      }
    });
    std::fill(row + inside, row + half_width_, kHalfZero);
    return row;
  }

  /// Row y of level 1: where it is to be written, when that is in this band.
  const float* half_image(int y) {
    const int center = 2 * y + 2;
    if (!is_inside(center)) return zeros_.data();
    float* const row = y >= half_rows_.begin && y < half_rows_.end ? pyramid_.levels[1].image.row(y)
                                                                   : half_image_.at(y);
    if (half_image_.has(y)) return row;
    const float *a = half_across(center - 2), *b = half_across(center - 1),
                *c = half_across(center), *e = half_across(center + 1),
                *f = half_across(center + 2);
    for_stores(D(), row, 0, half_width_, [&](auto d, int x) INLINE_BODY {
      constexpr float kOne = 1 / 65536.0f;
      const auto outer = hn::Add(hn::LoadU(d, a + x), hn::LoadU(d, f + x));
      const auto inner = hn::Add(hn::LoadU(d, b + x), hn::LoadU(d, e + x));
      auto sum = hn::MulAdd(hn::Set(d, kOne), outer, hn::Set(d, -16 * kHalfZero * kOne));
      sum = hn::MulAdd(hn::Set(d, 4 * kOne), inner, sum);
      hn::StoreU(hn::MulAdd(hn::Set(d, 6 * kOne), hn::LoadU(d, c + x), sum), d, row + x);
    });
    return row;
  }

  Plane<const uint8_t> luma_;
  KltPyramid<float> pyramid_;
  Rows rows_, half_rows_;  // that are written
  int half_width_ = 0;
  std::array<std::vector<int16_t>, 2> down_;
  Ring<int16_t> image16_;
  Ring<float> image_, half_across_, half_image_;
  std::vector<float> zeros_, half_zeros_;
  std::vector<uint8_t> zeros8_;
};

void run(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
  thread_local Lines lines;
  lines.start(luma, pyramid, rows);
  int next_half = (rows.begin + 1) / 2;
  for (int y = rows.begin; y < rows.end;) {
    y += lines.write_level0(y);
    while (2 * next_half < y) next_half += lines.write_level1(next_half);
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(run);

void klt_pyramid_simd(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
  if (rows.count() <= 0 || luma.width <= 0) return;
  HWY_DYNAMIC_DISPATCH(run)(luma, pyramid, rows);
}

}  // namespace tandem
#endif
