// SPDX-License-Identifier: LGPL-2.1-or-later
// The objects in C++ behind OpenCL's handles in <gst/tandem/tandem.h>, for stages whose kernels are
// built with kernels/opencl/native.h.
#pragma once

#include <gst/tandem/stage.h>

#include <memory>

#include "kernels/opencl/opencl.h"

namespace tandem::opencl {

/// Inside make_work: the devices of gst_tandem_work_get_devices(); null: none.
std::shared_ptr<Context> context_of(const GstTandemWork* work);

/// Inside enqueue.
Queue& queue_of(const GstTandemFrame* frame);

/// Inside describe: `enqueue` works with queue_of(), which enqueues before each kernel what an
/// earlier one has deferred. `enqueue` then gets no cl_command_queue.
void take_deferred(GstTandemDescription* description);

}  // namespace tandem::opencl
