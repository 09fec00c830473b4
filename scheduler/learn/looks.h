// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "scheduler/learn/observation.h"

namespace tandem {

/// How far the rate that one look sees is from that of the next, relative, as all looks tell. An
/// experiment that is worth a look was made long before: the time between belongs to no spread.
double spread_of_looks(std::span<const Observation> observations);

}  // namespace tandem
