// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// SRAD stage 1 as an element: see kernels/srad.
GType gst_srad_extract_get_type();
