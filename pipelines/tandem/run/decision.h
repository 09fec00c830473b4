// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

namespace tandem {

/// A tandem-decision in words, with its reason, the configuration and the gain: `learned in 0.31 s
/// on 64 frames: now on the device (3 threads), 412.0 instead of 20.1 frames/s expected`.
/// `max_overhead`: the bin's share of time for trainings. Empty for any other structure.
std::string decision_text(const GstStructure* structure, double max_overhead);

/// The same in short: `caps: ccc/cg2 -> ggg/cg3 (ccc/cg2 had 20.1 frames/s)`.
std::string short_text(const GstStructure* structure);

/// The time of the training that led to a tandem-decision, as a table: a line a device, without the
/// last newline. Empty without a training, and for any other structure.
std::string training_text(const GstStructure* structure);

}  // namespace tandem
