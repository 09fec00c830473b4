// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stageadapter.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "gst/bin/fusion.h"

namespace tandem::bin {

/// Opens the devices and builds their programs while the cores compute frames; the devices join
/// when they are ready. Threads of its own: one opens, then there is one a stage and one for what
/// is fused. Drivers take up to a second to open the first device of a process, and compile for
/// hundreds of milliseconds to seconds where their caches are empty.
class DeviceOpening {
 public:
  DeviceOpening() = default;
  ~DeviceOpening() { end(); }

  /// Before the first frame: devices are opened later, and programs built for them. The stages and
  /// what is fused of them outlive this.
  void expect(std::span<StageAdapter* const> stages, Fusion& fusion);
  /// Takes over what was found, by found() or none_found(); the run exists meanwhile.
  using TakeOver = std::function<void()>;
  /// Calls `open` on a thread, and what it returns after that. Both throw nothing. A driver that
  /// does not answer keeps `open` for longer than this lives: `open` owns all that it uses.
  void open_with(std::function<TakeOver()> open);
  bool opening() const;  ///< that is not over
  /// Returns when that is over, the driver does not answer in time, or end() is called.
  void wait_until_open() const;
  /// The stages get the contexts, one for each kind of device, when all of them have what they need
  /// for frames like the first one; `joined` is called after that, on a thread, with no lock held.
  void found(std::vector<std::shared_ptr<opencl::Context>> kinds, std::function<void()> joined);
  void none_found();  ///< no device is coming, unless some were found
  /// The stages compute without the devices, which will join.
  bool coming() const {
    const State state = state_;
    return state == State::opens || state == State::waits || state == State::builds;
  }
  /// A frame has passed all stages: what the devices have to compute is known. Cheap once they
  /// have joined.
  void frame_left();
  /// They join at once, and programs are built when the first frame needs them: what is known of
  /// such frames is known with the devices. For before the first frame.
  void join_now();
  /// Waits for the programs that are being built, and for the driver that is being opened as long
  /// as drivers take that answer; no device joins any more.
  void end();

 private:
  enum class State { idle, opens, waits, builds, joined };
  struct Look;
  void build();
  void build_side_by_side();
  void join();

  std::atomic<State> state_{State::idle};
  std::atomic<bool> ended_{false};
  std::shared_ptr<Look> look_;  // null: no device is opened on a thread
  std::mutex mutex_;            // of the threads' begin and end
  std::thread opener_, builder_;
  std::span<StageAdapter* const> stages_;
  Fusion* fusion_ = nullptr;
  std::vector<std::shared_ptr<opencl::Context>> kinds_;
  std::function<void()> joined_;
};

}  // namespace tandem::bin
