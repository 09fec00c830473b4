// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>
#include <gst/tandem/private/stagesettings.h>
#include <gst/tandem/private/work.h>
#include <gst/tandem/stage.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "model/configuration.h"

namespace tandem {

/// The description of a stage, and the work in use for each kind of device. Work is made for the
/// first frame, and again when frames, settings or devices change. Thread-safe.
class CurrentWork {
 public:
  explicit CurrentWork(GstTandemStage* stage) : stage_(stage) {}

  /// Reads the element's description, which is valid until the next call. With nothing in flight.
  void describe();
  const StageDescription& description() const { return description_; }

  /// The devices to make work for, one context for each kind. Takes effect with the next frame.
  void set_contexts(std::vector<std::shared_ptr<opencl::Context>> contexts);
  /// Settings of the frames that enter the stage from now on.
  void use(std::shared_ptr<const StageSettings> settings);
  std::shared_ptr<const StageSettings> settings() const;  ///< in use; null before the first

  /// Whether devices of this kind can compute the stage, once there is a context for them.
  bool suits_device(int kind) const;
  bool has_device(int kind) const;
  /// Whether device and cores can compute rows of a frame at the same time.
  bool can_split() const;

  /// Assigns work to a frame with known inputs, and makes it if the current work does not fit.
  /// Throws the error of make_work.
  void give(GstTandemFrame& frame, int kind);
  void forget();  ///< releases the work and its pools

  /// Keeps the next frame that work is made for, for build_for().
  void keep_first_frame() { keeps_first_frame_ = true; }
  /// Builds the programs of the kept frame for devices of these kinds, and releases the frame. The
  /// first frame that a device computes reports errors. From any thread, while frames pass.
  void build_for(std::span<const std::shared_ptr<opencl::Context>> kinds);

 private:
  bool give_current(GstTandemFrame& frame, int kind) const;
  std::shared_ptr<GstTandemWork> make(const FirstFrame& first, int kind) const;
  std::shared_ptr<opencl::Context> context(int kind) const;
  void inherit(const GstTandemWork& made) const;

  GstTandemStage* const stage_;
  std::atomic<bool> keeps_first_frame_{false};
  std::atomic<unsigned> generation_{1};  // of settings and contexts
  std::mutex make_mutex_;     // held while work is made, so that one thread makes it for all
  mutable std::mutex mutex_;  // guards what follows; never held while work is made
  StageDescription description_;
  std::unique_ptr<FirstFrame> first_frame_;
  std::vector<std::shared_ptr<opencl::Context>> contexts_;  // one a kind
  std::shared_ptr<const StageSettings> settings_;
  std::array<std::shared_ptr<const GstTandemWork>, kMaxLetters> current_;  // one a kind
};

}  // namespace tandem
