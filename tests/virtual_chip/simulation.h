// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <vector>

#include "scheduler/flow/item.h"
#include "tests/virtual_chip/chip.h"
#include "tests/virtual_chip/energy_counter.h"

namespace tandem::test {

/// The executor's rules on a described chip in virtual time: driver threads that take frames in
/// order, one device slot that is taken when it is free, medium grain's lock on the cores, a window
/// of frames in flight that leave in order. The source always has a frame. Nothing waits and
/// nothing is random but the chip's noise.
class Simulation {
 public:
  Simulation(const Chip& chip, unsigned seed);

  /// As Executor::configure: for the frames that begin when those before have finished.
  void configure(const Configuration& configuration, bool time_stages = false);

  /// As Executor::set_cpu_fallback.
  void set_cpu_fallback(bool on) { cpu_fallback_ = on; }

  struct Frame {
    uint64_t sequence = 0;
    uint32_t device_stages = 0;
    Item::Times times;
  };
  /// Runs until the next frame leaves, in order.
  Frame next();

  double now_s() const { return now_s_; }
  const EnergyCounter& energy() const { return energy_; }

 private:
  enum class Where { nowhere, cores, device, waits_for_cores, waits_for_device };
  struct Driver {
    Where where = Where::nowhere;
    Frame frame;
    int stage = 0;      ///< the next one, or the one that is computed
    int last = 0;       ///< of what is computed, one past
    int cpu_until = 0;  ///< stages before this one found the device busy, or are not for it
    double took_s = 0;  ///< what is computed
  };
  struct Event {
    double at_s;
    uint64_t order;  ///< of events at the same time
    int driver;
    bool operator>(const Event& other) const {
      return at_s != other.at_s ? at_s > other.at_s : order > other.order;
    }
  };

  int drivers() const;
  bool medium() const { return current_.granularity == Granularity::medium; }
  void begin_frames();
  void step();
  void go_on(int driver);
  void leave_stage(Driver& driver);
  void end_frame(Driver& driver);
  void take_device(Driver& driver);
  void take_cores(Driver& driver);
  void pass_cores_on();
  void pass_device_on();
  void compute(Driver& driver, Where where, double seconds);
  double device_run_s(Frame& frame, int first, int last);
  double drawn_s(double mean_s) { return mean_s * noise_(random_); }
  void pass_time(double until_s);

  const Chip& chip_;
  const int stages_;
  std::mt19937 random_;
  std::lognormal_distribution<double> noise_;

  double now_s_ = 1;  ///< not 0, which stands for no time
  EnergyCounter energy_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t order_ = 0;

  Configuration current_, pending_;
  bool time_stages_ = false, pending_time_stages_ = false;
  std::vector<Driver> drivers_;
  bool device_busy_ = false, cpu_fallback_ = true;
  int on_cores_ = 0;  ///< frames that are computed there now
  int running_ = 0;
  uint64_t next_begin_ = 0, next_leave_ = 0;
  std::map<uint64_t, Frame> finished_;  ///< those that wait for older ones
};

}  // namespace tandem::test
