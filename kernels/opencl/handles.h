// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/opencl/opencl.h"

/// OpenCL handles, for stages of applications that enqueue commands themselves.
namespace tandem::opencl {

/// The cl_context and the cl_device_id of one of the context's devices.
void* context_handle(Context& context, int device);
void* device_handle(Context& context, int device);

/// A cl_program in OpenCL C 1.2 for one of the devices, retained for the caller. It comes from the
/// context's programs, the cache on disk or the compiler. Throws Error with the compiler's
/// messages.
void* program_handle(Context& context, int device, const std::string& source,
                     const std::string& options);

/// The cl_command_queue. Deferred commands are enqueued first. Throws Error.
void* command_queue(Queue& queue);

/// Keeps Queue::pace(); call it after each command. Throws Error.
void keep_pace(Queue& queue);

}  // namespace tandem::opencl
