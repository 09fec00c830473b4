// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/description.h>
#include <gst/tandem/private/frame.h>
#include <gst/tandem/private/stageopencl.h>

namespace tandem::opencl {

std::shared_ptr<Context> context_of(const GstTandemWork* work) { return work->context; }

Queue& queue_of(const GstTandemFrame* frame) { return *frame->device.queue; }

void take_deferred(GstTandemDescription* description) { description->takes_deferred = true; }

}  // namespace tandem::opencl
