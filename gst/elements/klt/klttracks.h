// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

/// The serial end of tracking as an element: see kernels/klt_flow/tracks.h.
GType gst_klt_tracks_get_type();
