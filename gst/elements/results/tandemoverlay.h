// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

/// Draws regions of interest on the frames that carry any.
#define GST_TYPE_TANDEM_OVERLAY (gst_tandem_overlay_get_type())
G_DECLARE_FINAL_TYPE(GstTandemOverlay, gst_tandem_overlay, GST, TANDEM_OVERLAY, GstBaseTransform)

G_END_DECLS
