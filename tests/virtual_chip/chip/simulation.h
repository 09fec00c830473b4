// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <vector>

#include "scheduler/flow/dispatch.h"
#include "tests/virtual_chip/chip/chip.h"
#include "tests/virtual_chip/chip/energy_counter.h"

namespace tandem::test {

/// The executor's rules (Dispatch) on a described chip in virtual time. The source always has a
/// frame. Nothing waits and nothing is random but the chip's noise.
class Simulation {
 public:
  Simulation(const Chip& chip, unsigned seed);

  /// As Executor::configure.
  void configure(const Configuration& configuration, bool time_stages = false, bool spaced = false);
  /// As Executor::set_cpu_fallback.
  void set_cpu_fallback(bool on) { dispatch_.set_cpu_fallback(on); }
  /// The device with this number fails in its n-th run from now, and in all after that.
  void fail_device_after(int runs, int device = 0) { device_runs_left_[device] = runs; }
  /// So many threads of somebody else compute all the time from now on.
  void set_others(int threads) { others_ = threads; }
  /// Runs that the device has finished, failed ones included.
  int runs_of(int device) const { return device_runs_[device]; }

  struct Frame {
    uint64_t sequence = 0;
    uint32_t device_stages = 0;
    FrameTimes times;
    bool ok = true;
  };
  /// Runs until the next frame leaves, in order, and the sink has taken it.
  Frame next();

  double now_s() const { return now_s_; }
  /// Processor time that frames have taken; a device's driver takes none.
  double cpu_s() const { return cpu_s_; }
  const EnergyCounter& energy() const { return energy_; }
  const Configuration& configuration() const { return dispatch_.configuration(); }
  int in_flight() const { return dispatch_.in_flight(); }
  int under_way() const { return dispatch_.under_way(); }

 private:
  enum class Where { nowhere, waits, cores, device_apart, collects, split };
  struct Worker {
    Where where = Where::nowhere;
    Dispatch::Entry* entry = nullptr;
    Dispatch::Action action;
    int position = 0;  ///< that is computed on the cores
    double took_s = 0;
    int computed = 1;  ///< positions from `position` on that are computed together
    int sides = 0;     ///< that are not done with their rows
    Dispatch::Idle idle;
  };
  struct Event {
    double at_s;
    uint64_t order;  ///< of events at the same time
    int worker;
    bool device = false;  ///< of a split frame: this side is done with its rows
    bool operator>(const Event& other) const {
      return at_s != other.at_s ? at_s > other.at_s : order > other.order;
    }
  };

  bool medium() const;
  void let_in();
  void begin();
  void step();
  void take_up(Worker& worker, const Dispatch::Work& work);
  bool is_over(Worker& worker);
  bool collect(Worker& worker);
  void send(Worker& worker);
  void go_on(Worker& worker);
  void retry();
  void compute(Worker& worker, Where where, double seconds);
  void compute_position(Worker& worker);
  void compute_split(Worker& worker);
  double device_stages_apart_s(Worker& worker);
  Status device_status(int device);
  double share_of_cores() const;
  double drawn_s(double mean_s) { return mean_s * slower_ * noise_(random_); }
  void pass_time(double until_s);
  void drift(double lasted_s);
  void begin_or_end_bursts();

  const Chip& chip_;
  const int stages_;
  std::mt19937 random_;
  std::lognormal_distribution<double> noise_;

  double drifted_ = 0, slower_ = 1;  ///< by drift: its logarithm, and how many times

  int others_ = 0;
  /// Draws the pauses between bursts, so that these come at the same times whatever runs.
  std::mt19937 bursts_random_;
  bool in_burst_ = false;
  double burst_changes_s_ = 0;
  double now_s_ = 1;  ///< not 0, which stands for no time
  double cpu_s_ = 0;
  EnergyCounter energy_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t order_ = 0;

  Dispatch dispatch_;
  std::vector<Item> items_;
  std::size_t next_item_ = 0;
  Intervals intervals_;
  std::vector<Worker> workers_;
  int on_device_ = 0;  ///< frames
  // What a frame on a device passes one after the other, each for one frame at a time: when it is
  // free again.
  struct Stations {
    double upload_free_s = 0, compute_free_s = 0, download_free_s = 0;
  };
  std::array<Stations, kMaxDevices> stations_;
  std::array<double, kMaxDevices * kMaxLanes> done_s_{};
  int on_cores_ = 0;  ///< frames that are computed there now
  std::array<int, kMaxDevices> device_runs_left_, device_runs_{};
  double sink_free_s_ = 0;
};

}  // namespace tandem::test
