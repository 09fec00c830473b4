// SPDX-License-Identifier: LGPL-2.1-or-later
// The structures in which a bin reports to applications; docs/messages.md lists the fields.
#pragma once

#include <gst/gst.h>

#include "scheduler/learn/run/controller.h"

namespace tandem::bin {

class Run;

/// Returns `tandem-decision`, the structure of the message for a decision.
GstStructure* decision_structure(const Decision& decision);

/// Returns `tandem-predictions`: the predictions of every configuration. `learnt`: may be null.
GstStructure* predictions_structure(const Learnt* learnt);

/// Adds the controller's fields to `stats`.
void add_controller(const Controller& controller, GstStructure* stats);

/// Returns the value of the property `stats`, counted since PAUSED; empty without a run. Includes
/// the fields of ControllerAdapter::add_stats().
///
/// | field | type | content |
/// | --- | --- | --- |
/// | configuration | string | the current one |
/// | cores, lanes, tasks, split | int | of the current configuration |
/// | frames | uint64 | frames that left |
/// | frames-cpu, -device, -mixed | uint64 | frames by the sides that computed them |
/// | frames-in-bands | uint64 | frames that a device computed in bands |
/// | frames-page-locked | uint64 | frames that arrived in memory of the bin's pool |
/// | frames-dropped | uint64 | frames that Overload dropped |
/// | device-failures | uint64 | failures of devices |
/// | in-flight | uint | frames in flight now |
/// | opencl-device | string | its name; absent without a device |
/// | opencl-devices | int | devices in use, of all kinds; likewise |
/// | stages | array | a structure for each stage, see below |
/// | split-times | structure | means over segments of split frames, in microseconds |
/// | tensors-made, opencl-...-made | uint64 | objects made by the process, constant if steady |
///
/// A structure of `stages` has name, cpu-frames, device-frames, fused-frames, cpu-ns, device-ns and
/// can-split. Times are sums over frames. Consecutive stages on a device share their time equally.
GstStructure* make_stats(Run* run);

}  // namespace tandem::bin
