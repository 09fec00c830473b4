// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/scene_classifier/scene_classifier.h"
#include "kernels/scene_classifier/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/scene_classifier/scene_classifier_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/util/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// --- Extrema ---

/// The pixels of one row that are strong enough and beat their neighbours, a vector at a time. Most
/// vectors end at the first comparison. Halves are not widened but compared as integers. Signed
/// integers put halves above zero in the order of their values, and above all that have a sign.
/// Unsigned ones put halves below zero in the order of their magnitudes, and above all others.
template <class DS>
class ExtremumRow {
  using DU = hn::RebindToUnsigned<DS>;

 public:
  ExtremumRow(const SceneLayout& layout, const Half* space, int octave, int d, int y, float least) {
    for (int ds = -1; ds <= 1; ++ds)
      for (int dy = -1; dy <= 1; ++dy)
        rows_[ds + 1][dy + 1] = &layout.difference(space, octave, d + ds).row(y + dy)->bits;
    Half at_most(least);
    if (at_most > least) --at_most.bits;
    least_ = at_most.bits;
  }

  /// Which of the pixels from x on, as bits.
  uint64_t at(int x) const {
    return extreme(DS(), x, static_cast<int16_t>(least_)) |
           extreme(DU(), x, static_cast<uint16_t>(0x8000 | least_));
  }

 private:
  template <class D, typename T = hn::TFromD<D>>
  uint64_t extreme(D d, int x, T least) const {
    const auto load = [&](int s, int r, int dx) {
      return hn::LoadU(d, reinterpret_cast<const T*>(rows_[s][r] + x + dx));
    };
    const auto value = load(1, 1, 0);
    auto still = hn::Gt(value, hn::Set(d, least));
    if (hn::AllFalse(d, still)) return 0;
    for (const int s : {1, 0, 2}) {
      for (int r = 0; r < 3; ++r) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (s == 1 && r == 1 && dx == 0) continue;
          still = hn::And(still, hn::Gt(value, load(s, r, dx)));
        }
        if (hn::AllFalse(d, still)) return 0;
      }
    }
    uint64_t bits = 0;
    hn::StoreMaskBits(d, still, reinterpret_cast<uint8_t*>(&bits));
    return bits & ((uint64_t{1} << hn::Lanes(d)) - 1);
  }

  const uint16_t* rows_[3][3];
  uint16_t least_;
};

/// No row is shorter than a vector and the border.
template <class DS>
void scan_octave(const SceneLayout& layout, const Half* space, int octave, float contrast,
                 Rows rows, std::vector<SceneKeypoint>& found) {
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(DS()));
  const int end = layout.width_of(octave) - 1;
  for (int d = 1; d + 1 < kSceneDifferences; ++d) {
    for (int y = rows.begin; y < rows.end; ++y) {
      const ExtremumRow<DS> row(layout, space, octave, d, y, kSceneExtremumShare * contrast);
      const auto take = [&](int x, uint64_t bits) {
        for (; bits; bits &= bits - 1) {
          const int column = x + static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits));
          if (const auto k = refine_extremum(layout, space, octave, d, column, y, contrast))
            found.push_back(*k);
        }
      };
      int x = 1;
      for (; x + kLanes <= end; x += kLanes) take(x, row.at(x));
      if (x == end) continue;
      const int last = end - kLanes;  // reaches back over what is done
      take(last, row.at(last) >> (x - last) << (x - last));
    }
  }
}

void keypoints(const SceneLayout& layout, const Half* space, float contrast, Rows rows,
               std::vector<SceneKeypoint>& found) {
  using Most = hn::CappedTag<int16_t, 32>;
  constexpr int kShort = static_cast<int>(hn::MaxLanes(Most())) + 2;
  for (int octave = 0; octave < layout.octaves(); ++octave) {
    const Rows own = rows_in_octave(layout, octave, rows);
    if (layout.width_of(octave) >= kShort)
      scan_octave<Most>(layout, space, octave, contrast, own, found);
    else  // 32 or 33 pixels
      scan_octave<hn::CappedTag<int16_t, 16>>(layout, space, octave, contrast, own, found);
  }
}

// --- Descriptors ---

/// Votes of one row of pixels: which cells they go to, in a grid with a margin of one cell, and the
/// share of the right and lower one.
struct Votes {
  static constexpr int kMost = 2 * Gaussian::kMostReach + 1 + 16;
  alignas(64) float weight[kMost], right[kMost], below[kMost], turn[kMost];
  alignas(64) int32_t cell[kMost];
};

constexpr int kGrid = 6;  // 4 cells and a margin

/// Adds votes to cells of 8 directions each. Neighbouring pixels mostly vote for the same four
/// cells, which stay in registers until one votes for others.
class Cells {
  using D8 = hn::CappedTag<float, 8>;
  using V = hn::Vec<D8>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D8()));

 public:
  Cells() { std::fill(std::begin(values_), std::end(values_), 0.0f); }

  void add(const Votes& votes, int count) {
    const D8 d;
    for (int first = 0; first < 8; first += kLanes) {
      const V direction = hn::Iota(d, static_cast<float>(first));
      int cell = -1;
      V a = hn::Zero(d), b = a, c = a, e = a;
      const auto flush = [&] {
        if (cell < 0) return;
        float* const to = values_ + 8 * cell + first;
        const auto more = [&](float* at, V sum) {
          hn::StoreU(hn::Add(hn::LoadU(d, at), sum), d, at);
        };
        more(to, a);
        more(to + 8, b);
        more(to + 8 * kGrid, c);
        more(to + 8 * kGrid + 8, e);
        a = b = c = e = hn::Zero(d);
      };
      for (int i = 0; i < count; ++i) {
        if (votes.cell[i] != cell) {
          flush();
          cell = votes.cell[i];
        }
        const V away = hn::Abs(hn::Sub(hn::Set(d, votes.turn[i]), direction));
        const V near = hn::Min(away, hn::Sub(hn::Set(d, 8.0f), away));
        const V share = hn::Max(hn::Zero(d), hn::Sub(hn::Set(d, 1.0f), near));
        const float weight = votes.weight[i], right = votes.right[i];
        const float lower = weight * votes.below[i], upper = weight - lower;
        a = hn::MulAdd(hn::Set(d, upper - upper * right), share, a);
        b = hn::MulAdd(hn::Set(d, upper * right), share, b);
        c = hn::MulAdd(hn::Set(d, lower - lower * right), share, c);
        e = hn::MulAdd(hn::Set(d, lower * right), share, e);
      }
      flush();
    }
  }

  const float* cell(int column, int row) const {
    return values_ + 8 * ((row + 1) * kGrid + column + 1);
  }

 private:
  alignas(64) float values_[8 * kGrid * kGrid];
};

/// The pixels x of a row at which |factor (x - centre) + constant| < 2.5 cells, widened by one;
/// narrows `first` and `last`.
void narrow(float factor, float constant, float centre, int& first, int& last) {
  if (std::fabs(factor) < 1e-6f) {
    if (std::fabs(constant) >= 2.5f) last = first - 1;
    return;
  }
  const float one = (-2.5f - constant) / factor, other = (2.5f - constant) / factor;
  const float low = std::clamp(centre + std::min(one, other), -1e6f, 1e6f);
  const float high = std::clamp(centre + std::max(one, other), -1e6f, 1e6f);
  first = std::max(first, static_cast<int>(std::floor(low)));
  last = std::min(last, static_cast<int>(std::ceil(high)));
}

/// A row of a plane from x on; what would be behind its end is 0.
template <class D>
HWY_INLINE hn::Vec<D> load_some(const Plane<const Half>& plane, int x, int y) {
  const D d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  const Half* const from = plane.row(y) + x;
  if (x + kLanes <= plane.width) return load_halves(d, from);
  Half some[kLanes] = {};
  std::copy_n(from, plane.width - x, some);
  return load_halves(d, some);
}

/// The votes of the pixels `first` to `last` of row y, and behind them what fills a vector.
template <class D>
void collect(const DescriptorWindow& window, const SceneKeypoint& keypoint, float angle, int first,
             int last, int y, const Plane<const Half>& magnitude,
             const Plane<const Half>& direction, Votes& votes) {
  using V = hn::Vec<D>;
  const D d;
  const hn::RebindToSigned<D> di;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  const V cosine = hn::Set(d, window.cosine / window.cell);
  const V sine = hn::Set(d, -window.sine / window.cell);
  const float dy = static_cast<float>(y) - keypoint.y, down = window.down.at(y);
  // From the middle of the margin's first cell.
  const V u0 = hn::Set(d, window.sine / window.cell * dy + 2.5f);
  const V v0 = hn::Set(d, window.cosine / window.cell * dy + 2.5f);
  const V most = hn::Set(d, 4.999f), none = hn::Zero(d);
  const V eighths = hn::Set(d, 4 / std::numbers::pi_v<float>);
  for (int x = first; x <= last; x += kLanes) {
    const V dx = hn::Sub(hn::Iota(d, static_cast<float>(x)), hn::Set(d, keypoint.x));
    const V u = hn::Min(hn::Max(hn::MulAdd(cosine, dx, u0), none), most);
    const V v = hn::Min(hn::Max(hn::MulAdd(sine, dx, v0), none), most);
    const V column = hn::Floor(u), row = hn::Floor(v);
    V t = hn::Mul(hn::Sub(load_some<D>(direction, x, y), hn::Set(d, angle)), eighths);
    t = hn::NegMulAdd(hn::Floor(hn::Mul(t, hn::Set(d, 0.125f))), hn::Set(d, 8.0f), t);
    const V weight = hn::Mul(hn::Mul(load_some<D>(magnitude, x, y), hn::Set(d, down)),
                             hn::LoadU(d, window.across.from(x)));
    const int i = x - first;
    hn::StoreU(weight, d, votes.weight + i);
    hn::StoreU(hn::Sub(u, column), d, votes.right + i);
    hn::StoreU(hn::Sub(v, row), d, votes.below + i);
    hn::StoreU(t, d, votes.turn + i);
    hn::StoreU(hn::ConvertTo(di, hn::MulAdd(row, hn::Set(d, static_cast<float>(kGrid)), column)),
               di, votes.cell + i);
  }
}

void scale_to_unit(float* values) {
  const hn::CappedTag<float, 16> d;
  auto squares = hn::Zero(d);
  for (std::size_t i = 0; i < kSceneDescriptorSize; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, values + i);
    squares = hn::MulAdd(v, v, squares);
  }
  const float norm =
      std::sqrt(hn::GetLane(hn::SumOfLanes(d, squares))) + std::numeric_limits<float>::epsilon();
  for (int i = 0; i < kSceneDescriptorSize; ++i) values[i] /= norm;
}

void descriptor(const SceneLayout& layout, const Half* space, const SceneKeypoint& keypoint,
                float angle, float* out) {
  const auto magnitude = layout.magnitude(space, keypoint.octave, keypoint.gradient);
  const auto direction = layout.angle(space, keypoint.octave, keypoint.gradient);
  const DescriptorWindow window(keypoint, angle, magnitude.width, magnitude.height);
  Cells cells;
  Votes votes;
  for (int y = window.top; y <= window.bottom; ++y) {
    const float dy = static_cast<float>(y) - keypoint.y;
    int first = window.left, last = window.right;
    narrow(window.cosine / window.cell, window.sine / window.cell * dy, keypoint.x, first, last);
    narrow(-window.sine / window.cell, window.cosine / window.cell * dy, keypoint.x, first, last);
    if (first > last) continue;
    collect<hn::CappedTag<float, 16>>(window, keypoint, angle, first, last, y, magnitude, direction,
                                      votes);
    cells.add(votes, last - first + 1);
  }
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      std::copy_n(cells.cell(column, row), 8, out + (row * 4 + column) * 8);
  scale_to_unit(out);
  for (int i = 0; i < kSceneDescriptorSize; ++i) out[i] = std::min(out[i], kSceneMostShare);
  scale_to_unit(out);
}

// --- Nearest word ---

/// w . d - |w|^2 / 2 is greatest where |w - d| is least. Four descriptors against two vectors of
/// words at a time: eight sums, each load of words used four times.
void nearest(const SceneVocabulary& vocabulary, const float* descriptors, int count, int stride,
             int32_t* words) {
  using D = hn::CappedTag<float, 16>;
  using V = hn::Vec<D>;
  const D d;
  const hn::RebindToSigned<D> di;
  using I = hn::Vec<decltype(di)>;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  constexpr int kAtOnce = 4;
  const int groups = (vocabulary.words + SceneVocabulary::kGroup - 1) / SceneVocabulary::kGroup;
  for (int i = 0; i < count; i += kAtOnce) {
    const float* from[kAtOnce];
    for (int j = 0; j < kAtOnce; ++j)
      from[j] = descriptors + static_cast<std::ptrdiff_t>(std::min(i + j, count - 1)) * stride;
    V best[kAtOnce];
    I word[kAtOnce];
    for (int j = 0; j < kAtOnce; ++j) {
      best[j] = hn::Set(d, std::numeric_limits<float>::lowest());
      word[j] = hn::Zero(di);
    }
    for (int g = 0; g < groups; ++g) {
      const float* group = vocabulary.packed.data() + static_cast<std::ptrdiff_t>(g) *
                                                          kSceneDescriptorSize *
                                                          SceneVocabulary::kGroup;
      for (int lane = 0; lane < SceneVocabulary::kGroup; lane += 2 * kLanes) {
        const float* half = vocabulary.half_squares.data() + g * SceneVocabulary::kGroup + lane;
        V a[kAtOnce], b[kAtOnce];
#pragma GCC unroll 4
        for (int j = 0; j < kAtOnce; ++j) {
          a[j] = hn::Neg(hn::LoadU(d, half));
          b[j] = hn::Neg(hn::LoadU(d, half + kLanes));
        }
        for (int k = 0; k < kSceneDescriptorSize; ++k) {
          const float* row = group + k * SceneVocabulary::kGroup + lane;
          const V w = hn::LoadU(d, row), z = hn::LoadU(d, row + kLanes);
#pragma GCC unroll 4
          for (int j = 0; j < kAtOnce; ++j) {
            const V value = hn::Set(d, from[j][k]);
            a[j] = hn::MulAdd(w, value, a[j]);
            b[j] = hn::MulAdd(z, value, b[j]);
          }
        }
        const I index = hn::Iota(di, g * SceneVocabulary::kGroup + lane);
        const auto compare = [&](V score, I of, V& most, I& best_word) HWY_ATTR {
          const auto better = hn::Gt(score, most);
          most = hn::IfThenElse(better, score, most);
          best_word = hn::IfThenElse(hn::RebindMask(di, better), of, best_word);
        };
#pragma GCC unroll 4
        for (int j = 0; j < kAtOnce; ++j) {
          compare(a[j], index, best[j], word[j]);
          compare(b[j], hn::Add(index, hn::Set(di, kLanes)), best[j], word[j]);
        }
      }
    }
    for (int j = 0; j < std::min(kAtOnce, count - i); ++j) {
      const auto is_best = hn::Eq(best[j], hn::MaxOfLanes(d, best[j]));
      const I candidates = hn::IfThenElse(hn::RebindMask(di, is_best), word[j],
                                          hn::Set(di, std::numeric_limits<int32_t>::max()));
      words[i + j] = hn::GetLane(hn::MinOfLanes(di, candidates));
    }
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(keypoints);
HWY_EXPORT(descriptor);
HWY_EXPORT(nearest);

void scene_keypoints_simd(const SceneLayout& layout, const Half* space, float contrast, Rows rows,
                          std::vector<SceneKeypoint>& found) {
  HWY_DYNAMIC_DISPATCH(keypoints)(layout, space, contrast, rows, found);
}

void scene_descriptor_simd(const SceneLayout& layout, const Half* space,
                           const SceneKeypoint& keypoint, float angle, float* descriptor) {
  HWY_DYNAMIC_DISPATCH(descriptor)(layout, space, keypoint, angle, descriptor);
}

void scene_nearest_simd(const SceneVocabulary& vocabulary, const float* descriptors, int count,
                        int stride, int32_t* words) {
  HWY_DYNAMIC_DISPATCH(nearest)(vocabulary, descriptors, count, stride, words);
}

}  // namespace tandem
#endif
