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

/// Calls body(tag, x) for vectors that cover [begin, end) exactly.
template <typename Body>
HWY_INLINE void for_columns(int begin, int end, const Body& body) {
  int x = begin;
  for (; x + kLanes <= end; x += kLanes) body(D(), x);
  for (; x < end; ++x) body(hn::CappedTag<float, 1>(), x);
}

template <class Tag, class V = hn::Vec<Tag>>
HWY_INLINE V blur(Tag d, V a, V b, V c, V e, V f) {
  const V sum = hn::MulAdd(hn::Set(d, 4.0f), hn::Add(b, e), hn::Add(a, f));
  return hn::Mul(hn::MulAdd(hn::Set(d, 6.0f), c, sum), hn::Set(d, 1 / 16.0f));
}

template <class Tag>
HWY_INLINE hn::Vec<Tag> load_level(Tag d, const uint8_t* luma) {
  const hn::Rebind<uint8_t, Tag> d8;
  const hn::Rebind<int32_t, Tag> d32;
  return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, luma)));
}

/// The last few rows of something that is computed row by row: row y is at y % kRows.
class Ring {
 public:
  static constexpr int kRows = 16;

  /// Forgets all rows.
  void start(int width) {
    stride_ = width + 3 * kLanes;  // readable past the end
    if (values_.size() < static_cast<std::size_t>(kRows * stride_)) values_.resize(kRows * stride_);
    rows_.fill(-1);
  }
  float* at(int y) { return values_.data() + y % kRows * stride_; }
  /// Whether row y is there; from now on it is.
  bool has(int y) { return std::exchange(rows_[y % kRows], y) == y; }

 private:
  int stride_ = 0;
  std::vector<float> values_;
  std::array<int, kRows> rows_{};
};

/// Computes rows when they are asked for, and once as long as that goes from the top down: bands
/// need no rows from each other, and what a row needs is still in the cache. Level 1 is ahead of
/// level 0 by up to 6 rows of the latter.
class Lines {
 public:
  void start(Plane<const uint8_t> luma) {
    luma_ = luma;
    half_width_ = (luma.width + 1) / 2;
    half_height_ = (luma.height + 1) / 2;
    across_.start(luma.width);
    image_.start(luma.width);
    half_across_.start(half_width_);
    half_image_.start(half_width_);
    const auto padded = static_cast<std::size_t>(luma.width + 3 * kLanes);
    if (zeros_.size() < padded) zeros_.resize(padded);
    if (sums_.size() < padded) sums_.resize(padded);
    if (differences_.size() < padded) differences_.resize(padded);
  }

  const float* image(int y) {
    if (y < 2 || y >= luma_.height - 2) return zeros_.data();
    float* const row = image_.at(y);
    if (image_.has(y)) return row;
    down(
        y, [&](int v) { return across(v); }, luma_.width, row);
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
  const float* across(int y) {
    if (y < 2 || y >= luma_.height - 2) return zeros_.data();
    float* const row = across_.at(y);
    if (across_.has(y)) return row;
    const uint8_t* luma = luma_.row(y);
    row[0] = row[1] = 0;
    for_columns(2, luma_.width - 2, [&](auto d, int x) {
      hn::StoreU(
          blur(d, load_level(d, luma + x - 2), load_level(d, luma + x - 1), load_level(d, luma + x),
               load_level(d, luma + x + 1), load_level(d, luma + x + 2)),
          d, row + x);
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
    const D d;
    for (int x = 0; x < inside; x += kLanes) {  // the rows of a ring are padded
      hn::Vec<D> a, b, c, e, f, unused;
      hn::LoadInterleaved2(d, source + 2 * x, a, b);
      hn::LoadInterleaved2(d, source + 2 * x + 2, c, e);
      hn::LoadInterleaved2(d, source + 2 * x + 4, f, unused);
      hn::StoreU(blur(d, a, b, c, e, f), d, row + x);
    }
    std::fill(row + inside, row + half_width_, 0.0f);
    return row;
  }

  template <typename Source>
  static void down(int y, const Source& source, int width, float* row) {
    const float *a = source(y - 2), *b = source(y - 1), *c = source(y), *e = source(y + 1),
                *f = source(y + 2);
    for_columns(0, width, [&](auto d, int x) {
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
    std::copy_n(here, width, level.image.row(y));
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
    float *const sums = sums_.data(), *const differences = differences_.data();
    for_columns(0, width, [&](auto d, int x) {
      const auto outer = hn::Add(hn::LoadU(d, sum_above + x), hn::LoadU(d, sum_below + x));
      hn::StoreU(hn::MulAdd(hn::Set(d, 2.0f), hn::LoadU(d, here + x), outer), d, sums + x);
      hn::StoreU(hn::Sub(hn::LoadU(d, below + x), hn::LoadU(d, above + x)), d, differences + x);
    });
    differences[0] = differences[width - 1] = 0;
    dx[0] = dx[width - 1] = dy[0] = dy[width - 1] = 0;
    for_columns(1, width - 1, [&](auto d, int x) {
      const auto eighth = hn::Set(d, 1 / 8.0f);
      const auto difference = hn::Sub(hn::LoadU(d, sums + x + 1), hn::LoadU(d, sums + x - 1));
      hn::StoreU(hn::Mul(difference, eighth), d, dx + x);
      const auto outer =
          hn::Add(hn::LoadU(d, differences + x - 1), hn::LoadU(d, differences + x + 1));
      const auto sum = hn::MulAdd(hn::Set(d, 2.0f), hn::LoadU(d, differences + x), outer);
      hn::StoreU(hn::Mul(sum, eighth), d, dy + x);
    });
  }

  Plane<const uint8_t> luma_;
  int half_width_ = 0, half_height_ = 0;
  Ring across_, image_, half_across_, half_image_;
  std::vector<float> zeros_, sums_, differences_;
};

void run(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
  thread_local Lines lines;
  lines.start(luma);
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
