// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/balance.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/estimator.h"
#include "model/median.h"

namespace tandem {
namespace {

// The least time of the faster side, as a part of the slower one's.
constexpr double kBalanced = 0.88;
constexpr double kWeight = 0.25, kActsAt = 0.9;
constexpr double kCalm = 0.1;  // below, the latest frames were balanced
constexpr int kMostMoves = 3;
constexpr double kNothing = 0.5;  // percent of the rows
constexpr int kMostTurns = 8;     // that make the next one wait longer
constexpr int kForgotten = 10'000;

bool is_balanced(double one_s, double other_s) {
  return std::min(one_s, other_s) >= kBalanced * std::max(one_s, other_s);
}

// The cores' time divided by the device's with the share that was the best.
double usual_of(const Split& split) {
  const double share = split.cpu_share / 100.0;
  const double cores_s = split.cores.fixed_s + share * split.cores.rows_s;
  const double device_s = split.device.fixed_s + (1 - share) * split.device.rows_s;
  const double usual = cores_s / device_s;
  return known(usual) && usual > 0 ? usual : 1;
}

template <std::size_t kCount>
double middle_of(std::array<double, kCount> values) {
  return median(values);
}

}  // namespace

Balance Balance::of(int cpu_share, const Split& split) {
  const auto known_or = [](double seconds) { return known(seconds) ? seconds : 0; };
  return Balance(cpu_share, known_or(split.cores.fixed_s), known_or(split.device.fixed_s),
                 split.cpu_share == cpu_share ? usual_of(split) : 1);
}

Balance::Balance(int cpu_share, double cores_fixed_s, double device_fixed_s, double usual)
    : cpu_share_(cpu_share),
      usual_(usual),
      learns_(usual != 1),
      cores_fixed_s_(cores_fixed_s / usual),
      device_fixed_s_(device_fixed_s) {}

Balance::Act Balance::frame_done(double cores_s, double device_s) {
  if (cpu_share_ == 0 || learns_what_is_usual(cores_s, device_s)) return Act::none;
  if (++since_move_ >= kForgotten) turns_ = 0;
  cores_s /= usual_;
  cores_s_[seen_ % kLatest] = cores_s;
  device_s_[seen_ % kLatest] = device_s;
  ++seen_;
  const double unbalanced = is_balanced(cores_s, device_s) ? 0 : 1;
  unbalanced_ = kWeight * unbalanced + (1 - kWeight) * unbalanced_;
  if (seen_ >= kLatest && unbalanced_ < kCalm) moves_ = 0;
  return is_time_to_act() ? move_to(target()) : Act::none;
}

// True while it learns, which is at the beginning.
bool Balance::learns_what_is_usual(double cores_s, double device_s) {
  if (!learns_) return false;
  first_[seen_++] = cores_s / device_s;
  if (seen_ < kUsualFrames) return true;
  learns_ = false;
  seen_ = 0;
  const double unlike = middle_of(first_) / usual_;
  if (!(std::max(unlike, 1 / unlike) < kUnusual)) return true;  // this is no usual stream
  usual_ *= unlike;
  cores_fixed_s_ /= unlike;
  return true;
}

bool Balance::is_time_to_act() {
  const bool due = seen_ >= kLatest && unbalanced_ >= kActsAt;
  due_ = due ? due_ + 1 : 0;
  const int longer = turns_ < 2 ? 1 : 1 << (turns_ - 1);
  return due_ > kLatest * (longer - 1) && lies_to_one_side();
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
  return std::abs(sum) > kSureSigmas * std::sqrt(kLatest * variance);
}

Balance::Rates Balance::rates() const {
  const double share = cpu_share_ / 100.0;
  Rates r{.cores_s = middle_of(cores_s_), .device_s = middle_of(device_s_)};
  // A fixed time that is more than the whole was measured under other circumstances.
  r.cores_fixed_s = std::min(cores_fixed_s_, r.cores_s / 2);
  r.device_fixed_s = std::min(device_fixed_s_, r.device_s / 2);
  r.cores_rows_s = (r.cores_s - r.cores_fixed_s) / share;
  r.device_rows_s = (r.device_s - r.device_fixed_s) / (1 - share);
  return r;
}

// The share in percent that balances both sides at the latest rates, as in balanced_share().
double Balance::target() const {
  const Rates r = rates();
  return 100 * (r.device_fixed_s - r.cores_fixed_s + r.device_rows_s) /
         (r.cores_rows_s + r.device_rows_s);
}

bool Balance::gains(double target) const {
  const Rates r = rates();
  const double share = std::clamp<double>(target, kLeastShare, kMostShare) / 100;
  const double then_s = std::max(r.cores_fixed_s + share * r.cores_rows_s,
                                 r.device_fixed_s + (1 - share) * r.device_rows_s);
  return kBetter * then_s < std::max(r.cores_s, r.device_s);
}

void Balance::note_turn(bool up) {
  if (std::exchange(moved_, true) && up != up_) turns_ = std::min(turns_ + 1, kMostTurns);
  up_ = up;
  since_move_ = 0;
}

Balance::Act Balance::move_to(double target) {
  const double way = std::clamp<double>(target, kLeastShare, kMostShare) - cpu_share_;
  // No share is nearer, or one side should compute nearly nothing.
  const bool nothing_left = target < kNothing || target > 100 - kNothing;
  if (std::abs(way) < 1) return nothing_left ? Act::measure : Act::none;
  if (!nothing_left && !gains(target)) return Act::none;
  if (moves_ == kMostMoves) return Act::measure;
  note_turn(way > 0);
  const double part = moves_ == 0 ? way / 2 : way;
  const double step = std::abs(part) < 1 ? std::copysign(1, part) : std::round(part);
  cpu_share_ += static_cast<int>(step);
  ++moves_;
  unbalanced_ = 0;
  seen_ = due_ = 0;
  return Act::move;
}

}  // namespace tandem
