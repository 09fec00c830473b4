// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace tandem::test {

/// Registers tandembin and three stages as somebody else may write them:
///   ownstart   puts the first pixel of a frame into the tensor `own-value`
///   owncount   counts frames since the last restart in the tensor `own-count`
///   ownadd     adds `plus` to the tensor `from` and makes the tensor `to`, `passes` times inside
///              tandembin; both are `own-value` unless they are set; `cpu=false`: a device alone
///              can
void register_own_stages();

}  // namespace tandem::test
