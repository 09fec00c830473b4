// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// ViVid stage 1 as an element: see kernels/vivid_filter.
GType gst_vivid_filter_get_type();
