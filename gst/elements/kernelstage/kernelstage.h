// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib-object.h>

/// A stage that the user wrote in one file: see kernels/stage_file and docs/stage-files.md.
GType gst_kernel_stage_get_type();
