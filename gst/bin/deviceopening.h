// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include "gst/stage/stageadapter.h"

namespace tandem {

/// Builds a device's programs on threads of its own, one a stage, while the cores compute frames;
/// the device joins when it is ready. Drivers compile for hundreds of milliseconds to seconds where
/// their caches are empty.
class DeviceOpening {
 public:
  DeviceOpening() = default;
  ~DeviceOpening() { end(); }

  /// Before the first frame. The stages get the context when all of them have what they need;
  /// `joined` is called after that, on the thread, with no lock held. The stages outlive this.
  void begin(std::span<StageAdapter* const> stages, std::shared_ptr<opencl::Context> context,
             std::function<void()> joined);
  /// The stages compute without the device, which will join.
  bool coming() const { return state_ == State::waits || state_ == State::builds; }
  /// A frame has passed all stages: what the device has to compute is known. Cheap once it has
  /// joined.
  void frame_left();
  /// It joins at once, and its programs are built when the first frame needs them: what is known of
  /// such frames is known with it. For before the first frame.
  void join_now();
  /// Waits for the programs that are being built; the device does not join any more.
  void end();

 private:
  enum class State { idle, waits, builds, joined };
  void open();
  void build_side_by_side();

  std::atomic<State> state_{State::idle};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;  // of the thread's begin and end
  std::thread thread_;
  std::span<StageAdapter* const> stages_;
  std::shared_ptr<opencl::Context> context_;
  std::function<void()> joined_;
};

}  // namespace tandem
