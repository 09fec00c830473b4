// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/base/gstbasesink.h>

G_BEGIN_DECLS

/// Publishes each buffer, a line of text, to a broker.
#define GST_TYPE_TANDEM_PUBLISH (gst_tandem_publish_get_type())
G_DECLARE_FINAL_TYPE(GstTandemPublish, gst_tandem_publish, GST, TANDEM_PUBLISH, GstBaseSink)

G_END_DECLS
