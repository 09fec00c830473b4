// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/budget.h"

#include <algorithm>

#include "model/measurements.h"
#include "scheduler/machine/clock.h"

namespace tandem {

void Budget::frame_done(const FrameTimes& times, bool training) {
  if (first_ns_ == 0) first_ns_ = times.begin_ns;
  if (training) {
    if (frames_++ == 0) since_ns_ = std::max(times.begin_ns, last_ns_);
    held_ns_ += times.held_ns;
  }
  last_ns_ = std::max(last_ns_, times.end_ns);
}

void Budget::begin_training() {
  ++totals_.trainings;
  frames_ = 0;
  held_ns_ = 0;
}

Training Budget::spent() const {
  if (frames_ == 0) return {};
  const uint64_t lasted_ns = last_ns_ - since_ns_;
  return {seconds(lasted_ns - std::min(lasted_ns, held_ns_)), frames_};
}

double Budget::end_training(double throughput_fps) {
  const Training cost = spent();
  last_penalty_s_ = known(throughput_fps) ? training_penalty_s(cost, throughput_fps) : cost.seconds;
  totals_.training_s += cost.seconds;
  totals_.training_frames += cost.frames;
  totals_.penalty_s += last_penalty_s_;
  return last_penalty_s_;
}

bool Budget::allows_training(double max_overhead) const {
  if (totals_.trainings == 0 && max_overhead > 0) return true;
  // The next training is expected to cost what the last one did.
  return training_allowed(totals().stream_s - totals_.penalty_s,
                          totals_.penalty_s + last_penalty_s_, max_overhead);
}

Budget::Totals Budget::totals() const {
  Totals totals = totals_;
  totals.stream_s = seconds(last_ns_ - first_ns_);
  return totals;
}

}  // namespace tandem
