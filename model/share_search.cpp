// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/share_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "model/split.h"

namespace tandem {
namespace {

// Shares that are as good, in points: none is looked for between them.
constexpr int kSame = 2;
// Distance of shares from which a line through them predicts others.
constexpr int kFarEnough = 10;
constexpr double kWorthTrying = 0.015;
// Least time beside the sides with shares beyond the first or the last, as a part of that there.
constexpr double kLeastBeside = 0.5;

// How much longer the cores take.
double lead_s(const ShareTried& tried) { return tried.cores_s - tried.device_s; }

double beside_sides_s(const ShareTried& tried) {
  return tried.frame_s - std::max(tried.cores_s, tried.device_s);
}

class Search {
 public:
  Search(std::span<const ShareTried> tried, const WholesAlone& wholes)
      : tried_(tried.begin(), tried.end()), wholes_(wholes) {
    std::ranges::sort(tried_, {}, &ShareTried::percent);
  }

  // Where both sides are expected to take as long.
  int balanced() const {
    const auto slow_cores =
        std::ranges::find_if(tried_, [](const ShareTried& tried) { return lead_s(tried) >= 0; });
    if (slow_cores == tried_.begin())
      return crossing(tried_.front(), nearest(tried_.begin(), tried_.end()));
    if (slow_cores == tried_.end())
      return crossing(tried_.back(), nearest(tried_.rbegin(), tried_.rend()));
    return crossing(*std::prev(slow_cores), *slow_cores);
  }

  bool is_near_one_tried(int percent) const {
    return std::ranges::any_of(tried_, [&](const ShareTried& tried) {
      return std::abs(tried.percent - percent) <= kSame;
    });
  }

  // In the middle of the gap between two shares in which a frame may take the least time.
  std::optional<int> in_a_gap() const {
    std::optional<int> next;
    double least_s = (1 - kWorthTrying) * best_share_of(tried_).frame_s;
    for (int above = 0; above <= count(); ++above) {
      const int from = percent_of(above - 1), to = percent_of(above);
      if (to - from <= kSame || !(least_in_gap_s(above) < least_s)) continue;
      least_s = least_in_gap_s(above);
      next = (from + to) / 2;
    }
    return next;
  }

 private:
  int count() const { return static_cast<int>(tried_.size()); }
  // Beyond the first and the last all rows are on one side.
  int percent_of(int index) const {
    if (index < 0) return kLeastShare - 1;
    return index < count() ? tried_[index].percent : kMostShare + 1;
  }

  // The least time of a frame between two shares: a side with more rows takes no less time than
  // with fewer. The time beside the sides, such as waits for each other, changes with the share.
  double least_in_gap_s(int above) const {
    if (above == 0) return kLeastBeside * beside_sides_s(tried_.front()) + tried_.front().device_s;
    if (above == count())
      return kLeastBeside * beside_sides_s(tried_.back()) + tried_.back().cores_s;
    const ShareTried &low = tried_[above - 1], &high = tried_[above];
    return std::min(beside_sides_s(low), beside_sides_s(high)) +
           std::max(low.cores_s, high.device_s);
  }

  // The share nearest to the first one of these, or the whole frame on the cores.
  template <class Iterator>
  ShareTried nearest(Iterator first, Iterator end) const {
    const auto other = std::find_if(
        first, end, [&](const ShareTried& each) { return each.percent != first->percent; });
    return other == end ? whole_line(*first) : *other;
  }
  // With all rows on the cores, by the lines through this share and whole frames.
  ShareTried whole_line(const ShareTried& one) const {
    const double share = one.percent / 100.0;
    const SplitSide device = side_of(1, wholes_.device_s, 1 - share, one.device_s);
    return {100, wholes_.cores_s, device.fixed_s, kUnknown};
  }

  static int crossing(const ShareTried& one, const ShareTried& other) {
    const double slope = (lead_s(other) - lead_s(one)) / (other.percent - one.percent);
    const double at = one.percent - lead_s(one) / slope;
    // The more rows the cores have, the longer they take beside the device; noise may say
    // otherwise.
    if (!(slope > 0)) return lead_s(one) > 0 ? kLeastShare : kMostShare;
    return static_cast<int>(std::round(std::clamp<double>(at, kLeastShare, kMostShare)));
  }

  std::vector<ShareTried> tried_;
  const WholesAlone wholes_;
};

}  // namespace

std::optional<int> next_share(std::span<const ShareTried> tried, const WholesAlone& wholes) {
  if (std::ssize(tried) >= kMostShares) return std::nullopt;
  const Search search(tried, wholes);
  const int balanced = search.balanced();
  if (!search.is_near_one_tried(balanced)) return balanced;
  return search.in_a_gap();
}

const ShareTried& best_share_of(std::span<const ShareTried> tried) {
  return *std::ranges::min_element(tried, {}, &ShareTried::frame_s);
}

Split split_near_best(std::span<const ShareTried> tried, const WholesAlone& wholes) {
  const ShareTried& best = best_share_of(tried);
  const ShareTried* other = nullptr;
  for (const ShareTried& each : tried) {
    const int away = std::abs(each.percent - best.percent);
    if (away >= kFarEnough && (!other || away < std::abs(other->percent - best.percent)))
      other = &each;
  }
  const double share = best.percent / 100.0;
  Split split;
  if (other) {
    const double others = other->percent / 100.0;
    split.cores = side_of(others, other->cores_s, share, best.cores_s);
    split.device = side_of(1 - others, other->device_s, 1 - share, best.device_s);
  } else {
    split.cores = side_of(1, wholes.cores_s, share, best.cores_s);
    split.device = side_of(1, wholes.device_s, 1 - share, best.device_s);
  }
  split.joins_s = std::max(0.0, beside_sides_s(best));
  split.cpu_share = best.percent;
  return split;
}

}  // namespace tandem
