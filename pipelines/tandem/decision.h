// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

namespace tandem {

/// A line for people about a tandem-decision: "caps: ccc/cg2 -> ggg/cg3, 412.0 frames/s expected;
/// trained 0.31 s on 64 frames". Empty for any other structure.
std::string decision_text(const GstStructure* structure);

/// A table for people of where the time of the training that led to a tandem-decision went: a line
/// each, without the last newline. Empty where there was none, and for any other structure.
std::string training_text(const GstStructure* structure);

}  // namespace tandem
