// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/version.h>

void gst_tandem_version(guint* major, guint* minor, guint* micro) {
  if (major) *major = GST_TANDEM_VERSION_MAJOR;
  if (minor) *minor = GST_TANDEM_VERSION_MINOR;
  if (micro) *micro = GST_TANDEM_VERSION_MICRO;
}
