// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// Scene Recognition stage 1 as an element: see kernels/scene_features.
GType gst_scene_features_get_type();
