// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

#include "kernels/opencl/opencl.h"

/// The context type under which elements and applications share one OpenCL device. Its structure
/// holds `cl-context` (G_TYPE_POINTER, a cl_context) and `cl-device` (G_TYPE_POINTER, a
/// cl_device_id): an application that has its own sets these two and keeps both alive while the
/// pipeline lives.
#define GST_TANDEM_OPENCL_CONTEXT_TYPE "gst.tandem.opencl.context"

namespace tandem {

/// Reads a context of the type above. Null when it is of another type or cannot be used.
std::shared_ptr<opencl::Context> opencl_context_from(GstContext* context);

/// The OpenCL context for `element`, as GStreamer elements find one: asks the neighbours, then the
/// application, then opens the device that `selector` names, unless another pipeline of the process
/// has it, and tells everybody. Throws opencl::Error. Calls gst_element_set_context on the element
/// when one was found. What it opened is kept until the element and its bins are in NULL.
std::shared_ptr<opencl::Context> find_opencl_context(GstElement* element,
                                                     const std::string& selector);

/// Answers a CONTEXT query for the type above with what the element has. False when it is another
/// query or the element has none.
bool answer_opencl_context_query(GstElement* element, GstQuery* query);

}  // namespace tandem
