// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/stage_file/stage_file.h"

namespace tandem {

/// Throws StageFileError if the directives of a file contradict each other or its code.
void check_stage_file(const StageFile& file);

}  // namespace tandem
