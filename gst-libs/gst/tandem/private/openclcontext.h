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

/// What `element` has already, or the neighbours, or else the application, gives when it is asked;
/// null: nobody has one. Calls gst_element_set_context on the element when one was found.
std::shared_ptr<opencl::Context> given_opencl_context(GstElement* element);

/// Opens the device that `selector` names, unless another pipeline of the process has it or the
/// element was given a context meanwhile, and tells everybody. Throws opencl::Error. Takes up to a
/// second where it is the first of the process. What it opened is kept until the element and its
/// bins are in NULL.
std::shared_ptr<opencl::Context> open_opencl_context(GstElement* element,
                                                     const std::string& selector);

/// The OpenCL context for `element`, as GStreamer elements find one: what is given, else what is
/// opened.
std::shared_ptr<opencl::Context> find_opencl_context(GstElement* element,
                                                     const std::string& selector);

/// Answers a CONTEXT query for the type above with what the element has. False when it is another
/// query or the element has none.
bool answer_opencl_context_query(GstElement* element, GstQuery* query);

}  // namespace tandem
