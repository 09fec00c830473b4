// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/handles.h"

#include "kernels/opencl/native.h"

namespace tandem::opencl {

void* context_handle(Context& context, int device) { return context.native().at(device).context(); }

void* device_handle(Context& context, int device) { return context.native().at(device).device(); }

void* program_handle(Context& context, int device, const std::string& source,
                     const std::string& options) {
  const Program program = build_program(context, source, options.empty() ? "" : ' ' + options);
  cl_program const handle = program.native->each[static_cast<std::size_t>(device)]();
  clRetainProgram(handle);
  return handle;
}

void* command_queue(Queue& queue) {
  enqueue_deferred(queue);
  queue.native().copies.computed.clear();  // what is enqueued there is not noted
  return queue.native().queue();
}

void keep_pace(Queue& queue) {
  if (queue.native().stop) queue.native().keep_pace();
}

}  // namespace tandem::opencl
