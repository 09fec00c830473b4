// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace tandem {

class Seat;

/// The resources that the bins of a process share: the cores, the device, the memory for frames,
/// and the turn to train. A bin takes a Seat and reports every frame to it. Its share changes as
/// bins begin, end, pause, or as their sources become slow or fast.
class Machine {
 public:
  /// The share of one bin.
  struct Share {
    double cores = 1;  ///< of the cores of the machine, 0 ... 1
    int at_work = 1;   ///< bins whose threads their sources keep busy, this one counted among them
    int bins = 1;      ///< all that have a seat: the memory for frames is divided by it
    bool operator==(const Share&) const = default;
  };

  /// `cores`: physical ones that the process may use.
  explicit Machine(int cores) : cores_(cores) {}

 private:
  friend class Seat;
  // The interval of looks. Shares follow the state of two looks in a row.
  static constexpr uint64_t kBalanceNs = 250'000'000;
  // A bin without a frame for so long, and for so many of its usual intervals, takes no part, and
  // its turn to train is over.
  static constexpr uint64_t kIdleNs = 1'000'000'000;
  static constexpr uint64_t kIdleIntervals = 4;

  void balance(uint64_t now_ns);
  void share_out();
  void changed() { epoch_.fetch_add(1, std::memory_order_release); }

  const int cores_;
  std::mutex mutex_;
  std::vector<Seat*> seats_;
  Seat* trains_ = nullptr;
  double cpu_s_of_the_gone_ = 0;
  std::atomic<uint64_t> next_balance_ns_{0};
  std::atomic<uint64_t> epoch_{0};
};

/// One bin's place in the machine. Its functions but frame_done() and epoch() take a lock shortly.
class Seat {
 public:
  /// `cpu_s`: processor time that the bin's threads have taken; called by any thread.
  Seat(std::shared_ptr<Machine> machine, std::function<double()> cpu_s);
  ~Seat() { leave(); }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  /// Gives the place back: `cpu_s` is not called any more.
  void leave();

  /// For one thread at a time. `starved`: threads waited for the source to bring this frame.
  void frame_done(uint64_t now_ns, bool starved);

  /// Another number when shares changed, a bin began or ended to train, or chose anew.
  uint64_t epoch() const { return machine_->epoch_.load(std::memory_order_acquire); }
  Machine::Share share() const;

  /// True when this bin may train now: no other one does that is alive.
  bool take_turn(uint64_t now_ns);
  void end_turn();
  bool another_trains() const;
  /// Tells the others that their service times change because of this bin, which is no drift.
  void chose() { machine_->changed(); }

  /// Processor time that the threads of all other bins have taken.
  double cpu_s_of_others() const;

 private:
  friend class Machine;
  bool alive(uint64_t now_ns) const;

  const std::shared_ptr<Machine> machine_;
  const std::function<double()> cpu_s_;
  std::atomic<uint64_t> last_frame_ns_{0}, usual_interval_ns_{0};  // between frames
  std::atomic<int> frames_{0}, starved_{0};                        // since they were looked at last
  // Under the machine's mutex.
  bool idle_ = false;                            // no frame comes for now
  bool busy_ = true;                             // its source keeps its threads busy
  bool seems_busy_ = true, seems_idle_ = false;  // as of the latest look
  double cpu_s_seen_ = 0, cores_used_ = 0;
  uint64_t seen_ns_ = 0;
  Machine::Share share_;
};

}  // namespace tandem
