// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/flow/frameitem.h>
#include <gst/tandem/private/stagedescription.h>

#include "kernels/opencl/opencl.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// Whether a stage of this description reads a tensor that is not on the buffer.
bool lacks_input(const StageDescription& description, GstBuffer* buffer);
/// Finds the inputs of stage `index`: outputs of other stages, or tensors on the buffer. The status
/// names a missing one.
Status find_inputs(FrameItem& item, int index, const StageDescription& description);
/// Takes the outputs from the pools of the frame's work. `queue`: of the device that will write
/// them; null: the host will.
void take_outputs(GstTandemFrame& frame, const opencl::Queue* queue);
/// Brings inputs that the device of the work cannot use into memory that it can. Throws
/// opencl::Error.
void localise_inputs(GstTandemFrame& frame);
/// Brings inputs and outputs to where the CPU computes. Throws opencl::Error.
void bring_to_host(GstTandemFrame& frame);

}  // namespace tandem
