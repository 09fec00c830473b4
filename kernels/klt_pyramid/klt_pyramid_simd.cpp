// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
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
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

template <class Tag, class V = hn::Vec<Tag>>
HWY_INLINE V blur(Tag d, V a, V b, V c, V e, V f) {
  const V sum = hn::MulAdd(hn::Set(d, 4.0f), hn::Add(b, e), hn::Add(a, f));
  return hn::Mul(hn::MulAdd(hn::Set(d, 6.0f), c, sum), hn::Set(d, 1 / 16.0f));
}

/// 16 times a blur of integers.
template <class Tag, class V = hn::Vec<Tag>>
HWY_INLINE V blur16(Tag, V a, V b, V c, V e, V f) {
  const V outer = hn::Add(hn::Add(a, f), hn::ShiftLeft<2>(hn::Add(b, e)));
  return hn::Add(outer, hn::Add(hn::ShiftLeft<2>(c), hn::ShiftLeft<1>(c)));
}

/// Calls body(tag, x) for vectors that cover [begin, end); the last one may compute some again.
template <class Tag, typename Body>
HWY_INLINE void for_blocks(Tag d, int begin, int end, const Body& body) {
  const int lanes = static_cast<int>(hn::MaxLanes(d));
  if (end - begin < lanes) {
    for (int x = begin; x < end; ++x) body(hn::CappedTag<hn::TFromD<Tag>, 1>(), x);
    return;
  }
  for (int x = begin; x < end; x += lanes) body(d, std::min(x, end - lanes));
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

/// Computes rows when they are asked for, and once as long as that goes from the top down: bands
/// need no rows from each other, and what a row needs is still in the cache. Level 1 is ahead of
/// level 0 by up to 6 rows of the latter.
class Lines {
 public:
  void start(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
    luma_ = luma;
    written_ = pyramid.levels[0].image;
    rows_ = rows;
    half_width_ = (luma.width + 1) / 2;
    half_height_ = (luma.height + 1) / 2;
    across_.start(luma.width);
    image_.start(luma.width);
    half_across_.start(half_width_);
    half_image_.start(half_width_);
    const auto padded = static_cast<std::size_t>(luma.width + 3 * kLanes);
    if (zeros_.size() < padded) zeros_.resize(padded);
    if (zeros16_.size() < padded) zeros16_.resize(padded);
  }

  /// Row y of level 0: where it is to be written, when that is in this band.
  const float* image(int y) {
    if (y < 2 || y >= luma_.height - 2) return zeros_.data();
    float* const row = y >= rows_.begin && y < rows_.end ? written_.row(y) : image_.at(y);
    if (image_.has(y)) return row;
    const uint16_t *a = across(y - 2), *b = across(y - 1), *c = across(y), *e = across(y + 1),
                   *f = across(y + 2);
    for_blocks(D(), 0, luma_.width, [&](auto d, int x) HWY_ATTR {
      const hn::Rebind<uint16_t, decltype(d)> d16;
      const hn::Rebind<int32_t, decltype(d)> d32;
      const auto sum = blur16(d16, hn::LoadU(d16, a + x), hn::LoadU(d16, b + x),
                              hn::LoadU(d16, c + x), hn::LoadU(d16, e + x), hn::LoadU(d16, f + x));
      const auto wide = hn::ConvertTo(d, hn::PromoteTo(d32, sum));
      hn::StoreU(hn::Mul(wide, hn::Set(d, 1 / 256.0f)), d, row + x);
    });
    return row;
  }

  /// Row y of level 1.
  const float* half_image(int y) {
    if (2 * y + 2 >= luma_.height - 2) return zeros_.data();
    float* const row = half_image_.at(y);
    if (half_image_.has(y)) return row;
    down(
        2 * y + 2, [&](int v) { return half_across(v); }, half_width_, row);
    return row;
  }

  void write_level0(const KltLevel<float>& level, int y) {
    write(level, y, [&](int v) { return image(v); });
  }
  void write_level1(const KltLevel<float>& level, int y) {
    write(level, y, [&](int v) { return half_image(v); });
  }

 private:
  /// 16 times the luma blurred in x. Sixteen bits hold it, and 256 times the blur in both
  /// directions.
  const uint16_t* across(int y) {
    if (y < 2 || y >= luma_.height - 2) return zeros16_.data();
    uint16_t* const row = across_.at(y);
    if (across_.has(y)) return row;
    const uint8_t* luma = luma_.row(y);
    row[0] = row[1] = 0;
    for_blocks(hn::CappedTag<uint16_t, 32>(), 2, luma_.width - 2, [&](auto d, int x) HWY_ATTR {
      const hn::Rebind<uint8_t, decltype(d)> d8;
      const auto level = [&](int at)
                             HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d8, luma + at)); };
      hn::StoreU(blur16(d, level(x - 2), level(x - 1), level(x), level(x + 1), level(x + 2)), d,
                 row + x);
    });
    for (int x = std::max(2, luma_.width - 2); x < luma_.width; ++x) row[x] = 0;
    return row;
  }

  const float* half_across(int y) {
    if (y < 2 || y >= luma_.height - 2) return zeros_.data();
    float* const row = half_across_.at(y);
    if (half_across_.has(y)) return row;
    const float* source = image(y);
    const int inside = std::max(0, (luma_.width - 3) / 2);
    for_blocks(D(), 0, inside, [&](auto d, int x) HWY_ATTR {
      hn::Vec<decltype(d)> a, b, c, e, f, unused;
      hn::LoadInterleaved2(d, source + 2 * x, a, b);
      hn::LoadInterleaved2(d, source + 2 * x + 2, c, e);
      hn::LoadInterleaved2(d, source + 2 * x + 3, unused, f);  // from 4 on would pass the row's end
      hn::StoreU(blur(d, a, b, c, e, f), d, row + x);
    });
    std::fill(row + inside, row + half_width_, 0.0f);
    return row;
  }

  template <typename Source>
  static void down(int y, const Source& source, int width, float* row) {
    const float *a = source(y - 2), *b = source(y - 1), *c = source(y), *e = source(y + 1),
                *f = source(y + 2);
    for_blocks(D(), 0, width, [&](auto d, int x) HWY_ATTR {
      hn::StoreU(blur(d, hn::LoadU(d, a + x), hn::LoadU(d, b + x), hn::LoadU(d, c + x),
                      hn::LoadU(d, e + x), hn::LoadU(d, f + x)),
                 d, row + x);
    });
  }

  /// Row y of a level and its gradients.
  template <typename Source>
  void write(const KltLevel<float>& level, int y, const Source& source) {
    const int width = level.image.width, height = level.image.height;
    const float* here = source(y);
    if (here != level.image.row(y)) std::copy_n(here, width, level.image.row(y));
    float *const dx = level.dx.row(y), *const dy = level.dy.row(y);
    if (y == 0 || y == height - 1 || width < 3) {
      std::fill_n(dx, width, 0.0f);
      std::fill_n(dy, width, 0.0f);
      return;
    }
    const float *above = source(y - 1), *below = source(y + 1);
    // The first and the last row have no differences to smooth.
    const float* sum_above = y == 1 ? zeros_.data() : above;
    const float* sum_below = y == height - 2 ? zeros_.data() : below;
    for_blocks(D(), 1, width - 1, [&](auto d, int x) HWY_ATTR {
      const auto two = hn::Set(d, 2.0f), eighth = hn::Set(d, 1 / 8.0f);
      const auto sum = [&](int at) HWY_ATTR {
        const auto outer = hn::Add(hn::LoadU(d, sum_above + at), hn::LoadU(d, sum_below + at));
        return hn::MulAdd(two, hn::LoadU(d, here + at), outer);
      };
      const auto difference = [&](int at) HWY_ATTR {
        return hn::Sub(hn::LoadU(d, below + at), hn::LoadU(d, above + at));
      };
      hn::StoreU(hn::Mul(hn::Sub(sum(x + 1), sum(x - 1)), eighth), d, dx + x);
      const auto outer = hn::Add(difference(x - 1), difference(x + 1));
      hn::StoreU(hn::Mul(hn::MulAdd(two, difference(x), outer), eighth), d, dy + x);
    });
    // Nor have the first and the last column.
    dx[0] = dx[width - 1] = dy[0] = dy[width - 1] = 0;
    dy[1] -= (below[0] - above[0]) / 8;
    dy[width - 2] -= (below[width - 1] - above[width - 1]) / 8;
  }

  Plane<const uint8_t> luma_;
  int half_width_ = 0, half_height_ = 0;
  Plane<float> written_;  // level 0
  Rows rows_;             // of it that are written
  Ring<uint16_t> across_;
  Ring<float> image_, half_across_, half_image_;
  std::vector<float> zeros_;
  std::vector<uint16_t> zeros16_;
};

void run(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
  thread_local Lines lines;
  lines.start(luma, pyramid, rows);
  for (int y = rows.begin; y < rows.end; ++y) {
    lines.write_level0(pyramid.levels[0], y);
    if (y % 2 == 0) lines.write_level1(pyramid.levels[1], y / 2);
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
