// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// Tracking stage 3 as an element: see kernels/klt_flow.
GType gst_klt_flow_get_type();
