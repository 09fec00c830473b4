// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// Scene Recognition stage 2 as an element: see kernels/scene_classifier.
GType gst_scene_classifier_get_type();
