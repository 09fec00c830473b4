// SPDX-License-Identifier: LGPL-2.1-or-later
// What of the base class of stages is not in <gst/tandem/stage.h>: for tandembin, and for stages in
// C++.
#pragma once

#include <gst/tandem/stage.h>

#include <memory>
#include <string>
#include <vector>

#include "gst/stage/stagework.h"

namespace tandem {

/// What a stage is, from its first frame to its last; its properties may have a say in it.
struct StageDescription {
  struct Input {
    TensorName tensor;
    const char* producer;  ///< the element that makes it, for the message when it is missing
  };
  std::vector<Input> inputs;
  bool serial = false;
  bool has_cpu = true;     ///< else it waits for an OpenCL device, and needs one
  bool has_opencl = true;  ///< else it stays on the cores
  bool changes_pixels = false;
  /// The element of the first stage of the part that ends with this one and that frames pass
  /// StageSettings::rounds() times inside tandembin: null where nothing is repeated.
  const char* repeats_from = nullptr;
  bool needs_previous = false;  ///< reads StageFrame::previous
  /// Why frames cannot be split between device and cores: what a user reads. Empty: they can, its
  /// work is a SplitWork.
  std::string whole = "nothing says which rows its rows need";
  /// Of a split frame: what it makes is there only when both sides are done.
  bool joins = false;
};

/// What the base class asks of a stage. Those of a class in C are made of its functions
/// (cstage.cpp); a stage in C++ sets its own as GstTandemStageClass::hooks.
struct StageHooks {
  /// What the stage is with the properties that it has now. Asked before its first frame, of each
  /// instance.
  StageDescription (*describe)(GstTandemStage* stage);
  /// The properties as they are now.
  std::shared_ptr<const StageSettings> (*read_settings)(GstTandemStage* stage);
  /// Makes the work for frames like the request's with settings of this class. Called with no lock
  /// held, from whichever thread has the first such frame. Throws std::exception whose what() tells
  /// the user what to do.
  std::unique_ptr<StageWork> (*make_work)(GstTandemStage* stage, const StageSettings& settings,
                                          const WorkRequest& request);
};

class StageAdapter;

/// The hooks of the stage's class.
const StageHooks& hooks_of(GstTandemStage* stage);

/// The stage as the scheduler sees it; lives as long as the element.
StageAdapter& adapter_of(GstTandemStage* stage);

}  // namespace tandem
