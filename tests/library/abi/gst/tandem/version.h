/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_VERSION_H
#define GST_TANDEM_VERSION_H

#include <gst/tandem/prelude.h>

G_BEGIN_DECLS

/**
 * GST_TANDEM_VERSION_MAJOR:
 *
 * The version of these headers, which may be older than that of the library at run time.
 */
#define GST_TANDEM_VERSION_MAJOR (0)
#define GST_TANDEM_VERSION_MINOR (1)
#define GST_TANDEM_VERSION_MICRO (0)

/**
 * GST_TANDEM_CHECK_VERSION:
 *
 * Whether the headers are of this version or a newer one.
 */
#define GST_TANDEM_CHECK_VERSION(major, minor, micro)                                  \
  (GST_TANDEM_VERSION_MAJOR > (major) ||                                               \
   (GST_TANDEM_VERSION_MAJOR == (major) && (GST_TANDEM_VERSION_MINOR > (minor) ||      \
                                            (GST_TANDEM_VERSION_MINOR == (minor) &&    \
                                             GST_TANDEM_VERSION_MICRO >= (micro)))))

/**
 * gst_tandem_version:
 * @major: (out) (optional): the major number
 * @minor: (out) (optional): the minor number
 * @micro: (out) (optional): the micro number
 *
 * The version of the library that the program runs with.
 */
GST_TANDEM_API
void gst_tandem_version(guint* major, guint* minor, guint* micro);

G_END_DECLS

#endif
