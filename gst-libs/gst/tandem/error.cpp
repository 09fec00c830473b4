// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/error.h>

GQuark gst_tandem_device_error_quark(void) {
  return g_quark_from_static_string("gst-tandem-device-error-quark");
}
