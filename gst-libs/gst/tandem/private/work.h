// SPDX-License-Identifier: LGPL-2.1-or-later
// GstTandemWork inside the library.
#pragma once

#include <gst/tandem/private/guard.h>
#include <gst/tandem/private/ref.h>
#include <gst/tandem/private/stagekernel.h>
#include <gst/tandem/private/stagesettings.h>
#include <gst/tandem/private/tensorpool.h>
#include <gst/tandem/private/tensorspec.h>
#include <gst/tandem/stage.h>
#include <gst/tandem/work.h>
#include <gst/video/video.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"

namespace tandem {

/// The frame that a stage's work is made for: its size and the tensors that the stage reads. Later
/// frames of the same work differ in the content alone.
struct FirstFrame {
  /// Keeps references to the first `inputs` tensors of `frame`.
  FirstFrame(const GstTandemFrame& frame, std::size_t inputs);

  GstVideoInfo video;
  std::vector<SlotTensor> inputs;
  std::vector<MemoryRef> memories;  ///< of the inputs
};

}  // namespace tandem

/// The work of one stage for frames of one size and tensors of one shape, with the properties that
/// it was made with and the pools of its outputs. Constant once it is made: several threads use it
/// at the same time.
struct _GstTandemWork {
  /// Calls make_work, which fills in the members below. Throws std::runtime_error with its message,
  /// opencl::Error if the device is the reason. Called with no lock held. `devices`: null for the
  /// CPU alone.
  _GstTandemWork(GstTandemStage* element, std::shared_ptr<const tandem::StageSettings> properties,
                 const tandem::FirstFrame& frame, std::shared_ptr<tandem::opencl::Context> devices);
  /// Work that only builds programs has no pools.
  void make_pools(const tandem::FirstFrame& frame);

  /// Whether it was made for such frames and so many inputs. The class's `fits` decides the rest.
  bool is_for(const GstTandemFrame& frame, std::size_t inputs_of_stage) const;
  /// A warning for the user, posted when the work is made; mostly empty.
  std::string take_notice() const;
  GstTandemStageClass* klass() const { return GST_TANDEM_STAGE_GET_CLASS(stage); }

  /// Whether a device can compute the first rows of a frame while the cores compute the last ones.
  bool splits() const { return klass()->enqueue_rows != nullptr; }
  /// The rows of the stage that makes input `input` which rows of this one are computed from.
  tandem::Rows needs(int input, tandem::Rows of_stage) const;
  /// The byte at which a row begins in each plane of an output; row `rows` is where they end.
  std::size_t row_begin(int output, int row) const;

  GstTandemStage* const stage;
  const std::shared_ptr<const tandem::StageSettings> settings;
  const GstVideoInfo video;
  const std::shared_ptr<tandem::opencl::Context> context;  ///< null: the CPU alone
  std::vector<tandem::TensorSpec> inputs;

  std::vector<tandem::TensorSpec> outputs;  ///< at most kMaxTensors
  /// One an output: the number of equal parts in each of which the rows lie one after the other; 0:
  /// it has no rows.
  std::vector<int> planes;
  int rows = 1;
  std::string notice;
  std::unique_ptr<void, void (*)(void*)> data{nullptr, [](void*) {}};
  tandem::StageKernel kernel;
  bool takes_deferred = false;

  std::vector<std::shared_ptr<tandem::TensorPool>> pools;  ///< one an output
  /// One an input, for those whose memory the device cannot use; empty without a device.
  std::vector<std::shared_ptr<tandem::TensorPool>> input_pools;
  int kind = 0;                ///< of the devices that it was made for
  std::string device_problem;  ///< the reason why it does not compute on its device
  unsigned generation = 0;
  /// One an output: how many rows before their own ones the cores read of it that the device made,
  /// when that was known too late.
  mutable std::array<std::atomic<int>, tandem::kMaxTensors> border{};

  // Inside make_work.
  const tandem::FirstFrame* first = nullptr;
  tandem::Problem problem;
};
