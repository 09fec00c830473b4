// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

#include "kernels/opencl/opencl.h"

/// The context type under which elements and applications share one OpenCL device. Its structure
/// holds `cl-context` (G_TYPE_POINTER, a cl_context) and `cl-device` (G_TYPE_POINTER, a
/// cl_device_id). An application with an OpenCL device of its own sets these two and keeps both
/// alive while the pipeline lives.
#define GST_TANDEM_OPENCL_CONTEXT_TYPE "gst.tandem.opencl.context"

namespace tandem {

/// Reads a context of the type above. Null when it is of another type or cannot be used.
std::shared_ptr<opencl::Context> opencl_context_from(GstContext* context);

/// Returns the context that `element` has, or a neighbour's, or the application's, in this order.
/// Null: there is none. Calls gst_element_set_context() on the element if one was found.
std::shared_ptr<opencl::Context> given_opencl_context(GstElement* element);

/// Opens the device that `selector` names, and posts its context. Opens nothing if another pipeline
/// of the process has the device, or the element was given a context meanwhile. The first device of
/// a process takes up to a second. The device stays open until the element and its bins are in
/// NULL. Throws opencl::Error.
std::shared_ptr<opencl::Context> open_opencl_context(GstElement* element,
                                                     const std::string& selector);

/// The OpenCL context for `element`: given_opencl_context(), else open_opencl_context().
std::shared_ptr<opencl::Context> find_opencl_context(GstElement* element,
                                                     const std::string& selector);

/// Answers a CONTEXT query for the type above with the element's context. False for other queries,
/// or if the element has none.
bool answer_opencl_context_query(GstElement* element, GstQuery* query);

}  // namespace tandem
