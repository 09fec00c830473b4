// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// ViVid stage 2 as an element: see kernels/vivid_histogram.
GType gst_vivid_histogram_get_type();
