// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/klt_flow/klt_flow.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/klt_flow/klt_flow_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

/// A step needs e = sum (previous - current at d) dx. The bilinear weights of `current` depend on
/// the fraction of d alone. They weight four sums of (current - m) dx over whole pixels: those of d
/// rounded down and of its right, lower and diagonal neighbours. Once the sums are known, further
/// steps around the same pixel cost nothing. m is about the mean, which keeps the sums small.
HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Point {
  float x = 0, y = 0;
};

/// A point as a pixel and the bilinear weights of it and its right, lower and diagonal neighbours.
struct Place {
  int x, y;
  float weights[4];

  explicit Place(Point p)
      : x(static_cast<int>(std::floor(p.x))), y(static_cast<int>(std::floor(p.y))) {
    const float a = p.x - static_cast<float>(x), b = p.y - static_cast<float>(y);
    weights[0] = (1 - a) * (1 - b);
    weights[1] = a * (1 - b);
    weights[2] = (1 - a) * b;
    weights[3] = a * b;
  }
  double weigh(const double sums[4]) const {
    return weights[0] * sums[0] + weights[1] * sums[1] + weights[2] * sums[2] +
           weights[3] * sums[3];
  }
};

/// One feature at a time, in vectors of `D` across a patch. A patch is at least a vector wide; the
/// last vector of a row reaches back to end with the row, and counts only what is new in it.
template <class D>
class Follower {
  using V = hn::Vec<D>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

 public:
  explicit Follower(const KltFlowSettings& settings)
      : settings_(settings),
        window_(settings.window),
        side_(2 * settings.window),
        vectors_((side_ + kLanes - 1) / kLanes),
        gradients_(scratch()) {
    const auto floats = static_cast<std::size_t>(2 * side_ * vectors_ * kLanes);
    if (gradients_.size() < floats) gradients_.resize(floats);
  }

  /// Follows `from` on one level, starting at the displacement `d`. False: lost.
  bool follow(const KltLevel<const float>& previous, const KltLevel<const float>& current,
              Point from, Point& d) {
    if (!inside(from, current.image)) return false;
    const Place start(from);
    mean_ = current.image.row(start.y)[start.x];
    take_patches(previous.image, current, start);
    const double det = cxx_ * cyy_ - cxy_ * cxy_;
    if (!(det / (cxx_ + cyy_ + 1e-5) >= settings_.accuracy)) return false;

    int x = -1, y = -1;  // no pixel yet
    double sums_x[4] = {}, sums_y[4] = {};
    for (int i = 0; i < settings_.iterations; ++i) {
      const Point at{from.x + d.x, from.y + d.y};
      if (!inside(at, current.image)) return false;
      const Place place(at);
      if (place.x != x || place.y != y) {
        x = place.x;
        y = place.y;
        correlate(current.image, x, y, sums_x, sums_y);
      }
      const double e = template_x_ - place.weigh(sums_x), g = template_y_ - place.weigh(sums_y);
      const Point step{static_cast<float>((e * cyy_ - g * cxy_) / det),
                       static_cast<float>((g * cxx_ - e * cxy_) / det)};
      d = {d.x + step.x, d.y + step.y};
      if (step.x * step.x + step.y * step.y < settings_.accuracy) break;
    }
    return true;
  }

 private:
  static std::vector<float>& scratch() {
    thread_local std::vector<float> gradients;
    return gradients;
  }

  /// Whether a patch around `p` lies inside the level.
  bool inside(Point p, Plane<const float> level) const {
    const auto w = static_cast<float>(window_);
    return p.x - w >= 0 && p.y - w >= 0 && p.x + w + 1 < static_cast<float>(level.width) &&
           p.y + w + 1 < static_cast<float>(level.height);
  }

  static double sum(V v) { return hn::GetLane(hn::SumOfLanes(D(), v)); }

  static HWY_INLINE V bilinear(const float* here, const float* below, const V weights[4]) {
    const D d;
    V v = hn::Mul(weights[0], hn::LoadU(d, here));
    v = hn::MulAdd(weights[1], hn::LoadU(d, here + 1), v);
    v = hn::MulAdd(weights[2], hn::LoadU(d, below), v);
    return hn::MulAdd(weights[3], hn::LoadU(d, below + 1), v);
  }

  /// The gradients of the patch into gradients_, and the sums that do not change with d.
  void take_patches(Plane<const float> image, const KltLevel<const float>& current,
                    const Place& place) {
    const D d;
    const V weights[4] = {hn::Set(d, place.weights[0]), hn::Set(d, place.weights[1]),
                          hn::Set(d, place.weights[2]), hn::Set(d, place.weights[3])};
    const V mean = hn::Set(d, mean_);
    V cxx = hn::Zero(d), cxy = hn::Zero(d), cyy = hn::Zero(d), tx = hn::Zero(d), ty = hn::Zero(d);
    float* out = gradients_.data();
    for (int v = -window_; v < window_; ++v) {
      const std::ptrdiff_t left = place.x - window_;
      const float* wanted = image.row(place.y + v) + left;
      const float* dx = current.dx.row(place.y + v) + left;
      const float* dy = current.dy.row(place.y + v) + left;
      for (int k = 0; k < vectors_; ++k, out += 2 * kLanes) {
        const int u = std::min(k * kLanes, side_ - kLanes);
        V gx = bilinear(dx + u, dx + current.dx.stride + u, weights);
        V gy = bilinear(dy + u, dy + current.dy.stride + u, weights);
        if (const int counted = k * kLanes - u; counted > 0) {
          const auto old = hn::FirstN(d, static_cast<std::size_t>(counted));
          gx = hn::IfThenZeroElse(old, gx);
          gy = hn::IfThenZeroElse(old, gy);
        }
        hn::StoreU(gx, d, out);
        hn::StoreU(gy, d, out + kLanes);
        const V p = hn::Sub(bilinear(wanted + u, wanted + image.stride + u, weights), mean);
        cxx = hn::MulAdd(gx, gx, cxx);
        cxy = hn::MulAdd(gx, gy, cxy);
        cyy = hn::MulAdd(gy, gy, cyy);
        tx = hn::MulAdd(p, gx, tx);
        ty = hn::MulAdd(p, gy, ty);
      }
    }
    cxx_ = sum(cxx);
    cxy_ = sum(cxy);
    cyy_ = sum(cyy);
    template_x_ = sum(tx);
    template_y_ = sum(ty);
  }

  /// The sums of (image - mean) with both gradients, for the patch around pixel (x, y), the one to
  /// its right, below, and below to the right.
  void correlate(Plane<const float> image, int x, int y, double sums_x[4], double sums_y[4]) const {
    const D d;
    const V mean = hn::Set(d, mean_);
    V all_x[4], all_y[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) all_x[i] = all_y[i] = hn::Zero(d);
    const float* gradients = gradients_.data();
    for (int v = -window_; v < window_; ++v) {
      const float* row = image.row(y + v) + x - window_;
      for (int k = 0; k < vectors_; ++k, gradients += 2 * kLanes) {
        const float* here = row + std::min(k * kLanes, side_ - kLanes);
        const float* const at[4] = {here, here + 1, here + image.stride, here + image.stride + 1};
        const V gx = hn::LoadU(d, gradients), gy = hn::LoadU(d, gradients + kLanes);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
          const V level = hn::Sub(hn::LoadU(d, at[i]), mean);
          all_x[i] = hn::MulAdd(level, gx, all_x[i]);
          all_y[i] = hn::MulAdd(level, gy, all_y[i]);
        }
      }
    }
    for (int i = 0; i < 4; ++i) {
      sums_x[i] = sum(all_x[i]);
      sums_y[i] = sum(all_y[i]);
    }
  }

  const KltFlowSettings& settings_;
  const int window_, side_, vectors_;
  std::vector<float>& gradients_;  // of each vector, dx and then dy
  float mean_ = 0;
  double cxx_ = 0, cxy_ = 0, cyy_ = 0, template_x_ = 0, template_y_ = 0;
};

template <class D>
void follow_all(const KltPyramid<const float>& previous, const KltPyramid<const float>& current,
                const KltFeature* features, const KltFlowSettings& settings, KltVector* vectors,
                Rows range) {
  Follower<D> follower(settings);
  for (int i = range.begin; i < range.end; ++i) {
    const KltFeature& f = features[i];
    vectors[i] = {};
    if (!(f.strength > 0)) continue;
    Point d;
    if (!follower.follow(previous.levels[1], current.levels[1], {f.x / 2, f.y / 2}, d)) continue;
    d = {2 * d.x, 2 * d.y};
    if (!follower.follow(previous.levels[0], current.levels[0], {f.x, f.y}, d)) continue;
    vectors[i] = {f.x, f.y, d.x, d.y, 1};
  }
}

void run(const KltPyramid<const float>& previous, const KltPyramid<const float>& current,
         const KltFeature* features, const KltFlowSettings& settings, KltVector* vectors,
         Rows range) {
  using Wide = hn::CappedTag<float, 16>;
  using Narrow = hn::CappedTag<float, 4>;
  const int side = 2 * settings.window;
  const auto follow = side >= static_cast<int>(hn::MaxLanes(Wide())) ? follow_all<Wide>
                      : side >= static_cast<int>(hn::MaxLanes(Narrow()))
                          ? follow_all<Narrow>
                          : follow_all<hn::CappedTag<float, 1>>;
  follow(previous, current, features, settings, vectors, range);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(run);

void klt_flow_simd(const KltPyramid<const float>& previous, const KltPyramid<const float>& current,
                   const KltFeature* features, const KltFlowSettings& settings, KltVector* vectors,
                   Rows range) {
  HWY_DYNAMIC_DISPATCH(run)(previous, current, features, settings, vectors, range);
}

}  // namespace tandem
#endif
