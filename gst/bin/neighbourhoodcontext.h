// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>

#include "scheduler/learn/neighbourhood.h"

/// The context type under which an application puts bins into a neighbourhood of their own.
#define GST_TANDEM_NEIGHBOURHOOD_CONTEXT_TYPE "gst.tandem.neighbourhood"

namespace tandem {

/// For gst_element_set_context() on a pipeline.
GstContext* neighbourhood_context(std::shared_ptr<Neighbourhood> neighbourhood);

/// The one that the element was given, else that of the process.
std::shared_ptr<Neighbourhood> find_neighbourhood(GstElement* element);

}  // namespace tandem
