// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <memory>

#include "kernels/stage_file/stage_file.h"

/// A stage that the user wrote in one file: see kernels/stage_file and docs/stage-files.md.
GType gst_kernel_stage_get_type();

namespace tandem {

/// The file of a kernelstage, which stays while frames come; null: of another element, or it has
/// none that is right.
std::shared_ptr<const StageFile> stage_file_of(GstTandemStage* stage);

}  // namespace tandem
