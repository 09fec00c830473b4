// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/scene_features/scene_features.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/scene_features/scene_features_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/scene_features/scene_features_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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

/// The rows of an octave to compute, from `begin` on.
struct Task {
  int width = 0, height = 0, octave = 0;
  Plane<const uint8_t> luma;  // octave 0 starts from it
  Plane<const float> base;    // all others from this
  Plane<float> next_base;     // no data: this octave is the last
  std::array<Plane<Half>, kSceneDifferences> differences;
  std::array<Plane<Half>, kSceneGradients> magnitudes, angles;
  int begin = 0;
  Stop stop;

  Task() = default;
  Task(const SceneLayout& layout, int o, Plane<const uint8_t> frame, Half* space, float* bases,
       int first, Stop leave)
      : width(layout.width_of(o)),
        height(layout.height_of(o)),
        octave(o),
        luma(frame),
        begin(first),
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
  void start(const Task& task) {
    task_ = task;
    width_ = task.width;
    height_ = task.height;
    int first = task.begin;
    for (int level = kLevels - 1; level >= 0; --level) {
      const int radius = blurs()[level].radius;
      next_[level] = first;
      first = std::max(0, first - radius);
      // Rows that a group of `level` reads, and more that a group of the one before may have made.
      image(level - 1).start(width_, 2 * radius + 2 * kGroup);
    }
    next_doubled_ = first;
    image(kLevels - 1).start(width_, kGroup);
    down_.start(width_, kGroup);
  }

  /// Makes the rows before `end`. Each level makes the rows that the next one needs; those before
  /// `until` are written at once.
  void go_on(int end, int until) {
    until_ = until;
    // The last level asks for all others: a few rows of it at a time.
    while (next_[kLevels - 1] < end) {
      if (task_.stop()) return;
      make(kLevels - 1, next_[kLevels - 1] + 1);
    }
  }

  /// How far a level is ahead of the last one, at most.
  static int ahead() {
    int rows = kGroup;
    for (int level = 2; level < kLevels; ++level) rows += blurs()[level].radius + kGroup;
    return rows;
  }

 private:
  Ring& image(int level) { return images_[level + 1]; }

  const float* row(int level, int y) {
    y = std::clamp(y, 0, height_ - 1);
    if (level == 0 && task_.octave > 0) return task_.base.row(y);
    return image(level).at(y);
  }

  /// Rows up to `end` of a level, or of the doubled frame, -1.
  void make(int level, int end) {
    if (task_.octave > 0 && level == 0) return;
    if (level < 0) {
      for (; next_doubled_ < end; ++next_doubled_) double_row(next_doubled_);
      return;
    }
    for (; next_[level] < end; next_[level] += kGroup) make_group(level, next_[level]);
  }

  void double_row(int y) {
    const Plane<const uint8_t>& luma = task_.luma;
    const uint8_t* above = luma.row(y / 2);
    const uint8_t* below = luma.row(std::min((y + 1) / 2, luma.height - 1));
    const D d;
    const hn::Rebind<uint8_t, D> d8;
    const hn::Rebind<int32_t, D> d32;
    float* const sums = down_.at(0);
    for_blocks(luma.width, kLanes, [&](int x) INLINE_BODY {
      const auto sum = hn::Add(hn::PromoteTo(d32, hn::LoadU(d8, above + x)),
                               hn::PromoteTo(d32, hn::LoadU(d8, below + x)));
      hn::StoreU(hn::ConvertTo(d, sum), d, sums + x);
    });
    extend(sums, luma.width, 1);
    float* const to = image(-1).at(y);
    const V scale = hn::Set(d, 1 / (4 * 255.0f));
    for_blocks(luma.width, kLanes, [&](int x) INLINE_BODY {
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
    for (int v = std::max(y, task_.begin); v < std::min(y + kGroup, until_); ++v) write(level, v);
  }

  /// Writes the rows that row y of a level completes.
  void write(int level, int y) {
    if (level == kSceneScales && task_.next_base.data) write_base(image(level).at(y), y);
    if (level == 0) return;
    subtract(image(level).at(y), row(level - 1, y), task_.differences[level - 1].row(y));
    const int g = level - 2;  // the level before now has the row below as well
    if (g < 0 || g >= kSceneGradients) return;
    gradient(row(level - 1, y - 1), row(level - 1, y), row(level - 1, y + 1), width_,
             task_.magnitudes[g].row(y), task_.angles[g].row(y));
  }

  void subtract(const float* a, const float* b, Half* to) {
    const D d;
    for_blocks(width_, kLanes, [&](int x) INLINE_BODY {
      store_halves(hn::Sub(hn::LoadU(d, a + x), hn::LoadU(d, b + x)), d, to + x);
    });
  }

  void write_base(const float* from, int y) {
    const Plane<float>& base = task_.next_base;
    if (y % 2 != 0 || y / 2 >= base.height) return;
    const D d;
    for_blocks(base.width, kLanes, [&](int x) INLINE_BODY {
      V even, odd;
      hn::LoadInterleaved2(d, from + 2 * x, even, odd);
      hn::StoreU(even, d, base.row(y / 2) + x);
    });
  }

  Task task_;
  int until_ = 0;
  int width_ = 0, height_ = 0;
  int next_doubled_ = 0;
  std::array<int, kLevels> next_{};       // the first row that is not made
  std::array<Ring, kLevels + 1> images_;  // the doubled frame and the levels
  Ring down_;                             // a group that is blurred in y alone
};

void run(const SceneLayout& layout, int octave, Plane<const uint8_t> luma, Half* space,
         float* bases, Rows rows, Stop stop) {
  thread_local Cascade cascade;
  cascade.start(Task(layout, octave, luma, space, bases, rows.begin, stop));
  cascade.go_on(rows.end, rows.end);
}

/// All octaves, for SharedRows.
struct Octaves {
  const SceneLayout layout;
  const Plane<const uint8_t> luma;
  Half* const space;
  float* const bases;
  const Stop stop;
  Cascade& cascade;

  int steps() const { return layout.octaves(); }
  int rows(int octave) const { return layout.height_of(octave); }
  int ahead() const { return Cascade::ahead(); }
  // The halos between two threads cost about 40 rows.
  int least_steal() const { return 80; }
  int part() const { return 16; }
  // Several threads are worth it down to the octave where one alone gets to the end.
  bool awaits(int octave) const {
    return octave + 1 < steps() && rows(octave + 1) >= 2 * least_steal();
  }
  void compute(const SharedRows::Part& part) const {
    if (!part.goes_on)
      cascade.start(Task(layout, part.step, luma, space, bases, part.rows.begin, stop));
    cascade.go_on(part.rows.end, part.until);
  }
};

void share(Plane<const uint8_t> luma, Half* space, float* bases, SharedRows& progress, Stop stop) {
  thread_local Cascade cascade;
  progress.share(Octaves{{luma.width, luma.height}, luma, space, bases, stop, cascade}, stop);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(run);
HWY_EXPORT(share);

void scene_first_octave_simd(Plane<const uint8_t> luma, Half* space, float* bases, Rows rows,
                             Stop stop) {
  if (rows.count() <= 0) return;
  HWY_DYNAMIC_DISPATCH(run)({luma.width, luma.height}, 0, luma, space, bases, rows, stop);
}

void scene_next_octaves_simd(const SceneLayout& layout, float* bases, Half* space, Stop stop) {
  for (int octave = 1; octave < layout.octaves(); ++octave) HWY_DYNAMIC_DISPATCH(run)
  (layout, octave, {}, space, bases, {0, layout.height_of(octave)}, stop);
}

void scene_features_share(Plane<const uint8_t> luma, Half* space, float* bases,
                          SharedRows& progress, Stop stop) {
  HWY_DYNAMIC_DISPATCH(share)(luma, space, bases, progress, stop);
}

}  // namespace tandem
#endif
