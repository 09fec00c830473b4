// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/monotonic_counter.h"

#include "scheduler/machine/clock.h"

namespace tandem {

MonotonicCounter::Event MonotonicCounter::judge(double counter_j, MeterClock::time_point now,
                                                double& step_j) const {
  const bool fell = counter_j < counter_j_;
  step_j = counter_j - counter_j_ + (fell ? limits_.range_j : 0);
  const double still_s = seconds(now - changed_at_);
  if (!(step_j >= 0)) return Event::jumped_back;
  if (step_j > limits_.most_w * (still_s + limits_.resolution_s)) {
    return fell ? Event::jumped_back : Event::jumped_far;
  }
  const bool rests_too_long = step_j == 0 && limits_.rest_s > 0 && still_s > limits_.rest_s;
  return rests_too_long ? Event::stopped : Event::none;
}

void MonotonicCounter::start_again(double counter_j, MeterClock::time_point now) {
  counter_j_ = counter_j;
  changed_at_ = now;
  state_ = State::good;
}

MonotonicCounter::Event MonotonicCounter::add(double counter_j, MeterClock::time_point now) {
  const double unread_s = seconds(now - read_at_);
  read_at_ = now;
  if (state_ == State::fresh) {
    start_again(counter_j, now);
    return Event::none;
  }
  if (state_ == State::stopped && counter_j == counter_j_) return Event::none;
  const bool may_have_wrapped = limits_.range_j > 0 && unread_s * limits_.most_w > limits_.range_j;
  if (state_ != State::good || may_have_wrapped) {
    ++breaks_;
    start_again(counter_j, now);
    return Event::none;
  }
  double step_j = 0;
  const Event event = judge(counter_j, now, step_j);
  if (event == Event::stopped) {
    state_ = State::stopped;
  } else if (event != Event::none) {
    ++breaks_;
    start_again(counter_j, now);
  } else if (step_j > 0) {
    total_j_ += step_j;
    counter_j_ = counter_j;
    changed_at_ = now;
  }
  return event;
}

void MonotonicCounter::lose() {
  if (state_ != State::fresh) state_ = State::lost;
}

std::optional<double> MonotonicCounter::since_open_j() const {
  return state_ == State::good ? std::optional(total_j_) : std::nullopt;
}

std::string describe(MonotonicCounter::Event event, const std::string& what) {
  switch (event) {
    case MonotonicCounter::Event::jumped_back:
      return what + " jumped back: the energy of that interval is unknown";
    case MonotonicCounter::Event::jumped_far:
      return what + " rose by more than the chip can draw: the energy of that interval is unknown";
    case MonotonicCounter::Event::stopped:
      return what + " stopped counting: its energy is unknown until it moves again";
    case MonotonicCounter::Event::none:
      break;
  }
  return {};
}

}  // namespace tandem
