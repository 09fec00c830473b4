// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>

#include "scheduler/learn/neighbourhood.h"
#include "scheduler/machine/energy/meter.h"

/// The context type under which an application hands tandembin a meter of its own: for boards whose
/// counters Tandem does not read.
#define GST_TANDEM_ENERGY_METER_CONTEXT_TYPE "gst.tandem.energy.meter"
/// The context type under which an application puts bins into a neighbourhood of their own.
#define GST_TANDEM_NEIGHBOURHOOD_CONTEXT_TYPE "gst.tandem.neighbourhood"

namespace tandem::bin {

/// For gst_element_set_context() on a pipeline, or as the answer to a NEED_CONTEXT message.
GstContext* energy_meter_context(std::shared_ptr<EnergyMeter> meter);

/// The meter that the element was given; else asks the application for one. Null when there is
/// none.
std::shared_ptr<EnergyMeter> find_energy_meter(GstElement* element);

/// For gst_element_set_context() on a pipeline.
GstContext* neighbourhood_context(std::shared_ptr<Neighbourhood> neighbourhood);

/// The one that the element was given, else that of the process.
std::shared_ptr<Neighbourhood> find_neighbourhood(GstElement* element);

}  // namespace tandem::bin
