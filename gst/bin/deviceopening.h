// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "gst/bin/binfusion.h"
#include "gst/stage/stageadapter.h"

namespace tandem {

/// Builds the programs of all devices on threads of its own, one a stage and one for what is fused,
/// while the cores compute frames; the devices join when they are ready. Drivers compile for
/// hundreds of milliseconds to seconds where their caches are empty.
class DeviceOpening {
 public:
  DeviceOpening() = default;
  ~DeviceOpening() { end(); }

  /// Before the first frame. The stages get the contexts, one for each kind of device, when all of
  /// them have what they need; `joined` is called after that, on the thread, with no lock held. The
  /// stages and what is fused of them outlive this.
  void begin(std::span<StageAdapter* const> stages, BinFusion& fusion,
             std::vector<std::shared_ptr<opencl::Context>> kinds, std::function<void()> joined);
  /// The stages compute without the devices, which will join.
  bool coming() const { return state_ == State::waits || state_ == State::builds; }
  /// A frame has passed all stages: what the devices have to compute is known. Cheap once they
  /// have joined.
  void frame_left();
  /// They join at once, and programs are built when the first frame needs them: what is known of
  /// such frames is known with the devices. For before the first frame.
  void join_now();
  /// Waits for the programs that are being built; no device joins any more.
  void end();

 private:
  enum class State { idle, waits, builds, joined };
  void open();
  void build_side_by_side();
  void join();

  std::atomic<State> state_{State::idle};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;  // of the thread's begin and end
  std::thread thread_;
  std::span<StageAdapter* const> stages_;
  BinFusion* fusion_ = nullptr;
  std::vector<std::shared_ptr<opencl::Context>> kinds_;
  std::function<void()> joined_;
};

}  // namespace tandem
