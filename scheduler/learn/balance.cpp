// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/balance.h"

#include <algorithm>
#include <cmath>

#include "model/median.h"

namespace tandem {
namespace {

// What the faster side takes at least of the slower one's time.
constexpr double kBalanced = 0.88;
constexpr double kWeight = 0.25, kActsAt = 0.9;
constexpr double kCalm = 0.1;  // below, the latest frames were balanced
constexpr int kMostMoves = 3;
constexpr double kSure = 6;       // standard errors
constexpr double kNothing = 0.5;  // percent of the rows

bool is_balanced(double one_s, double other_s) {
  return std::min(one_s, other_s) >= kBalanced * std::max(one_s, other_s);
}

template <std::size_t kCount>
double middle_of(std::array<double, kCount> values) {
  return median(values);
}

}  // namespace

Balance::Balance(int cpu_share, double cores_fixed_s, double device_fixed_s, double usual)
    : cpu_share_(cpu_share),
      usual_(usual),
      cores_fixed_s_(cores_fixed_s / usual),
      device_fixed_s_(device_fixed_s) {}

Balance::Act Balance::frame_done(double cores_s, double device_s) {
  if (cpu_share_ == 0) return Act::none;
  cores_s /= usual_;
  cores_s_[seen_ % kLatest] = cores_s;
  device_s_[seen_ % kLatest] = device_s;
  ++seen_;
  const double unbalanced = is_balanced(cores_s, device_s) ? 0 : 1;
  unbalanced_ = kWeight * unbalanced + (1 - kWeight) * unbalanced_;
  if (seen_ >= kLatest && unbalanced_ < kCalm) moves_ = 0;
  if (seen_ < kLatest || unbalanced_ < kActsAt) return Act::none;
  return lies_to_one_side() ? move_to(target()) : Act::none;
}

// Frames that differ much from each other are unbalanced by chance, now this way, now that.
bool Balance::lies_to_one_side() const {
  if (is_balanced(middle_of(cores_s_), middle_of(device_s_))) return false;
  double sum = 0, squares = 0;
  for (int i = 0; i < kLatest; ++i) {
    const double ratio = std::log(cores_s_[i] / device_s_[i]);
    sum += ratio;
    squares += ratio * ratio;
  }
  const double variance = std::max(0.0, squares - sum * sum / kLatest) / (kLatest - 1);
  return std::abs(sum) > kSure * std::sqrt(kLatest * variance);
}

// Where both sides take as long at the latest rates, in percent. As in balanced_share().
double Balance::target() const {
  const double cores_s = middle_of(cores_s_), device_s = middle_of(device_s_);
  const double share = cpu_share_ / 100.0;
  // A fixed time that is more than the whole was measured under other circumstances.
  const double cores_fixed_s = std::min(cores_fixed_s_, cores_s / 2);
  const double device_fixed_s = std::min(device_fixed_s_, device_s / 2);
  const double cores_rows_s = (cores_s - cores_fixed_s) / share;
  const double device_rows_s = (device_s - device_fixed_s) / (1 - share);
  return 100 * (device_fixed_s - cores_fixed_s + device_rows_s) / (cores_rows_s + device_rows_s);
}

Balance::Act Balance::move_to(double target) {
  const double way = std::clamp(target, 1.0, 99.0) - cpu_share_;
  // No share is nearer, or one side should compute nearly nothing.
  const bool nothing_left = target < kNothing || target > 100 - kNothing;
  if (std::abs(way) < 1) return nothing_left ? Act::measure : Act::none;
  if (moves_ == kMostMoves) return Act::measure;
  const double part = moves_ == 0 ? way / 2 : way;
  const double step = std::abs(part) < 1 ? std::copysign(1, part) : std::round(part);
  cpu_share_ += static_cast<int>(step);
  ++moves_;
  unbalanced_ = 0;
  seen_ = 0;
  return Act::move;
}

}  // namespace tandem
