// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_features/suppress.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/klt_features/klt_features_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using D64 = hn::CappedTag<double, 8>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kLanes64 = static_cast<int>(hn::MaxLanes(D64()));

/// Calls body(tag, x) for vectors that cover [0, width) exactly.
template <class Tag, typename Body>
HWY_INLINE void for_columns(Tag d, int width, const Body& body) {
  const int lanes = static_cast<int>(hn::MaxLanes(d));
  int x = 0;
  for (; x + lanes <= width; x += lanes) body(d, x);
  for (; x < width; ++x) body(hn::CappedTag<hn::TFromD<Tag>, 1>(), x);
}

/// The three sums of products, for each column or window.
template <typename T>
struct Sums {
  std::vector<T> xx, xy, yy;
  void fit(std::size_t size) {
    if (xx.size() >= size) return;
    for (std::vector<T>* v : {&xx, &xy, &yy}) v->resize(size);
  }
};

/// Adds the products of kAdded rows from `added` on to the column sums, and subtracts those of row
/// `taken` if there is one. Several rows share a load and a store of the sums, which cost more than
/// adding. Gradients of 8-bit frames are multiples of 2^-11 below 2^7, so that sums of their
/// products in double are exact and do not depend on where a band begins.
template <int kAdded>
void add_rows(Plane<const float> dx, Plane<const float> dy, int added, std::optional<int> taken,
              Sums<double>& columns) {
  const float *gx[kAdded + 1], *gy[kAdded + 1];
  for (int i = 0; i < kAdded; ++i) {
    gx[i] = dx.row(added + i);
    gy[i] = dy.row(added + i);
  }
  gx[kAdded] = taken ? dx.row(*taken) : nullptr;
  gy[kAdded] = taken ? dy.row(*taken) : nullptr;
  for_columns(D64(), dx.width, [&](auto d, int x) {
    const hn::Rebind<float, decltype(d)> d32;
    auto xx = hn::LoadU(d, &columns.xx[x]), xy = hn::LoadU(d, &columns.xy[x]),
         yy = hn::LoadU(d, &columns.yy[x]);
    for (int i = 0; i < kAdded; ++i) {
      const auto a = hn::PromoteTo(d, hn::LoadU(d32, gx[i] + x));
      const auto b = hn::PromoteTo(d, hn::LoadU(d32, gy[i] + x));
      xx = hn::MulAdd(a, a, xx);
      xy = hn::MulAdd(a, b, xy);
      yy = hn::MulAdd(b, b, yy);
    }
    if (gx[kAdded]) {
      const auto a = hn::PromoteTo(d, hn::LoadU(d32, gx[kAdded] + x));
      const auto b = hn::PromoteTo(d, hn::LoadU(d32, gy[kAdded] + x));
      xx = hn::NegMulAdd(a, a, xx);
      xy = hn::NegMulAdd(a, b, xy);
      yy = hn::NegMulAdd(b, b, yy);
    }
    hn::StoreU(xx, d, &columns.xx[x]);
    hn::StoreU(xy, d, &columns.xy[x]);
    hn::StoreU(yy, d, &columns.yy[x]);
  });
}

/// windows[x] = sum of columns[x] ... columns[x + window - 1], made of sums over powers of two:
/// nothing is subtracted, nothing waits for its left neighbour. `powers` is overwritten; it and
/// `windows` are readable and writable `window` + kLanes past the end.
void sum_windows(const std::vector<double>& columns, int width, int window,
                 std::vector<float>& powers, std::vector<float>& windows) {
  for_columns(D64(), width, [&](auto d, int x) {
    const hn::Rebind<float, decltype(d)> d32;
    hn::StoreU(hn::DemoteTo(d32, hn::LoadU(d, &columns[x])), d32, &powers[x]);
  });
  const D d;
  bool first = true;
  for (int power = 1, offset = 0; power <= window; power *= 2) {
    if ((window & power) != 0) {
      for (int x = 0; x < width; x += kLanes) {
        const auto part = hn::LoadU(d, &powers[x + offset]);
        hn::StoreU(first ? part : hn::Add(hn::LoadU(d, &windows[x]), part), d, &windows[x]);
      }
      first = false;
      offset += power;
    }
    if (2 * power > window) break;
    for (int x = 0; x < width; x += kLanes) {
      const auto sum = hn::Add(hn::LoadU(d, &powers[x]), hn::LoadU(d, &powers[x + power]));
      hn::StoreU(sum, d, &powers[x]);
    }
  }
}

/// strength[i] of the window whose sums are at first + i.
void write_strength(const Sums<float>& sums, int first, int count, float* strength) {
  for_columns(D(), count, [&](auto d, int x) {
    const auto xx = hn::LoadU(d, &sums.xx[first + x]), xy = hn::LoadU(d, &sums.xy[first + x]),
               yy = hn::LoadU(d, &sums.yy[first + x]);
    const auto det = hn::NegMulAdd(xy, xy, hn::Mul(xx, yy));
    const auto trace = hn::Add(hn::Add(xx, yy), hn::Set(d, 1e-5f));
    hn::StoreU(hn::Div(det, trace), d, strength + x);
  });
}

void strengths(Plane<const float> dx, Plane<const float> dy, int window, Plane<float> strength,
               Rows rows) {
  thread_local Sums<double> columns;
  thread_local Sums<float> windows;
  thread_local std::vector<float> powers;
  const int width = strength.width, inside = width - 2 * window, before = (window + 1) / 2;
  const Rows scanned{std::max(rows.begin, window), std::min(rows.end, strength.height - window)};
  const bool any = inside > 0 && scanned.begin < scanned.end;
  for (int y = rows.begin; y < rows.end; ++y) {
    if (!any || y < scanned.begin || y >= scanned.end) std::fill_n(strength.row(y), width, 0.0f);
  }
  if (!any) return;

  const auto padded =
      static_cast<std::size_t>(width) + static_cast<std::size_t>(window) + 2 * kLanes;
  columns.fit(padded);
  windows.fit(padded);
  if (powers.size() < padded) powers.resize(padded);
  for (std::vector<double>* sums : {&columns.xx, &columns.xy, &columns.yy})
    std::fill_n(sums->begin(), width, 0.0);
  constexpr int kTogether = 4;
  int next = scanned.begin - before;
  const int end = next + window;
  for (; next + kTogether <= end; next += kTogether) add_rows<kTogether>(dx, dy, next, {}, columns);
  for (; next < end; ++next) add_rows<1>(dx, dy, next, {}, columns);
  for (int y = scanned.begin; y < scanned.end; ++y) {
    if (y > scanned.begin) {
      const int top = y - before;
      add_rows<1>(dx, dy, top + window - 1, top - 1, columns);
    }
    sum_windows(columns.xx, width, window, powers, windows.xx);
    sum_windows(columns.xy, width, window, powers, windows.xy);
    sum_windows(columns.yy, width, window, powers, windows.yy);
    float* out = strength.row(y);
    std::fill_n(out, window, 0.0f);
    // The window of the first pixel starts `before` left of it.
    write_strength(windows, window - before, inside, out + window);
    std::fill_n(out + width - window, window, 0.0f);
  }
}

/// Which of the pixels from `here` on are peaks; all neighbours can be read.
HWY_INLINE auto peaks(const float* here, std::ptrdiff_t stride) {
  const D d;
  const auto pixel = hn::LoadU(d, here);
  const auto stronger = [&](std::ptrdiff_t by)
                            HWY_ATTR { return hn::Gt(pixel, hn::LoadU(d, here + by)); };
  const auto as_strong = [&](std::ptrdiff_t by)
                             HWY_ATTR { return hn::Ge(pixel, hn::LoadU(d, here + by)); };
  const auto before = hn::And(hn::And(stronger(-1), stronger(-stride)),
                              hn::And(stronger(-stride - 1), stronger(1 - stride)));
  const auto behind = hn::And(hn::And(as_strong(1), as_strong(stride)),
                              hn::And(as_strong(stride - 1), as_strong(stride + 1)));
  return hn::And(before, behind);
}

void greatest_of_blocks(Plane<const float> strength, Plane<float> greatest, Rows rows) {
  const D d;
  static_assert(kKltBlock % kLanes == 0);
  for (int y = rows.begin; y < rows.end; ++y) {
    const float* const row = strength.row(y);
    float* to = greatest.row(y);
    int x = 0;
    for (; x + kKltBlock <= strength.width; x += kKltBlock) {
      auto most = hn::LoadU(d, row + x);
      for (int i = kLanes; i < kKltBlock; i += kLanes)
        most = hn::Max(most, hn::LoadU(d, row + x + i));
      *to++ = hn::GetLane(hn::MaxOfLanes(d, most));
    }
    if (x < strength.width) *to = *std::max_element(row + x, row + strength.width);
  }
}

/// The strongest so far: up to four times as many as wanted, then the weaker ones go.
class Strongest {
 public:
  void start(int count, float above) {
    count_ = static_cast<std::size_t>(count);
    above_ = above;
    candidates_.clear();
    candidates_.reserve(4 * count_);
  }
  float above() const { return above_; }
  int size() const { return static_cast<int>(candidates_.size()); }
  /// `pixel`: its number in reading order. From one call to the next it grows.
  void add(uint32_t pixel, float strength) {
    // Positive floats compare as their bits do; of equals the first pixel is the greatest.
    candidates_.push_back(static_cast<uint64_t>(std::bit_cast<uint32_t>(strength)) << 32 |
                          (UINT32_MAX - pixel));
    if (candidates_.size() == 4 * count_) cut();
  }
  /// The strength of the candidate with this rank (1: the strongest); 0 when there are fewer.
  float strength(int rank) {
    if (size() < rank) return 0;
    const auto at = candidates_.begin() + rank - 1;
    std::nth_element(candidates_.begin(), at, candidates_.end(), std::greater<>());
    return strength_of(*at);
  }
  /// Writes the `count` strongest, in order, of a frame of this width. Returns how many there are.
  int write(int width, KltFeature* features) {
    cut();
    std::sort(candidates_.begin(), candidates_.end(), std::greater<>());
    for (const uint64_t candidate : candidates_) {
      const int pixel = static_cast<int>(UINT32_MAX - static_cast<uint32_t>(candidate));
      *features++ = {static_cast<float>(pixel % width), static_cast<float>(pixel / width),
                     strength_of(candidate)};
    }
    return size();
  }

 private:
  static float strength_of(uint64_t candidate) {
    return std::bit_cast<float>(static_cast<uint32_t>(candidate >> 32));
  }
  void cut() {
    if (candidates_.size() < count_) return;
    above_ = strength(static_cast<int>(count_));  // an equal one further down loses
    candidates_.resize(count_);
  }

  std::size_t count_ = 0;
  float above_ = 0;
  std::vector<uint64_t> candidates_;
};

/// Adds the candidates of [x, end) of row y, which lie in one block.
HWY_INLINE void scan_block(Plane<const float> strength, bool peaks_only, int y, int x, int end,
                           Strongest& strongest) {
  const D d;
  const float* const row = strength.row(y);
  const uint32_t first = static_cast<uint32_t>(y) * static_cast<uint32_t>(strength.width);
  const auto add = [&](int i) { strongest.add(first + static_cast<uint32_t>(i), row[i]); };
  const bool inner = y > 0 && y < strength.height - 1;
  for (; x + kLanes <= end; x += kLanes) {
    auto strong = hn::Gt(hn::LoadU(d, row + x), hn::Set(d, strongest.above()));
    if (hn::AllFalse(d, strong)) continue;
    const bool checked = inner && x > 0 && x + kLanes < strength.width;
    if (peaks_only && checked) strong = hn::And(strong, peaks(row + x, strength.stride));
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, strong, bytes);
    for (auto bits = bytes[0] | static_cast<unsigned>(bytes[1]) << 8; bits != 0; bits &= bits - 1) {
      const int i = x + std::countr_zero(bits);
      if (row[i] > strongest.above() && (checked || !peaks_only || is_peak(strength, i, y))) add(i);
    }
  }
  for (; x < end; ++x)
    if (row[x] > strongest.above() && (!peaks_only || is_peak(strength, x, y))) add(x);
}

void scan_rows(Plane<const float> strength, Plane<const float> greatest, bool peaks_only, int step,
               Strongest& strongest) {
  for (int y = 0; y < strength.height; y += step) {
    const float* most = greatest.row(y);
    for (int x = 0; x < strength.width; x += kKltBlock, ++most) {
      if (*most <= strongest.above()) continue;
      scan_block(strength, peaks_only, y, x, std::min(x + kKltBlock, strength.width), strongest);
    }
  }
}

/// The greatest strength of the block that has the rank among those of every `step`-th row; 0 when
/// there are fewer, or it is none.
float greatest_of_rank(Plane<const float> greatest, int step, int rank) {
  thread_local std::vector<float> all;
  all.clear();
  for (int y = 0; y < greatest.height; y += step)
    all.insert(all.end(), greatest.row(y), greatest.row(y) + greatest.width);
  if (static_cast<int>(all.size()) <= rank) return 0;
  std::nth_element(all.begin(), all.begin() + rank, all.end(), std::greater<>());
  return std::max(0.0f, all[rank]);
}

void select(Plane<const float> strength, Plane<const float> greatest, KltCandidates candidates,
            int count, KltFeature* features) {
  const bool peaks_only = candidates == KltCandidates::peaks;
  thread_local Strongest strongest;
  // Few rows give a threshold for all: the strength at twice the rank that the weakest candidate
  // wanted has among them on average. All rows mostly have `count` candidates above it. If they do
  // not, the threshold becomes the strength at rank `count` among the few rows.
  constexpr int kFewRows = 16;
  const auto weakest_of_few = [&](float above, int rank) {
    strongest.start(count, above);
    scan_rows(strength, greatest, peaks_only, kFewRows, strongest);
    const float weakest = strongest.strength(rank);
    return weakest > 0 ? std::nextafter(weakest, 0.0f) : 0;
  };
  const int rank = std::min(count, 2 * count / kFewRows + 8);
  // At least one of three strong blocks mostly has a strong candidate.
  float likely = weakest_of_few(greatest_of_rank(greatest, kFewRows, 3 * rank), rank);
  if (likely == 0) likely = weakest_of_few(0, rank);
  strongest.start(count, likely);
  scan_rows(strength, greatest, peaks_only, 1, strongest);
  if (strongest.size() < count && likely > 0) {
    strongest.start(count, weakest_of_few(0, count));
    scan_rows(strength, greatest, peaks_only, 1, strongest);
  }
  const int found = strongest.write(strength.width, features);
  std::fill(features + suppress_neighbours(features, found), features + count, KltFeature{});
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(strengths);
HWY_EXPORT(greatest_of_blocks);
HWY_EXPORT(select);

void klt_strength_simd(Plane<const float> dx, Plane<const float> dy, int window,
                       Plane<float> strength, Rows rows) {
  if (rows.count() <= 0 || strength.width <= 0) return;
  HWY_DYNAMIC_DISPATCH(strengths)(dx, dy, window, strength, rows);
}

void klt_greatest_simd(Plane<const float> strength, Plane<float> greatest, Rows rows) {
  HWY_DYNAMIC_DISPATCH(greatest_of_blocks)(strength, greatest, rows);
}

void klt_select_in_blocks_simd(Plane<const float> strength, Plane<const float> greatest,
                               KltCandidates candidates, int count, KltFeature* features) {
  if (count <= 0) return;
  HWY_DYNAMIC_DISPATCH(select)(strength, greatest, candidates, count, features);
}

}  // namespace tandem
#endif
