// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "model/overhead.h"
#include "scheduler/frame_times.h"

namespace tandem {

/// The costs of training over the whole stream (Vilches, equations 1 and 2). Times come in with the
/// frames.
class Budget {
 public:
  struct Totals {
    int trainings = 0, training_frames = 0;
    double training_s = 0, penalty_s = 0;
    double stream_s = 0;  ///< from the first frame to the last
  };

  /// Takes a finished frame; `training`: while one was under way.
  void frame_done(const FrameTimes& times, bool training);
  uint64_t last_ns() const { return last_ns_; }

  void begin_training();
  /// Time and frames of the training under way.
  Training spent() const;
  /// Ends it with the rate of the configuration that it led to. Unknown if it led to none: then all
  /// its time was lost. Returns its penalty, equation 1.
  double end_training(double throughput_fps);
  /// The latest training is no training of this stream's own: the next may be the first.
  void take_back() { --totals_.trainings; }

  /// Whether a training may begin: the penalties of all of them and the expected one of the next
  /// are at most the share `max_overhead` of the time that has passed. The first one is free, as in
  /// the paper: there is nothing yet to compare it with.
  bool allows_training(double max_overhead) const;
  Totals totals() const;

 private:
  Totals totals_;
  double last_penalty_s_ = 0;
  uint64_t first_ns_ = 0, last_ns_ = 0;
  // The training under way, with the time between two experiments.
  uint64_t since_ns_ = 0;
  uint64_t held_ns_ = 0;  // in which frames waited for the sink: nothing is lost by that
  int frames_ = 0;
};

}  // namespace tandem
