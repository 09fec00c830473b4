// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

/// Writes what is known of each frame as one line of JSON.
#define GST_TYPE_TANDEM_META_2_JSON (gst_tandem_meta_2_json_get_type())
G_DECLARE_FINAL_TYPE(GstTandemMeta2Json, gst_tandem_meta_2_json, GST, TANDEM_META_2_JSON,
                     GstBaseTransform)

G_END_DECLS
