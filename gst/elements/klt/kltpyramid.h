// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// Tracking stage 1 as an element: see kernels/klt_pyramid.
GType gst_klt_pyramid_get_type();
