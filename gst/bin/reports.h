// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include "scheduler/learn/controller.h"

// What a bin's controller knows and does, as applications read it (docs/messages.md has the
// fields).

namespace tandem::bin {

class Run;

/// `tandem-decision`.
GstStructure* decision_structure(const Decision& decision);

/// `tandem-predictions`: what is expected of every configuration; `learnt`: may be null.
GstStructure* predictions_structure(const Learnt* learnt);

/// Adds the controller's fields to `stats`.
void tell_controller(const Controller& controller, GstStructure* stats);

/// What tandembin's `stats` property gives out, counted since PAUSED; empty without a run. Fields:
/// configuration (string), cores (int), frames, frames-cpu, frames-device, frames-mixed (uint64: by
/// where their stages were computed), frames-page-locked (uint64: those that came in memory of the
/// pool that the bin offers upstream), device-failures (uint64), in-flight (uint), opencl-device
/// (string, when one is open), opencl-devices (int: how many work, of all kinds), stages (array of
/// structures: name, cpu-frames, device-frames, fused-frames, cpu-ns, device-ns, can-split; times
/// are sums over frames, consecutive device stages share their time equally), split-times
/// (structure: means over the segments of split frames, in microseconds). The fields tensors-made,
/// opencl-buffers-made, opencl-programs-made and opencl-objects-made (uint64) count what this
/// process made since it started; they stand still in a steady stream. Control::add_stats adds
/// what was decided.
GstStructure* make_stats(Run* run);

}  // namespace tandem::bin
