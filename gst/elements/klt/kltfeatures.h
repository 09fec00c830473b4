// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// Tracking stage 2 as an element: see kernels/klt_features.
GType gst_klt_features_get_type();
