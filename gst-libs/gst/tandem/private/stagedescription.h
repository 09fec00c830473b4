// SPDX-License-Identifier: LGPL-2.1-or-later
// The part of the base class of stages that is not in <gst/tandem/stage.h>: for tandembin, and for
// stages in C++.
#pragma once

#include <gst/tandem/private/tensorspec.h>
#include <gst/tandem/stage.h>

#include <string>
#include <vector>

namespace tandem {

/// The nature of a stage, fixed from its first frame to its last; it may depend on properties.
struct StageDescription {
  struct Input {
    TensorName tensor;
    const char* producer;  ///< the element that makes it, for the message when it is missing
  };
  std::vector<Input> inputs{};
  bool serial = false;
  bool has_cpu = true;     ///< else it waits for an OpenCL device, and needs one
  bool has_opencl = true;  ///< else it stays on the cores
  bool changes_pixels = false;
  /// The element of the first stage of the part that ends with this one and that frames pass
  /// StageSettings::rounds times inside tandembin: null where nothing is repeated.
  const char* repeats_from = nullptr;
  bool needs_previous = false;  ///< reads StageFrame::previous
  /// Why frames cannot be split between device and cores: what a user reads. Empty: they can, its
  /// work is a SplitWork.
  std::string whole = "the stage does not declare which rows of its inputs its rows need";
  /// Its outputs of a split frame are there only when both sides are done.
  bool joins = false;
  /// Whether `enqueue_rows` computes the rows from gst_tandem_frame_get_first_row() on.
  bool bands = false;
};

class StageAdapter;
struct StageSettings;

/// The stage as the scheduler sees it; lives as long as the element.
StageAdapter& adapter_of(GstTandemStage* stage);
/// The property `interval`, frames.
int interval_of(GstTandemStage* stage);

}  // namespace tandem
