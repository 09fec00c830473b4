// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/network/network.h"

namespace tandem::network {

/// Changes the weights and the bias of `conv` so that it computes what `binary` makes of its
/// result, which is the first or the second input of `binary`. Changed constants are new values at
/// the network's end. Returns whether it could: the other input is a constant of one element or of
/// one a channel, and no weight overflows. Takes from `left` the weights that it multiplies, and
/// does nothing where there are more.
bool fold_scale(Network& network, Step& conv, const Step& binary, bool conv_is_first,
                int64_t& left);

}  // namespace tandem::network
