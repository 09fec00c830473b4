// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/scene_features/scene_features.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/scene_features/scene_features_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

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
  V a0, a1, b0, b1, c0, c1, e0, e1;
  static_assert(kGroup == 4);

  HWY_INLINE Sums() {
    const D d;
    a0 = a1 = b0 = b1 = c0 = c1 = e0 = e1 = hn::Zero(d);
  }
  HWY_INLINE void store(float* to, std::ptrdiff_t stride) const {
    const D d;
    hn::StoreU(a0, d, to);
    hn::StoreU(a1, d, to + kLanes);
    hn::StoreU(b0, d, to + stride);
    hn::StoreU(b1, d, to + stride + kLanes);
    hn::StoreU(c0, d, to + 2 * stride);
    hn::StoreU(c1, d, to + 2 * stride + kLanes);
    hn::StoreU(e0, d, to + 3 * stride);
    hn::StoreU(e1, d, to + 3 * stride + kLanes);
  }
};

/// kGroup rows of sums over `rows`, which begin with the first tap of the first of them. What each
/// row adds, and in which order, does not depend on which group it is in.
HWY_INLINE void blur_down(const float* const* rows, const Blur& blur, int width, float* to,
                          std::ptrdiff_t stride) {
  const D d;
  const int taps = 2 * blur.radius + 1;
  for_blocks(width, 2 * kLanes, [&](int x) {
    Sums s;
    const auto add = [&](int row, bool a, bool b, bool c, bool e) HWY_ATTR {
      const V v0 = hn::LoadU(d, rows[row] + x), v1 = hn::LoadU(d, rows[row] + x + kLanes);
      const float* tap = blur.taps.data() + row;
      if (a) s.a0 = hn::MulAdd(hn::Set(d, tap[0]), v0, s.a0);
      if (a) s.a1 = hn::MulAdd(hn::Set(d, tap[0]), v1, s.a1);
      if (b) s.b0 = hn::MulAdd(hn::Set(d, tap[-1]), v0, s.b0);
      if (b) s.b1 = hn::MulAdd(hn::Set(d, tap[-1]), v1, s.b1);
      if (c) s.c0 = hn::MulAdd(hn::Set(d, tap[-2]), v0, s.c0);
      if (c) s.c1 = hn::MulAdd(hn::Set(d, tap[-2]), v1, s.c1);
      if (e) s.e0 = hn::MulAdd(hn::Set(d, tap[-3]), v0, s.e0);
      if (e) s.e1 = hn::MulAdd(hn::Set(d, tap[-3]), v1, s.e1);
    };
    add(0, true, false, false, false);
    add(1, true, true, false, false);
    add(2, true, true, true, false);
    for (int row = 3; row < taps; ++row) add(row, true, true, true, true);
    add(taps, false, true, true, true);
    add(taps + 1, false, false, true, true);
    add(taps + 2, false, false, false, true);
    s.store(to + x, stride);
  });
}

/// The same to the right, in kGroup rows that have a margin.
HWY_INLINE void blur_across(const float* from, std::ptrdiff_t from_stride, const Blur& blur,
                            int width, float* const* to) {
  const D d;
  for_blocks(width, 2 * kLanes, [&](int x) {
    Sums s;
    const float* at = from + x - blur.radius;
    for (int k = 0; k < 2 * blur.radius + 1; ++k, ++at) {
      const V tap = hn::Set(d, blur.taps[k]);
      s.a0 = hn::MulAdd(tap, hn::LoadU(d, at), s.a0);
      s.a1 = hn::MulAdd(tap, hn::LoadU(d, at + kLanes), s.a1);
      s.b0 = hn::MulAdd(tap, hn::LoadU(d, at + from_stride), s.b0);
      s.b1 = hn::MulAdd(tap, hn::LoadU(d, at + from_stride + kLanes), s.b1);
      s.c0 = hn::MulAdd(tap, hn::LoadU(d, at + 2 * from_stride), s.c0);
      s.c1 = hn::MulAdd(tap, hn::LoadU(d, at + 2 * from_stride + kLanes), s.c1);
      s.e0 = hn::MulAdd(tap, hn::LoadU(d, at + 3 * from_stride), s.e0);
      s.e1 = hn::MulAdd(tap, hn::LoadU(d, at + 3 * from_stride + kLanes), s.e1);
    }
    const auto store = [&](float* row, V v0, V v1) HWY_ATTR {
      hn::StoreU(v0, d, row + x);
      hn::StoreU(v1, d, row + x + kLanes);
    };
    store(to[0], s.a0, s.a1);
    store(to[1], s.b0, s.b1);
    store(to[2], s.c0, s.c1);
    store(to[3], s.e0, s.e1);
  });
}

/// Angle of (dx, dy) within 2e-6, 0 for (0, 0). The polynomial is the best of its degree for the
/// arc tangent in [0, 1].
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
                         float* magnitude, float* angle) {
  const D d;
  const V half = hn::Set(d, 0.5f);
  for_blocks(width, kLanes, [&](int x) {
    const V dx = hn::Mul(half, hn::Sub(hn::LoadU(d, row + x + 1), hn::LoadU(d, row + x - 1)));
    const V dy = hn::Mul(half, hn::Sub(hn::LoadU(d, below + x), hn::LoadU(d, above + x)));
    hn::StoreU(root(hn::MulAdd(dx, dx, hn::Mul(dy, dy))), d, magnitude + x);
    hn::StoreU(angle_of(dx, dy), d, angle + x);
  });
}

/// Repeats the ends of a row into `count` floats of its margins.
void extend(float* row, int width, int count) {
  std::fill_n(row - count, count, row[0]);
  std::fill_n(row + width, count, row[width - 1]);
}

/// The last few rows of an image that is made from the top down, each with margins.
class Ring {
 public:
  void start(int width, int rows) {
    rows_ = rows;
    stride_ = (width + kMargin - 1) / kMargin * kMargin + 2 * kMargin;
    if (values_.size() < static_cast<std::size_t>(rows * stride_)) values_.resize(rows * stride_);
  }
  float* at(int y) { return values_.data() + y % rows_ * stride_ + kMargin; }
  std::ptrdiff_t stride() const { return stride_; }

 private:
  int rows_ = 1;
  std::ptrdiff_t stride_ = 0;
  std::vector<float> values_;
};

/// What is computed: rows of an octave.
struct Task {
  int width, height, octave;
  Plane<const uint8_t> luma;  // octave 0 starts from it
  Plane<const float> base;    // all others from this
  Plane<float> next_base;     // no data: this octave is the last
  std::array<Plane<float>, kSceneDifferences> differences;
  std::array<Plane<float>, kSceneGradients> magnitudes, angles;
  Rows rows;
  Stop stop;

  Task(const SceneLayout& layout, int o, Plane<const uint8_t> frame, float* space, float* bases,
       Rows band, Stop leave)
      : width(layout.width_of(o)),
        height(layout.height_of(o)),
        octave(o),
        luma(frame),
        rows(band),
        stop(leave) {
    if (o > 0) base = layout.base(bases, o);
    if (o + 1 < layout.octaves()) next_base = layout.base(bases, o + 1);
    for (int d = 0; d < kSceneDifferences; ++d) differences[d] = layout.difference(space, o, d);
    for (int g = 0; g < kSceneGradients; ++g) {
      magnitudes[g] = layout.magnitude(space, o, g);
      angles[g] = layout.angle(space, o, g);
    }
  }
};

/// Makes the rows of all levels, each when the next level asks for it: what a row is made from is
/// still in the cache.
class Cascade {
 public:
  void run(const Task& task) {
    task_ = &task;
    width_ = task.width;
    height_ = task.height;
    int first = task.rows.begin;
    for (int level = kLevels - 1; level >= 0; --level) {
      const int radius = blurs()[level].radius;
      next_[level] = first;
      first = std::max(0, first - radius);
      // What a group of `level` reads, and what more a group of the one before may have made.
      image(level - 1).start(width_, 2 * radius + 2 * kGroup);
    }
    next_doubled_ = first;
    image(kLevels - 1).start(width_, kGroup);
    down_.start(width_, kGroup);
    // The last level asks for all others: a few rows of it at a time.
    for (int end = task.rows.begin + kGroup; next_[kLevels - 1] < task.rows.end; end += kGroup) {
      if (task.stop()) return;
      make(kLevels - 1, std::min(end, task.rows.end));
    }
  }

 private:
  Ring& image(int level) { return images_[level + 1]; }

  const float* row(int level, int y) {
    y = std::clamp(y, 0, height_ - 1);
    if (level == 0 && task_->octave > 0) return task_->base.row(y);
    return image(level).at(y);
  }

  /// Rows up to `end` of a level, or of the doubled frame, -1.
  void make(int level, int end) {
    if (task_->octave > 0 && level == 0) return;
    if (level < 0) {
      for (; next_doubled_ < end; ++next_doubled_) double_row(next_doubled_);
      return;
    }
    for (; next_[level] < end; next_[level] += kGroup) make_group(level, next_[level]);
  }

  void double_row(int y) {
    const Plane<const uint8_t>& luma = task_->luma;
    const uint8_t* above = luma.row(y / 2);
    const uint8_t* below = luma.row(std::min((y + 1) / 2, luma.height - 1));
    const D d;
    const hn::Rebind<uint8_t, D> d8;
    const hn::Rebind<int32_t, D> d32;
    float* const sums = down_.at(0);
    for_blocks(luma.width, kLanes, [&](int x) {
      const auto sum = hn::Add(hn::PromoteTo(d32, hn::LoadU(d8, above + x)),
                               hn::PromoteTo(d32, hn::LoadU(d8, below + x)));
      hn::StoreU(hn::ConvertTo(d, sum), d, sums + x);
    });
    extend(sums, luma.width, 1);
    float* const to = image(-1).at(y);
    const V scale = hn::Set(d, 1 / (4 * 255.0f));
    for_blocks(luma.width, kLanes, [&](int x) {
      const V left = hn::LoadU(d, sums + x);
      const V both = hn::Add(left, hn::LoadU(d, sums + x + 1));
      hn::StoreInterleaved2(hn::Mul(hn::Add(left, left), scale), hn::Mul(both, scale), d,
                            to + 2 * x);
    });
  }

  void make_group(int level, int y) {
    const Blur& blur = blurs()[level];
    const int reach = y + kGroup - 1 + blur.radius;
    make(level - 1, std::min(reach, height_ - 1) + 1);
    std::array<const float*, 2 * kMargin + kGroup> from;
    for (int v = y - blur.radius; v <= reach; ++v) from[v - y + blur.radius] = row(level - 1, v);
    blur_down(from.data(), blur, width_, down_.at(0), down_.stride());
    std::array<float*, kGroup> to;
    for (int i = 0; i < kGroup; ++i) {
      extend(down_.at(i), width_, blur.radius);
      to[i] = image(level).at(y + i);
    }
    blur_across(down_.at(0), down_.stride(), blur, width_, to.data());
    for (int i = 0; i < kGroup; ++i) extend(to[i], width_, 1);
    const Rows& rows = task_->rows;
    for (int v = std::max(y, rows.begin); v < std::min(y + kGroup, rows.end); ++v) write(level, v);
  }

  /// What row y of a level completes.
  void write(int level, int y) {
    if (level == kSceneScales && task_->next_base.data) write_base(image(level).at(y), y);
    if (level == 0) return;
    subtract(image(level).at(y), row(level - 1, y), task_->differences[level - 1].row(y));
    const int g = level - 2;  // the level before now has the row below as well
    if (g < 0 || g >= kSceneGradients) return;
    gradient(row(level - 1, y - 1), row(level - 1, y), row(level - 1, y + 1), width_,
             task_->magnitudes[g].row(y), task_->angles[g].row(y));
  }

  void subtract(const float* a, const float* b, float* to) {
    const D d;
    for_blocks(width_, kLanes, [&](int x) {
      hn::StoreU(hn::Sub(hn::LoadU(d, a + x), hn::LoadU(d, b + x)), d, to + x);
    });
  }

  void write_base(const float* from, int y) {
    const Plane<float>& base = task_->next_base;
    if (y % 2 != 0 || y / 2 >= base.height) return;
    const D d;
    for_blocks(base.width, kLanes, [&](int x) {
      V even, odd;
      hn::LoadInterleaved2(d, from + 2 * x, even, odd);
      hn::StoreU(even, d, base.row(y / 2) + x);
    });
  }

  const Task* task_ = nullptr;
  int width_ = 0, height_ = 0;
  int next_doubled_ = 0;
  std::array<int, kLevels> next_{};       // the first row that is not made
  std::array<Ring, kLevels + 1> images_;  // the doubled frame and the levels
  Ring down_;                             // a group that is blurred in y alone
};

void run(const SceneLayout& layout, int octave, Plane<const uint8_t> luma, float* space,
         float* bases, Rows rows, Stop stop) {
  thread_local Cascade cascade;
  cascade.run(Task(layout, octave, luma, space, bases, rows, stop));
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(run);

void scene_first_octave_simd(Plane<const uint8_t> luma, float* space, float* bases, Rows rows,
                             Stop stop) {
  if (rows.count() <= 0) return;
  HWY_DYNAMIC_DISPATCH(run)({luma.width, luma.height}, 0, luma, space, bases, rows, stop);
}

void scene_next_octaves_simd(const SceneLayout& layout, float* bases, float* space, Stop stop) {
  for (int octave = 1; octave < layout.octaves(); ++octave) HWY_DYNAMIC_DISPATCH(run)
  (layout, octave, {}, space, bases, {0, layout.height_of(octave)}, stop);
}

}  // namespace tandem
#endif
