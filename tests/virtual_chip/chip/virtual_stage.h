// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib-object.h>

#include <memory>

#include "tests/virtual_chip/chip/live_chip.h"

namespace tandem::test {

/// `virtualstage chip=NAME stage=K`: takes any frame and lets it through when stage K would have
/// been done with it on that chip.
GType virtual_stage_get_type();

/// Lets stages find the chip by its name for as long as somebody else holds it.
void install(const std::shared_ptr<LiveChip>& chip);

}  // namespace tandem::test
