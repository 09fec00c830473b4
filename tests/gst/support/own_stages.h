// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace tandem::test {

/// Registers tandembin and two stages as somebody else may write them:
///   ownstart   puts the first pixel of a frame into the tensor `own-value`
///   ownadd     adds `plus` to it, `passes` times inside tandembin
void register_own_stages();

}  // namespace tandem::test
