// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

namespace tandem {

/// A tandem-decision in words: why, what runs, what it gains. "learned in 0.31 s on 64 frames: now
/// on the device (3 threads), 412.0 instead of 20.1 frames/s expected". `max_overhead`: the bin's
/// share of time for trainings. Empty for any other structure.
std::string decision_text(const GstStructure* structure, double max_overhead);

/// The same in short: "caps: ccc/cg2 -> ggg/cg3 (ccc/cg2 had 20.1 frames/s)".
std::string short_text(const GstStructure* structure);

/// A table for people of where the time of the training that led to a tandem-decision went: a line
/// each, without the last newline. Empty where there was none, and for any other structure.
std::string training_text(const GstStructure* structure);

}  // namespace tandem
