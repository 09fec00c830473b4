// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace tandem {

/// The command `tandem evaluate-detector`; `argv[0]` is its name. Gives the exit status: 0, 1 when
/// the work failed, 2 when the options are wrong.
int evaluate_detector_main(int argc, char** argv);

}  // namespace tandem
