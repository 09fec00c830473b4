// SPDX-License-Identifier: LGPL-2.1-or-later
// GstContexts in which an application hands objects in C++ to bins: each carries a shared pointer.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "scheduler/learn/run/neighbourhood.h"
#include "scheduler/machine/energy/meter.h"

/// The type of a context with an energy meter of the application's, for boards whose counters
/// Tandem does not read.
#define GST_TANDEM_ENERGY_METER_CONTEXT_TYPE "gst.tandem.energy.meter"
/// The type of a context with a neighbourhood: bins share the machine within their neighbourhood.
#define GST_TANDEM_NEIGHBOURHOOD_CONTEXT_TYPE "gst.tandem.neighbourhood"

namespace tandem::bin {

/// Returns a context for gst_element_set_context() on a pipeline, or for the answer to a
/// NEED_CONTEXT message.
GstContext* energy_meter_context(std::shared_ptr<EnergyMeter> meter);

/// Returns the meter that the element was given. Posts NEED_CONTEXT if there is none yet; null if
/// the application has none.
std::shared_ptr<EnergyMeter> find_energy_meter(GstElement* element);

/// Returns a context for gst_element_set_context() on a pipeline.
GstContext* neighbourhood_context(std::shared_ptr<Neighbourhood> neighbourhood);

/// Returns the neighbourhood that the element was given, otherwise the neighbourhood of the
/// process.
std::shared_ptr<Neighbourhood> find_neighbourhood(GstElement* element);

}  // namespace tandem::bin
