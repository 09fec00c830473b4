// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/srad/srad.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/srad/srad_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using One = hn::CappedTag<float, 1>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

/// Calls step(tag, x) for vectors from `first` on, and for single pixels at the end.
template <typename Step>
HWY_INLINE void across_once(int first, int end, const Step& step) {
  int x = first;
  for (; x + kLanes <= end; x += kLanes) step(D(), x);
  for (; x < end; ++x) step(One(), x);
}

/// As across_once, but the last vector may overlap the one before it: only where what a step reads
/// is not what it writes.
template <typename Step>
HWY_INLINE void across(int first, int end, const Step& step) {
  if (end - first < kLanes) return across_once(first, end, step);
  for (int x = first; x + kLanes <= end; x += kLanes) step(D(), x);
  if ((end - first) % kLanes != 0) step(D(), end - kLanes);
}

// Both functions are needed on an interval alone, where a polynomial does without any reduction of
// its argument. It meets the function at the Chebyshev nodes. Coefficients are in order, lowest
// first. With the exp and log of Highway these two stages took two and three times as long.

/// `exp(t + 1/2)` for t in [-1/2, 1/2], to 3e-7.
constexpr float kExp[] = {1.64872122f,   1.64872181f,   0.824360728f,  0.274768889f,
                          0.0686944723f, 0.0138830850f, 0.00230784272f};
/// `255 log(x)` for x in [1, e] and `t = (2 x - 1 - e) / (e - 1)`, to 4e-4.
constexpr float kLog[] = {158.129196f, 117.838409f,   -27.2272987f, 8.40761280f,  -2.91537499f,
                          1.00785112f, -0.385862440f, 0.245928973f, -0.100579053f};
constexpr float kE = 2.71828183f;

template <typename Tag, int kCount>
HWY_INLINE hn::Vec<Tag> polynomial(Tag d, const float (&coefficients)[kCount], hn::Vec<Tag> t) {
  auto sum = hn::Set(d, coefficients[kCount - 1]);
  for (int i = kCount - 2; i >= 0; --i) sum = hn::MulAdd(sum, t, hn::Set(d, coefficients[i]));
  return sum;
}

void extract(Plane<const uint8_t> luma, Plane<float> image, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    const uint8_t* in = luma.row(y);
    float* out = image.row(y);
    across(0, image.width, [=](auto d, int x) HWY_ATTR {
      const hn::Rebind<uint8_t, decltype(d)> d8;
      const hn::Rebind<int32_t, decltype(d)> d32;
      const auto level = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, in + x)));
      const auto t = hn::MulSub(level, hn::Set(d, 1.0f / 255), hn::Set(d, 0.5f));
      hn::StoreU(polynomial(d, kExp, t), d, out + x);
    });
  }
}

void prepare(Plane<const float> image, Plane<float> squares, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    const float* in = image.row(y);
    float* out = squares.row(y);
    across(0, image.width, [=](auto d, int x) HWY_ATTR {
      const auto value = hn::LoadU(d, in + x);
      hn::StoreU(hn::Mul(value, value), d, out + x);
    });
  }
}

/// Four sums side by side, so that additions need not wait for each other.
SradSums sum_row(const float* image, const float* squares, int width) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto load = [=](const float* values)
                        HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(df, values)); };
  auto image_even = hn::Zero(d), image_odd = hn::Zero(d);
  auto squares_even = hn::Zero(d), squares_odd = hn::Zero(d);
  int x = 0;
  for (; x + 2 * lanes <= width; x += 2 * lanes) {
    image_even = hn::Add(image_even, load(image + x));
    squares_even = hn::Add(squares_even, load(squares + x));
    image_odd = hn::Add(image_odd, load(image + x + lanes));
    squares_odd = hn::Add(squares_odd, load(squares + x + lanes));
  }
  SradSums sums{hn::GetLane(hn::SumOfLanes(d, hn::Add(image_even, image_odd))),
                hn::GetLane(hn::SumOfLanes(d, hn::Add(squares_even, squares_odd)))};
  for (; x < width; ++x) {
    sums.image += image[x];
    sums.squares += squares[x];
  }
  return sums;
}

void reduce(Plane<const float> image, Plane<const float> squares, SradSums* sums, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y)
    sums[y] = sum_row(image.row(y), squares.row(y), image.width);
}

/// The rows that stage 4 reads and writes.
struct Diffusion {
  const float *here, *above, *below;
  float *south, *east, *coefficient;
};

/// `left` and `right`: where the neighbours of pixel x are.
///
/// With J the pixel and D its differences, q = N / S^2, so that one division does:
///   S = J + sum(D) / 4, N = sum(D^2) / 2 - sum(D)^2 / 16
///   c = q0 (1 + q0) / (q0^2 + q) = q0 (1 + q0) S^2 / (q0^2 S^2 + N)
template <typename Tag>
HWY_INLINE void diffuse_pixels(Tag d, const Diffusion& row, float q0, int x, int left, int right) {
  const auto pixel = hn::LoadU(d, row.here + x);
  const auto north = hn::Sub(hn::LoadU(d, row.above + x), pixel);
  const auto south = hn::Sub(hn::LoadU(d, row.below + x), pixel);
  const auto west = hn::Sub(hn::LoadU(d, row.here + left), pixel);
  const auto east = hn::Sub(hn::LoadU(d, row.here + right), pixel);
  const auto sum = hn::Add(hn::Add(north, south), hn::Add(west, east));
  const auto sum2 = hn::MulAdd(
      north, north, hn::MulAdd(south, south, hn::MulAdd(west, west, hn::Mul(east, east))));
  const auto s = hn::MulAdd(sum, hn::Set(d, 0.25f), pixel);
  const auto s2 = hn::Mul(s, s);
  const auto n =
      hn::NegMulAdd(hn::Mul(sum, sum), hn::Set(d, 0.0625f), hn::Mul(sum2, hn::Set(d, 0.5f)));
  // Above 0 also where q0 is 0 and nothing differs.
  const auto denominator = hn::Max(hn::MulAdd(hn::Set(d, q0 * q0), s2, n), hn::Set(d, 1e-30f));
  const auto c = hn::Div(hn::Mul(hn::Set(d, q0 * (1 + q0)), s2), denominator);
  hn::StoreU(south, d, row.south + x);
  hn::StoreU(east, d, row.east + x);
  hn::StoreU(hn::Min(c, hn::Set(d, 1.0f)), d, row.coefficient + x);
}

void diffuse(Plane<const float> image, float q0, Plane<float> differences, Plane<float> coefficient,
             Rows rows) {
  const int height = image.height, last = image.width - 1;
  for (int y = rows.begin; y < rows.end; ++y) {
    const Diffusion row{
        image.row(y),       image.row(std::max(y - 1, 0)), image.row(std::min(y + 1, height - 1)),
        differences.row(y), differences.row(height + y),   coefficient.row(y)};
    diffuse_pixels(One(), row, q0, 0, 0, std::min(1, last));
    across(1, last, [&](auto d, int x) HWY_ATTR { diffuse_pixels(d, row, q0, x, x - 1, x + 1); });
    if (last > 0) diffuse_pixels(One(), row, q0, last, last - 1, last);
  }
}

/// The rows that stage 5 reads and writes.
struct Update {
  const float *image, *above, *south, *east, *here, *below;  // above: `south` of the row above
  float* updated;
};

/// `left` and `right`: where the neighbours of pixel x are.
template <typename Tag>
HWY_INLINE void update_pixels(Tag d, const Update& row, float rate, int x, int left, int right) {
  const auto here = hn::LoadU(d, row.here + x);
  const auto from =
      hn::Mul(here, hn::Add(hn::LoadU(d, row.above + x), hn::LoadU(d, row.east + left)));
  const auto with_south =
      hn::MulSub(hn::LoadU(d, row.below + x), hn::LoadU(d, row.south + x), from);
  const auto divergence =
      hn::MulAdd(hn::LoadU(d, row.here + right), hn::LoadU(d, row.east + x), with_south);
  hn::StoreU(hn::MulAdd(hn::Set(d, rate), divergence, hn::LoadU(d, row.image + x)), d,
             row.updated + x);
}

void update(Plane<const float> image, Plane<const float> differences,
            Plane<const float> coefficient, float lambda, Plane<float> updated, Rows rows) {
  const int height = image.height, last = image.width - 1;
  for (int y = rows.begin; y < rows.end; ++y) {
    // Where nothing is above or to the left: the last row and column of the differences are 0.
    const Update row{image.row(y),       differences.row(y > 0 ? y - 1 : height - 1),
                     differences.row(y), differences.row(height + y),
                     coefficient.row(y), coefficient.row(std::min(y + 1, height - 1)),
                     updated.row(y)};
    const float rate = lambda / 4;
    update_pixels(One(), row, rate, 0, last, std::min(1, last));
    across_once(1, last,
                [&](auto d, int x) HWY_ATTR { update_pixels(d, row, rate, x, x - 1, x + 1); });
    if (last > 0) update_pixels(One(), row, rate, last, last - 1, last);
  }
}

void compress(Plane<const float> image, Plane<uint8_t> luma, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    const float* in = image.row(y);
    uint8_t* out = luma.row(y);
    across(0, image.width, [=](auto d, int x) HWY_ATTR {
      const hn::Rebind<uint8_t, decltype(d)> d8;
      const hn::Rebind<int32_t, decltype(d)> d32;
      const auto value = hn::Min(hn::Max(hn::LoadU(d, in + x), hn::Set(d, 1.0f)), hn::Set(d, kE));
      const auto t = hn::MulSub(value, hn::Set(d, 2 / (kE - 1)), hn::Set(d, (kE + 1) / (kE - 1)));
      const auto level = hn::Add(polynomial(d, kLog, t), hn::Set(d, 0.5f));
      hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, level)), d8, out + x);
    });
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(extract);
HWY_EXPORT(prepare);
HWY_EXPORT(reduce);
HWY_EXPORT(diffuse);
HWY_EXPORT(update);
HWY_EXPORT(compress);

void srad_extract_simd(Plane<const uint8_t> luma, Plane<float> image, Rows rows) {
  HWY_DYNAMIC_DISPATCH(extract)(luma, image, rows);
}

void srad_prepare_simd(Plane<const float> image, Plane<float> squares, Rows rows) {
  HWY_DYNAMIC_DISPATCH(prepare)(image, squares, rows);
}

void srad_reduce_simd(Plane<const float> image, Plane<const float> squares, SradSums* sums,
                      Rows rows) {
  HWY_DYNAMIC_DISPATCH(reduce)(image, squares, sums, rows);
}

void srad_diffuse_simd(Plane<const float> image, float variation, Plane<float> differences,
                       Plane<float> coefficient, Rows rows) {
  HWY_DYNAMIC_DISPATCH(diffuse)(image, variation, differences, coefficient, rows);
}

void srad_update_simd(Plane<const float> image, Plane<const float> differences,
                      Plane<const float> coefficient, float lambda, Plane<float> updated,
                      Rows rows) {
  HWY_DYNAMIC_DISPATCH(update)(image, differences, coefficient, lambda, updated, rows);
}

void srad_compress_simd(Plane<const float> image, Plane<uint8_t> luma, Rows rows) {
  HWY_DYNAMIC_DISPATCH(compress)(image, luma, rows);
}

}  // namespace tandem
#endif
