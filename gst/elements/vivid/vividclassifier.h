// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// ViVid stage 3 as an element: see kernels/vivid_classifier.
GType gst_vivid_classifier_get_type();
