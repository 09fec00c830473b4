// SPDX-License-Identifier: LGPL-2.1-or-later
// Operations that make rows of a level: blurs, and gradients as length and angle.
#if defined(TANDEM_SCENE_FEATURES_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_SCENE_FEATURES_ROWS_INL_H_
#undef TANDEM_SCENE_FEATURES_ROWS_INL_H_
#else
#define TANDEM_SCENE_FEATURES_ROWS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <vector>

#include "hwy/highway.h"
#include "kernels/scene_features/scene_features.h"
#include "kernels/util/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// GCC does not inline by itself what is called in several places.
#undef INLINE_BODY
#define INLINE_BODY HWY_ATTR __attribute__((always_inline))

constexpr int kLevels = kSceneScales + 3;
/// Rows that are blurred together: each value that is loaded serves all of them.
constexpr int kGroup = 4;
/// Floats before and after a row, at least the greatest radius; a multiple of what a cache line
/// holds.
constexpr int kMargin = 16;

struct Blur {
  int radius = 0;
  std::array<float, 2 * kMargin> taps{};
};

const std::array<Blur, kLevels>& blurs() {
  static const std::array<Blur, kLevels> all = [] {
    std::array<Blur, kLevels> made;
    for (int level = 0; level < kLevels; ++level) {
      const std::vector<float> taps = scene_taps(scene_blur(level));
      made[level].radius = static_cast<int>(taps.size() / 2);
      std::copy(taps.begin(), taps.end(), made[level].taps.begin());
    }
    return made;
  }();
  return all;
}

/// Calls body(x) for blocks of `step` columns that cover [0, width) exactly. The last one may
/// compute some again: no row is shorter than a block.
template <typename Body>
HWY_INLINE void for_blocks(int width, int step, const Body& body) {
  for (int x = 0; x < width; x += step) body(std::min(x, width - step));
}

/// Sums of one block of two vectors in kGroup rows.
struct Sums {
  V v[kGroup][2];

  HWY_INLINE Sums() {
#pragma GCC unroll 4
    for (int i = 0; i < kGroup; ++i) v[i][0] = v[i][1] = hn::Zero(D());
  }
  HWY_INLINE void store(int i, float* to) const {
    hn::StoreU(v[i][0], D(), to);
    hn::StoreU(v[i][1], D(), to + kLanes);
  }
};

/// kGroup rows of sums over `rows`, which begin with the first tap of the first of them. A row's
/// terms and their order do not depend on the group that it is in.
HWY_INLINE void blur_down(const float* const* rows, const Blur& blur, int width, float* to,
                          std::ptrdiff_t stride) {
  const D d;
  const int taps = 2 * blur.radius + 1;
  for_blocks(width, 2 * kLanes, [&](int x) INLINE_BODY {
    Sums s;
    // To the sums of the rows `first` to `last` of the group.
    const auto add = [&](int row, int first, int last) INLINE_BODY {
      const V v0 = hn::LoadU(d, rows[row] + x), v1 = hn::LoadU(d, rows[row] + x + kLanes);
#pragma GCC unroll 4
      for (int i = first; i <= last; ++i) {
        const V tap = hn::Set(d, blur.taps[row - i]);
        s.v[i][0] = hn::MulAdd(tap, v0, s.v[i][0]);
        s.v[i][1] = hn::MulAdd(tap, v1, s.v[i][1]);
      }
    };
    static_assert(kGroup == 4);
    add(0, 0, 0);
    add(1, 0, 1);
    add(2, 0, 2);
    for (int row = 3; row < taps; ++row) add(row, 0, 3);
    add(taps, 1, 3);
    add(taps + 1, 2, 3);
    add(taps + 2, 3, 3);
#pragma GCC unroll 4
    for (int i = 0; i < kGroup; ++i) s.store(i, to + x + i * stride);
  });
}

/// The same to the right, in kGroup rows that have a margin.
HWY_INLINE void blur_across(const float* from, std::ptrdiff_t from_stride, const Blur& blur,
                            int width, float* const* to) {
  const D d;
  for_blocks(width, 2 * kLanes, [&](int x) INLINE_BODY {
    Sums s;
    const float* at = from + x - blur.radius;
    for (int k = 0; k < 2 * blur.radius + 1; ++k, ++at) {
      const V tap = hn::Set(d, blur.taps[k]);
#pragma GCC unroll 4
      for (int i = 0; i < kGroup; ++i) {
        s.v[i][0] = hn::MulAdd(tap, hn::LoadU(d, at + i * from_stride), s.v[i][0]);
        s.v[i][1] = hn::MulAdd(tap, hn::LoadU(d, at + i * from_stride + kLanes), s.v[i][1]);
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < kGroup; ++i) s.store(i, to[i] + x);
  });
}

/// Angle of (dx, dy) within 2e-6, and 0 if both are 0. The polynomial is the best of its degree for
/// the arc tangent in [0, 1].
HWY_INLINE V angle_of(V dx, V dy) {
  const D d;
  const V ax = hn::Abs(dx), ay = hn::Abs(dy);
  const V most = hn::Max(hn::Max(ax, ay), hn::Set(d, 1e-30f));
  V reciprocal = hn::ApproximateReciprocal(most);
  reciprocal =
      hn::MulAdd(hn::NegMulAdd(most, reciprocal, hn::Set(d, 1.0f)), reciprocal, reciprocal);
  const V t = hn::Mul(hn::Min(ax, ay), reciprocal);
  const V t2 = hn::Mul(t, t);
  V p = hn::Set(d, -0.011719135734256725f);
  p = hn::MulAdd(p, t2, hn::Set(d, 0.05264735146589641f));
  p = hn::MulAdd(p, t2, hn::Set(d, -0.11642648196997651f));
  p = hn::MulAdd(p, t2, hn::Set(d, 0.19354037608393043f));
  p = hn::MulAdd(p, t2, hn::Set(d, -0.3326228278902576f));
  p = hn::MulAdd(p, t2, hn::Set(d, 0.9999772190822532f));
  p = hn::Mul(p, t);
  p = hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(hn::Set(d, 1.57079633f), p), p);
  p = hn::IfThenElse(hn::Lt(dx, hn::Zero(d)), hn::Sub(hn::Set(d, 3.14159265f), p), p);
  return hn::CopySignToAbs(p, dy);
}

/// sqrt(square); the root and the division of x86 would take as long as the blurs.
HWY_INLINE V root(V square) {
  const D d;
  const V s = hn::Max(square, hn::Set(d, 1e-30f));
  V r = hn::ApproximateReciprocalSqrt(s);
  const V half = hn::Mul(s, hn::Set(d, 0.5f));
  r = hn::Mul(r, hn::NegMulAdd(hn::Mul(half, r), r, hn::Set(d, 1.5f)));
  return hn::Mul(square, r);
}

/// Half the differences of the neighbours, as length and angle; `row` has a margin.
HWY_INLINE void gradient(const float* above, const float* row, const float* below, int width,
                         Half* magnitude, Half* angle) {
  const D d;
  const V half = hn::Set(d, 0.5f);
  for_blocks(width, kLanes, [&](int x) INLINE_BODY {
    const V dx = hn::Mul(half, hn::Sub(hn::LoadU(d, row + x + 1), hn::LoadU(d, row + x - 1)));
    const V dy = hn::Mul(half, hn::Sub(hn::LoadU(d, below + x), hn::LoadU(d, above + x)));
    store_halves(root(hn::MulAdd(dx, dx, hn::Mul(dy, dy))), d, magnitude + x);
    store_halves(angle_of(dx, dy), d, angle + x);
  });
}

/// Repeats the ends of a row into `count` floats of its margins.
void extend(float* row, int width, int count) {
  std::fill_n(row - count, count, row[0]);
  std::fill_n(row + width, count, row[width - 1]);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#endif
