// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/machine/energy/meter.h"

namespace tandem {

/// Properties of a counter that are known before it is read.
struct CounterLimits {
  double range_j = 0;       ///< where it starts again from 0; 0: it never does
  double resolution_s = 0;  ///< it may take a step worth this long at once
  double most_w = 1000;     ///< more than the chip can draw: such a step is no energy
  double rest_s = 0;        ///< without a new value for longer it has stopped; 0: it may rest
};

/// Makes one hardware counter monotonic and notices when it stops telling the truth: it wraps
/// (which is handled), jumps, stops, or cannot be read. Pure: the caller passes the time.
class MonotonicCounter {
 public:
  enum class Event {
    none,
    jumped_back,  ///< fell where no wrap explains it
    jumped_far,   ///< rose by more than `most_w` allows
    stopped,      ///< no new value for `rest_s`; told once until it moves again
  };

  explicit MonotonicCounter(const CounterLimits& limits) : limits_(limits) {}

  /// A new reading of the counter, in its own joules. When nobody has read it for so long that it
  /// may have wrapped unseen, the interval is lost without an event: the counter is not to blame.
  Event add(double counter_j, MeterClock::time_point now);
  /// The counter could not be read: unknown until add() comes again.
  void lose();

  std::optional<double> since_open_j() const;
  MeterClock::time_point read_at() const { return read_at_; }
  MeterClock::time_point changed_at() const { return changed_at_; }
  uint32_t breaks() const { return breaks_; }

 private:
  enum class State { fresh, good, stopped, lost };
  Event judge(double counter_j, MeterClock::time_point now, double& step_j) const;
  void start_again(double counter_j, MeterClock::time_point now);

  CounterLimits limits_;
  State state_ = State::fresh;
  double counter_j_ = 0;
  double total_j_ = 0;
  MeterClock::time_point read_at_, changed_at_;
  uint32_t breaks_ = 0;
};

/// "`what` jumped back: ..." for people.
std::string describe(MonotonicCounter::Event event, const std::string& what);

}  // namespace tandem
