// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/flow/stageadapter.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "gst/bin/fusion.h"

namespace tandem::bin {

/// Opens devices and builds their programs while the cores compute frames. Drivers need up to a
/// second to open the first device of a process, and seconds to compile with empty caches.
///
/// ```
/// idle --expect()--> opens --found()--> waits --frame_left()--> builds --> joined
///   ^                  |                  |                                  ^
///   +---none_found()---+                  +-----------join_now()-------------+
/// ```
///
/// One thread opens the devices. Then each stage has a thread that builds its programs, and the
/// fused stages have another one.
class DeviceOpening {
 public:
  DeviceOpening() = default;
  ~DeviceOpening() { end(); }

  /// Called before the first frame if devices are opened later. The stages and `fusion` outlive
  /// this.
  void expect(std::span<StageAdapter* const> stages, Fusion& fusion);
  /// Hands the devices to the run by found() or none_found(). Called only while the run exists.
  using TakeOver = std::function<void()>;
  /// Calls `open` on a thread, then the function that it returned. Neither throws. `open` owns all
  /// that it uses, because a driver that hangs keeps it beyond the lifetime of this.
  void open_with(std::function<TakeOver()> open);
  bool opening() const;  ///< the functions of open_with() have not returned
  /// Waits until they have returned, the driver exceeds kDriverPatience, or end() is called.
  void wait_until_open() const;
  /// Hands the contexts, one for each kind of device, to the stages once the programs for frames
  /// like the first one are built. Then calls `joined` on a thread, with no lock held.
  void found(std::vector<std::shared_ptr<opencl::Context>> kinds, std::function<void()> joined);
  /// Called when no device was found. No effect after found().
  void none_found();
  /// Whether devices may still join.
  bool coming() const {
    const State state = state_;
    return state == State::opens || state == State::waits || state == State::builds;
  }
  /// Called after each frame that passed all stages: the first one determines the programs to
  /// build. Cheap once the devices have joined.
  void frame_left();
  /// Lets the devices join at once, before the first frame, whose programs are then built on
  /// demand. For frames that were measured with the devices already.
  void join_now();
  /// Waits for programs in the compiler, and up to kDriverPatience for a driver that opens. No
  /// device joins afterwards.
  void end();

 private:
  enum class State { idle, opens, waits, builds, joined };
  struct Attempt;
  void build();
  void build_side_by_side();
  void join();

  std::atomic<State> state_{State::idle};
  std::atomic<bool> ended_{false};
  std::shared_ptr<Attempt> attempt_;  // null: no device is opened on a thread
  std::mutex mutex_;                  // guards starting and ending the threads
  std::thread opener_, builder_;
  std::span<StageAdapter* const> stages_;
  Fusion* fusion_ = nullptr;
  std::vector<std::shared_ptr<opencl::Context>> kinds_;
  std::function<void()> joined_;
};

}  // namespace tandem::bin
