// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <cstring>
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
// Of 512 bits, each load of a pixel's neighbours would cross a cache line.
using D = hn::CappedTag<float, 8>;
using D16 = hn::CappedTag<uint16_t, 16>;
using D32 = hn::CappedTag<uint32_t, 8>;
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
HWY_INLINE void for_stores(Tag d, const hn::TFromD<Tag>* to, int begin, int end, const Body& body) {
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

/// dx and dy of kRows rows, without the first and the last pixel. `rows` begins with the row above
/// the first of them; `smoothed` are the same, with zeros in place of a row without differences.
template <int kRows>
HWY_INLINE void gradients(const float* const (&rows)[kRows + 2],
                          const float* const (&smoothed)[kRows + 2], int width, float* const* dx,
                          float* const* dy) {
  for_stores(D(), dx[0], 1, width - 1, [&](auto d, int x) INLINE_BODY {
    const auto two = hn::Set(d, 2.0f), eighth = hn::Set(d, 1 / 8.0f);
    const auto sum = [&](int i, int at) HWY_ATTR {
      const auto outer =
          hn::Add(hn::LoadU(d, smoothed[i] + at), hn::LoadU(d, smoothed[i + 2] + at));
      return hn::MulAdd(two, hn::LoadU(d, smoothed[i + 1] + at), outer);
    };
    const auto difference = [&](int i, int at) HWY_ATTR {
      return hn::Sub(hn::LoadU(d, rows[i + 2] + at), hn::LoadU(d, rows[i] + at));
    };
    hn::Vec<decltype(d)> across[kRows], down[kRows];
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
      across[i] = hn::Mul(hn::Sub(sum(i, x + 1), sum(i, x - 1)), eighth);
      const auto outer = hn::Add(difference(i, x - 1), difference(i, x + 1));
      down[i] = hn::Mul(hn::MulAdd(two, difference(i, x), outer), eighth);
    }
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
      hn::StoreU(across[i], d, dx[i] + x);
      hn::StoreU(down[i], d, dy[i] + x);
    }
  });
}

/// Computes rows when they are asked for, and once as long as that goes from the top down: bands
/// need no rows from each other, and what a row needs is still in the cache. Level 1 is ahead of
/// level 0 by up to 6 rows of the latter. All is exact: blurs are integers below 2^24.
class Lines {
 public:
  void start(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
    luma_ = luma;
    pyramid_ = pyramid;
    rows_ = rows;
    half_rows_ = {(rows.begin + 1) / 2, (rows.end + 1) / 2};
    half_width_ = (luma.width + 1) / 2;
    across_.start(luma.width);
    image16_.start(luma.width);
    image_.start(luma.width);
    half_across_.start(half_width_);
    half_image_.start(half_width_);
    const auto padded = static_cast<std::size_t>(luma.width + 3 * kLanes);
    if (zeros_.size() < padded) zeros_.resize(padded);
    if (zeros16_.size() < padded) zeros16_.resize(padded);
    if (zeros32_.size() < padded) zeros32_.resize(padded);
  }

  /// Row y of level 0 and, if it is in the band, the one below: less is loaded for two at a time.
  /// Returns how many were written.
  int write_level0(int y) {
    const KltLevel<float>& level = pyramid_.levels[0];
    const int height = level.image.height, width = level.image.width;
    const int count = y > 0 && y + 2 < height && y + 1 < rows_.end && width >= 3 ? 2 : 1;
    for (int i = 0; i < count; ++i) put(image(y + i), level.image, y + i);
    float* const dx[] = {level.dx.row(y), level.dx.row(y + count - 1)};
    float* const dy[] = {level.dy.row(y), level.dy.row(y + count - 1)};
    if (count == 2) {
      const float* const four[] = {image(y - 1), image(y), image(y + 1), image(y + 2)};
      gradients<2>(four, four, width, dx, dy);
    } else if (y > 0 && y < height - 1 && width >= 3) {
      const float* const three[] = {image(y - 1), image(y), image(y + 1)};
      gradients<1>(three, three, width, dx, dy);
    } else {
      return clear(dx[0], dy[0], width), 1;
    }
    for (int i = 0; i < count; ++i) dx[i][0] = dx[i][width - 1] = dy[i][0] = dy[i][width - 1] = 0;
    return count;
  }

  void write_level1(int y) {
    const KltLevel<float>& level = pyramid_.levels[1];
    const int width = level.image.width;
    put(half_image(y), level.image, y);
    float *const dx = level.dx.row(y), *const dy = level.dy.row(y);
    if (y == 0 || y == level.image.height - 1 || width < 3) return clear(dx, dy, width);
    const float *const above = half_image(y - 1), *const below = half_image(y + 1);
    const float* const rows[] = {above, half_image(y), below};
    // The first and the last row and column have no differences to smooth. Of these only the first
    // ones are not zeros anyway.
    const float* const smoothed[] = {y == 1 ? zeros_.data() : above, rows[1], below};
    gradients<1>(rows, smoothed, width, &dx, &dy);
    dx[0] = dx[width - 1] = dy[0] = dy[width - 1] = 0;
    dy[1] -= (below[0] - above[0]) / 8;
  }

 private:
  bool is_inside(int y) const { return y >= 2 && y < luma_.height - 2; }

  static void put(const float* row, Plane<float> plane, int y) {
    if (row != plane.row(y)) std::copy_n(row, plane.width, plane.row(y));
  }
  static void clear(float* dx, float* dy, int width) {
    std::fill_n(dx, width, 0.0f);
    std::fill_n(dy, width, 0.0f);
  }

  /// 16 times the luma blurred in x.
  const uint16_t* across(int y) {
    if (!is_inside(y)) return zeros16_.data();
    uint16_t* const row = across_.at(y);
    if (across_.has(y)) return row;
    const uint8_t* luma = luma_.row(y);
    row[0] = row[1] = 0;
    for_blocks(D16(), 2, luma_.width - 2, [&](auto d, int x) INLINE_BODY {
      const hn::Rebind<uint8_t, decltype(d)> d8;
      const auto level = [&](int at)
                             HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d8, luma + at)); };
      hn::StoreU(blur16(level(x - 2), level(x - 1), level(x), level(x + 1), level(x + 2)), d,
                 row + x);
    });
    for (int x = std::max(2, luma_.width - 2); x < luma_.width; ++x) row[x] = 0;
    return row;
  }

  /// 256 times row y of level 0, which is inside. The row beside it is made as well.
  const uint16_t* image16(int y) {
    if (image16_.has(y)) return image16_.at(y);
    const int first = y & ~1;
    image16_.has(y ^ 1);
    const uint16_t *a = across(first - 2), *b = across(first - 1), *c = across(first),
                   *e = across(first + 1), *f = across(first + 2), *g = across(first + 3);
    uint16_t *const row = image16_.at(first), *const next = image16_.at(first + 1);
    for_blocks(D16(), 0, luma_.width, [&](auto d, int x) INLINE_BODY {
      const auto vb = hn::LoadU(d, b + x), vc = hn::LoadU(d, c + x), ve = hn::LoadU(d, e + x),
                 vf = hn::LoadU(d, f + x);
      hn::StoreU(blur16(hn::LoadU(d, a + x), vb, vc, ve, vf), d, row + x);
      hn::StoreU(blur16(vb, vc, ve, vf, hn::LoadU(d, g + x)), d, next + x);
    });
    return image16_.at(y);
  }

  /// Row y of level 0: where it is to be written, when that is in this band.
  const float* image(int y) {
    if (!is_inside(y)) return zeros_.data();
    float* const row =
        y >= rows_.begin && y < rows_.end ? pyramid_.levels[0].image.row(y) : image_.at(y);
    if (image_.has(y)) return row;
    const uint16_t* from = image16(y);
    for_stores(D(), row, 0, luma_.width, [&](auto d, int x) INLINE_BODY {
      const hn::Rebind<uint16_t, decltype(d)> d16;
      const hn::Rebind<int32_t, decltype(d)> d32;
      const auto sum = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d16, from + x)));
      hn::StoreU(hn::Mul(sum, hn::Set(d, 1 / 256.0f)), d, row + x);
    });
    return row;
  }

  /// 4096 times row y of level 0 blurred in x, at every second pixel.
  const uint32_t* half_across(int y) {
    if (!is_inside(y)) return zeros32_.data();
    uint32_t* const row = half_across_.at(y);
    if (half_across_.has(y)) return row;
    const uint16_t* from = image16(y);
    const int inside = std::max(0, (luma_.width - 3) / 2);
    for_blocks(D32(), 0, inside, [&](auto d, int x) INLINE_BODY {
      // A pixel and its right neighbour are the halves of 32 bits; the row is readable past its
      // end.
      const auto pairs = [&](int at) HWY_ATTR {
        if constexpr (hn::MaxLanes(d) == 1) {
          uint32_t pair;
          std::memcpy(&pair, from + at, sizeof pair);
          return hn::Set(d, pair);
        } else {
          return hn::BitCast(d, hn::LoadU(hn::Repartition<uint16_t, decltype(d)>(), from + at));
        }
      };
      const auto even = [&](auto v) HWY_ATTR { return hn::And(v, hn::Set(d, 0xffffu)); };
      const auto ab = pairs(2 * x), ce = pairs(2 * x + 2), f = pairs(2 * x + 4);
      hn::StoreU(
          blur16(even(ab), hn::ShiftRight<16>(ab), even(ce), hn::ShiftRight<16>(ce), even(f)), d,
          row + x);
    });
    std::fill(row + inside, row + half_width_, 0u);
    return row;
  }

  /// Row y of level 1, as image().
  const float* half_image(int y) {
    const int center = 2 * y + 2;
    if (!is_inside(center)) return zeros_.data();
    float* const row = y >= half_rows_.begin && y < half_rows_.end ? pyramid_.levels[1].image.row(y)
                                                                   : half_image_.at(y);
    if (half_image_.has(y)) return row;
    const uint32_t *a = half_across(center - 2), *b = half_across(center - 1),
                   *c = half_across(center), *e = half_across(center + 1),
                   *f = half_across(center + 2);
    for_stores(D(), row, 0, half_width_, [&](auto d, int x) INLINE_BODY {
      const hn::Rebind<uint32_t, decltype(d)> du;
      const hn::Rebind<int32_t, decltype(d)> d32;
      const auto sum = blur16(hn::LoadU(du, a + x), hn::LoadU(du, b + x), hn::LoadU(du, c + x),
                              hn::LoadU(du, e + x), hn::LoadU(du, f + x));
      const auto value = hn::ConvertTo(d, hn::BitCast(d32, sum));
      hn::StoreU(hn::Mul(value, hn::Set(d, 1 / 65536.0f)), d, row + x);
    });
    return row;
  }

  Plane<const uint8_t> luma_;
  KltPyramid<float> pyramid_;
  Rows rows_, half_rows_;  // that are written
  int half_width_ = 0;
  Ring<uint16_t> across_, image16_;
  Ring<uint32_t> half_across_;
  Ring<float> image_, half_image_;
  std::vector<float> zeros_;
  std::vector<uint16_t> zeros16_;
  std::vector<uint32_t> zeros32_;
};

void run(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
  thread_local Lines lines;
  lines.start(luma, pyramid, rows);
  int next_half = (rows.begin + 1) / 2;
  for (int y = rows.begin; y < rows.end;) {
    y += lines.write_level0(y);
    for (; 2 * next_half < y; ++next_half) lines.write_level1(next_half);
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
