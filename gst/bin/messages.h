// SPDX-License-Identifier: LGPL-2.1-or-later
// What a bin's controller knows and does, as applications read it (docs/messages.md has the
// fields).
#pragma once

#include <gst/gst.h>

#include "scheduler/learn/controller.h"

namespace tandem {

/// `tandem-decision`.
GstStructure* decision_structure(const Decision& decision);

/// `tandem-predictions`: what is expected of every configuration; `learnt`: may be null.
GstStructure* predictions_structure(const Learnt* learnt);

/// Adds the controller's fields to `stats`.
void tell_controller(const Controller& controller, GstStructure* stats);

}  // namespace tandem
