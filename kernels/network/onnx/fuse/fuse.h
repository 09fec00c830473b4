// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/network/network.h"

namespace tandem::network {

/// Makes fewer steps that compute the same up to rounding, and drops steps and values that no
/// output needs. In this order:
///
/// | before | after |
/// | --- | --- |
/// | a convolution, then a product, quotient, sum or difference with a constant a channel | weights
/// and bias | | x times sigmoid(x), x times hard_sigmoid(x) with hard_swish's constants | silu,
/// hard_swish | | a convolution, then a sum with a value of its shape | the convolution's residual
/// | | any step but Reshape, then an activation | the step's activation |
///
/// The step before has no other user, is no output of the network and has no activation yet.
void fuse(Network& network);

}  // namespace tandem::network
