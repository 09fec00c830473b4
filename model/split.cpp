// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/split.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

// The parts of the time in which each side is busy have to exceed 1 in sum by more than this. At 1
// one side works at a time, and the static watts cannot be told from the others.
constexpr double kApart = 0.3;
// A side on which a row costs more than so many times as much is spared in doubt.
constexpr double kSteep = 2;

}  // namespace

SplitSide side_of(double part, double seconds, double second_part, double second_seconds) {
  const double rows_s = (second_seconds - seconds) / (second_part - part);
  if (rows_s < 0) return {second_seconds, 0};
  const double fixed_s = second_seconds - second_part * rows_s;
  if (fixed_s < 0) return {0, second_seconds / second_part};
  return {fixed_s, rows_s};
}

double seconds_of(const Split& split, double share) {
  const double cores_s = split.cores.seconds(share), device_s = split.device.seconds(1 - share);
  const double joins_s = share > 0 && share < 1 ? split.joins_s : 0;
  return std::max(cores_s, device_s) + joins_s + (cores_s - cores_s) + (device_s - device_s);
}

double balanced_share(const Split& split) {
  const SplitSide &cores = split.cores, &device = split.device;
  return (device.fixed_s - cores.fixed_s + device.rows_s) / (cores.rows_s + device.rows_s);
}

int share_to_run(const Split& split) {
  const double percent = 100 * balanced_share(split);
  const double cores_s = split.cores.rows_s, device_s = split.device.rows_s;
  double rounded = std::round(percent);
  if (cores_s > kSteep * device_s) rounded = std::floor(percent);
  if (device_s > kSteep * cores_s) rounded = std::ceil(percent);
  if (!known(rounded)) return 0;
  rounded = std::clamp<double>(rounded, kLeastShare, kMostShare);
  const double whole_s = std::min(seconds_of(split, 0), seconds_of(split, 1));
  return seconds_of(split, rounded / 100) < whole_s ? static_cast<int>(rounded) : 0;
}

// on_both = static + cores_busy (on_cores - static) + device_busy (on_device - static)
SplitWatts watts_of_split(double on_cores_w, double on_device_w, double on_both_w,
                          double cores_busy, double device_busy) {
  const double twice = cores_busy + device_busy - 1;
  if (!(twice > kApart)) return {};
  const double measured_w =
      (cores_busy * on_cores_w + device_busy * on_device_w - on_both_w) / twice;
  const double static_w = std::max(0.0, std::min({measured_w, on_cores_w, on_device_w}));
  return {static_w + (measured_w - measured_w), on_cores_w - static_w, on_device_w - static_w};
}

}  // namespace tandem
