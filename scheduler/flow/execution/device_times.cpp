// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/execution/device_times.h"

#include <algorithm>

namespace tandem {
namespace {

// A run that takes no longer on the device is not cut.
constexpr uint64_t kRunNs = 100'000'000;
constexpr uint64_t kTimedAgainNs = 5 * kRunNs;
constexpr int kMostGrowth = 4;  // from one piece to the next: the time of a piece is an estimate

// Positions of a piece of `piece_ns` after one that took `took_ns`, in a run of `all`.
int next_piece(int positions, uint64_t took_ns, int all, uint64_t piece_ns) {
  const double one_ns = static_cast<double>(std::max<uint64_t>(took_ns, 1)) / positions;
  const bool short_run = one_ns * all <= static_cast<double>(kRunNs);
  const double fitting = short_run ? all : static_cast<double>(piece_ns) / one_ns;
  return static_cast<int>(std::clamp<double>(fitting, 1, double{kMostGrowth} * positions));
}

}  // namespace

void DeviceTimes::frames_change() {
  piece_ = 0;
  for (StageTimes& kind : ns_)
    for (auto& ns : kind) ns = 0;
}

std::size_t DeviceTimes::kind(int lane) const {
  return static_cast<std::size_t>(context_.device->kind(lane % context_.device->devices()));
}

bool DeviceTimes::is_long(int lane, int stage) const {
  const uint64_t usual_ns = ns_[kind(lane)][stage].load(std::memory_order_relaxed);
  return usual_ns == 0 || usual_ns > kRunNs;
}

int DeviceTimes::end_of_piece(const FrameEntry& entry, const FrameAction& action) const {
  const int first = entry.sent_until, lane = entry.lane;
  // A run of many rounds is too long for a sum of times that include waits.
  const bool repeats = action.last - action.first > static_cast<int>(context_.stages.size());
  const int most =
      repeats ? std::max(1, piece_.load(std::memory_order_relaxed)) : action.last - action.first;
  uint64_t usual_ns = 0;
  int p = first;
  while (p < action.last && p - first < most) {
    const int stage = entry.path.stage(p);
    const int count = entry.fused_length(p, action.last, true);
    const uint64_t here_ns = ns_[kind(lane)][stage].load(std::memory_order_relaxed);
    usual_ns += repeats ? 0 : here_ns * static_cast<uint64_t>(count);
    if (p > first && (is_long(lane, stage) || usual_ns > kRunNs)) break;
    if (is_long(lane, stage)) return p + count;
    p += count;
  }
  return p;
}

void DeviceTimes::learn(int lane, int stage, uint64_t took_ns, int count) {
  StageTimes& known_ns = ns_[kind(lane)];
  for (int k = stage; k < stage + count; ++k) known_ns[k] = took_ns / static_cast<uint64_t>(count);
}

void DeviceTimes::learn_piece(const FrameEntry& entry, uint64_t took_ns) {
  const int positions = entry.sent_until - entry.sent_from;
  const int all = entry.sent.last - entry.sent.first;
  const int count = entry.fused_length(entry.sent_from, entry.sent.last, true);
  if (positions == count) learn(entry.lane, entry.path.stage(entry.sent_from), took_ns, count);
  if (piece_ < all) piece_ = next_piece(positions, took_ns, all, kPieceNs);
  // Far more than the stages took apart: they have changed, and are timed again.
  if (positions == count || positions > static_cast<int>(context_.stages.size()) ||
      took_ns < kTimedAgainNs)
    return;
  StageTimes& known_ns = ns_[kind(entry.lane)];
  for (int p = entry.sent_from; p < entry.sent_until; ++p) known_ns[entry.path.stage(p)] = 0;
}

}  // namespace tandem
